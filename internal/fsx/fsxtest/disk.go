package fsxtest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

// A Disk is a tree of files in memory. Names are slash-separated paths below
// its root; two names may be of one file.
type Disk struct {
	names map[string]int // of files and directories; the root has none
	files map[int]string // contents; directories have none
}

// ReadDisk reads the tree under root.
func ReadDisk(root string) (Disk, error) {
	d := Disk{map[string]int{}, map[int]string{}}
	var infos []fs.FileInfo // by file number
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		n := slices.IndexFunc(infos, func(o fs.FileInfo) bool { return os.SameFile(o, info) })
		if n < 0 {
			n, infos = len(infos), append(infos, info)
		}
		d.names[relative(root, path)] = n
		if e.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		d.files[n] = string(data)
		return err
	})
	return d, err
}

func relative(root, path string) string {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(name)
}

// WriteTo makes the tree under root, an empty directory.
func (d Disk) WriteTo(root string) error {
	s := fsx.Scratch(root)
	first := map[int]string{}
	for _, name := range d.Names() {
		n := d.names[name]
		data, isFile := d.files[n]
		var err error
		switch old, linked := first[n]; {
		case !isFile:
			err = s.MkdirAll(name)
		case linked:
			err = os.Link(s.Path(old), s.Path(name))
		default:
			first[n] = name
			err = s.WriteFile(name, []byte(data))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Names is every name, sorted. What lies in a directory that is not there is
// not there either.
func (d Disk) Names() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		if d.reachable(name) {
			names = append(names, name)
		}
	}
	return names
}

func (d Disk) reachable(name string) bool {
	for at, r := range name {
		if r == '/' {
			if _, ok := d.names[name[:at]]; !ok {
				return false
			}
		}
	}
	return true
}

// File gives the contents of a file; ok is false if there is none of the name.
func (d Disk) File(name string) (data string, ok bool) {
	n, ok := d.names[name]
	if !ok || !d.reachable(name) {
		return "", false
	}
	data, ok = d.files[n]
	return data, ok
}

// SameFile tells whether two names are of one file.
func (d Disk) SameFile(a, b string) bool {
	x, xok := d.names[a]
	y, yok := d.names[b]
	return xok && yok && x == y
}

// String is the whole tree in one line of text, equal for equal trees.
func (d Disk) String() string {
	var b strings.Builder
	number := map[int]int{}
	for _, name := range d.Names() {
		n := d.names[name]
		if _, ok := number[n]; !ok {
			number[n] = len(number)
		}
		b.WriteString(name)
		if data, ok := d.files[n]; ok {
			b.WriteString("#" + strconv.Itoa(number[n]) + "=" + strconv.Quote(data))
		}
		b.WriteString(" ")
	}
	return b.String()
}

func (d Disk) clone() Disk { return Disk{maps.Clone(d.names), maps.Clone(d.files)} }
