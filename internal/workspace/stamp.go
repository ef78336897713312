package workspace

import (
	"cmp"
	"os"
	"slices"
	"strings"
)

// File kinds, as in st_mode on every Unix.
const (
	kindMask   = 0o170000
	kindFIFO   = 0o010000
	kindChar   = 0o020000
	kindDir    = 0o040000
	kindBlock  = 0o060000
	kindFile   = 0o100000
	kindLink   = 0o120000
	kindSocket = 0o140000
	kindModule = 0o160000 // a submodule's directory, which stays empty
)

// A stamp is what the file system says of a file without reading it. The
// change time and the inode are out of a generator's reach: an edit whose size
// and modification time were put back still shows.
type stamp struct {
	Mode         uint32
	Links        uint32
	Size         int64
	Mtime, Ctime int64 // nanoseconds
	Inode        uint64
}

func (s stamp) kind() uint32 { return s.Mode & kindMask }

// same tells whether nothing can have happened to the file in between. The
// count of links may change without the file, and of a directory only the kind
// matters: its entries are looked at one by one.
func (s stamp) same(t stamp) bool {
	if s.kind() == kindDir || s.kind() == kindModule {
		return t.kind() == s.kind() || t.kind() == kindDir
	}
	s.Links, t.Links = 0, 0
	return s == t
}

// An entry is one name in a directory. Made says that setup or share put it
// there: it is known, but not part of the commit.
type entry struct {
	Name string
	Made bool
	stamp
}

// A listing holds directories by their slash-separated paths, "" being the
// root; the entries of each are sorted by name.
type listing map[string][]entry

func (l listing) find(path string) (stamp, bool) {
	e, ok := l.entry(path)
	return e.stamp, ok
}

func (l listing) entry(path string) (entry, bool) {
	dir, i, ok := l.at(path)
	if !ok {
		return entry{}, false
	}
	return l[dir][i], true
}

func (l listing) at(path string) (dir string, i int, ok bool) {
	dir, name := split(path)
	i, ok = slices.BinarySearchFunc(l[dir], name, func(e entry, n string) int { return cmp.Compare(e.Name, n) })
	return dir, i, ok
}

// restamp takes a new stamp for a file that is in l.
func (l listing) restamp(path string, s stamp) {
	if dir, i, ok := l.at(path); ok {
		l[dir][i].stamp = s
	}
}

// drop takes a file out.
func (l listing) drop(path string) {
	if dir, i, ok := l.at(path); ok {
		l[dir] = slices.Delete(l[dir], i, i+1)
	}
}

// put adds a path that is not there yet, with the directories above it. The
// listing is in order again after sort.
func (l listing) put(path string, s stamp, made bool) {
	if _, ok := l[path]; ok && s.kind() == kindDir {
		return
	}
	dir, name := split(path)
	if _, ok := l[dir]; !ok {
		l.put(dir, stamp{Mode: kindDir}, made)
	}
	l[dir] = append(l[dir], entry{name, made, s})
	if s.kind() == kindDir {
		l[path] = nil
	}
}

func (l listing) sort() {
	for _, entries := range l {
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.Name, b.Name) })
	}
}

// split cuts a slash-separated path into its directory and its last name.
func split(path string) (dir, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// lstat stamps one file.
func lstat(path string) (stamp, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}
