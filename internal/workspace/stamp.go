package workspace

import (
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
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

const stampsMagic = "looprun stamps 1\n"

// marshal writes l behind a head that says what it was taken of.
func (l listing) marshal(head string) []byte {
	b := appendText([]byte(stampsMagic), head)
	b = binary.AppendUvarint(b, uint64(len(l)))
	dirs := make([]string, 0, len(l))
	for d := range l {
		dirs = append(dirs, d)
	}
	slices.Sort(dirs)
	for _, d := range dirs {
		b = binary.AppendUvarint(appendText(b, d), uint64(len(l[d])))
		for _, e := range l[d] {
			b = appendText(b, e.Name)
			b = binary.AppendUvarint(b, uint64(e.Mode)<<1|bit(e.Made))
			b = binary.AppendUvarint(b, uint64(e.Size))
			b = binary.AppendVarint(b, e.Mtime)
			b = binary.AppendVarint(b, e.Ctime)
			b = binary.AppendUvarint(b, e.Inode)
		}
	}
	return b
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errStamps = errors.New("damaged stamps")

// unmarshalStamps reads what marshal wrote. Damaged stamps are no stamps: then
// nothing in the tree counts as known.
func unmarshalStamps(b []byte) (head string, l listing, err error) {
	rest, ok := strings.CutPrefix(string(b), stampsMagic)
	if !ok {
		return "", nil, errStamps
	}
	r := &stampReader{s: rest}
	head = r.text()
	l = listing{}
	for n := r.number(); n > 0 && r.err == nil; n-- {
		dir := r.text()
		var entries []entry
		for m := r.number(); m > 0 && r.err == nil; m-- {
			e := entry{Name: r.text()}
			mode := r.number()
			e.Mode, e.Made, e.Size = uint32(mode>>1), mode&1 == 1, int64(r.number())
			e.Mtime, e.Ctime, e.Inode = r.signed(), r.signed(), r.number()
			entries = append(entries, e)
		}
		l[dir] = entries
	}
	if r.err != nil || r.s != "" {
		return "", nil, errStamps
	}
	return head, l, nil
}

// A stampReader takes values off the front of s. After an error it gives zeros.
type stampReader struct {
	s   string
	err error
}

func (r *stampReader) number() uint64 {
	n, w := binary.Uvarint([]byte(r.s[:min(len(r.s), binary.MaxVarintLen64)]))
	return r.took(n, w)
}

func (r *stampReader) signed() int64 {
	n, w := binary.Varint([]byte(r.s[:min(len(r.s), binary.MaxVarintLen64)]))
	return int64(r.took(uint64(n), w))
}

func (r *stampReader) took(n uint64, width int) uint64 {
	if width <= 0 || r.err != nil {
		r.s, r.err = "", errStamps
		return 0
	}
	r.s = r.s[width:]
	return n
}

func (r *stampReader) text() string {
	n := r.number()
	if n > uint64(len(r.s)) {
		r.s, r.err = "", errStamps
		return ""
	}
	t := r.s[:n]
	r.s = r.s[n:]
	return t
}

// readStamps reads a stamps file; a missing or damaged one is an empty listing.
func readStamps(dir, name string) (head string, l listing) {
	d, err := fsx.Open(dir)
	if err != nil {
		return "", listing{}
	}
	defer d.Close()
	b, err := d.Read(name, 1<<30)
	if err != nil {
		return "", listing{}
	}
	if head, l, err = unmarshalStamps(b); err != nil {
		return "", listing{}
	}
	return head, l
}

// lstat stamps one file.
func lstat(path string) (stamp, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}
