package fsxtest

import (
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// Only is the part of the tree below the directories, with their names.
func (d Disk) Only(dirs ...string) Disk {
	part := Disk{map[string]int{}, map[int]string{}}
	for name, n := range d.names {
		if !slices.ContainsFunc(dirs, func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }) {
			continue
		}
		part.names[name] = n
		if data, isFile := d.files[n]; isFile {
			part.files[n] = data
		}
	}
	return part
}

var seed = maphash.MakeSeed()

// key is a number that equal trees have in common and others, but for one pair
// in 2^64, have not.
func (d Disk) key() uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	number := map[int]int{}
	for _, name := range d.Names() {
		n := d.names[name]
		if _, ok := number[n]; !ok {
			number[n] = len(number)
		}
		data, isFile := d.files[n]
		fmt.Fprintf(&h, "%s\x00%d %t %d\x00", name, number[n], isFile, len(data))
		h.WriteString(data) // never fails
	}
	return h.Sum64()
}

func (d Disk) clone() Disk { return Disk{maps.Clone(d.names), maps.Clone(d.files)} }
