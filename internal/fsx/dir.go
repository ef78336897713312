// Package fsx is the only door to durable writes. What it reports as written is
// written: contents are fsynced before a name shows them, directories are
// fsynced after their entries change, nothing is replaced unless the method is
// called Replace or View, and a failed fsync ends all writing for good.
//
// It must never retry an fsync, follow a link that an outsider planted, or let
// a name leave its directory.
//
// On Linux all of it holds. On macOS fsync is a full flush of the drive. On
// Windows directories cannot be synced: entries may be lost by a power cut,
// never by the death of the process.
package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Owners alone read what looprun writes: prompts and logs may hold anything.
const (
	filePerm = 0o600
	dirPerm  = 0o700
)

// A Dir is an open directory. It goes on naming the same directory when a path
// above it is renamed or replaced. Methods that change something take a single
// name; methods that read also take a slash-separated path below the directory.
type Dir struct {
	*shared
	path string
	root *os.Root
	self *os.File // the directory itself: fsync and the *at calls need it
}

// Open opens the directory at path, which must exist. The seam, if one is
// given, sees every change made through the Dir and through its Subs.
func Open(path string, seam ...Seam) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open directory %q: %w", path, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open directory %q: %w", path, err)
	}
	s := &shared{}
	if len(seam) > 0 {
		s.seam = seam[0]
	}
	return newDir(s, abs, root)
}

// MkdirAll makes the directory at path and what is missing above it, each
// entry durable, and opens it.
func MkdirAll(path string, seam ...Seam) (*Dir, error) {
	d, err := Open(path, seam...)
	if !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("make directory %q: %w", path, err)
	}
	parent, err := MkdirAll(filepath.Dir(abs), seam...)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	if err := parent.Mkdir(filepath.Base(abs)); err != nil {
		return nil, err
	}
	return Open(abs, seam...)
}

func newDir(s *shared, path string, root *os.Root) (*Dir, error) {
	self, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("open directory %q: %w", path, err)
	}
	return &Dir{shared: s, path: path, root: root, self: self}, nil
}

// Close lets go of the directory. Open Logs and Subs live on.
func (d *Dir) Close() error {
	return errors.Join(d.self.Close(), d.root.Close())
}

// Path is the absolute path that the directory had when it was opened.
func (d *Dir) Path() string { return d.path }

// Sub opens a directory below d. It shares d's seam, and d's end after a
// failed fsync.
func (d *Dir) Sub(name string) (*Dir, error) {
	root, err := d.root.OpenRoot(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("open directory %q: %w", d.join(name), err)
	}
	return newDir(d.shared, d.join(name), root)
}

// Mkdir makes a directory in d, durably. One that is there already is made
// durable too: the process that made it may have died before its fsync.
func (d *Dir) Mkdir(name string) error { return d.Mkdirs(name) }

// Mkdirs is Mkdir for several names, which become durable together.
func (d *Dir) Mkdirs(names ...string) error {
	for _, name := range names {
		if err := d.mkdir(name); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	}
	return d.Sync()
}

func (d *Dir) mkdir(name string) error {
	if err := d.single(name); err != nil {
		return err
	}
	err := d.do(Op{Kind: OpMkdir, Path: d.join(name)}, func() error { return d.root.Mkdir(name, dirPerm) })
	if errors.Is(err, fs.ErrExist) {
		return d.isDir(name)
	}
	return err
}

func (d *Dir) isDir(name string) error {
	info, err := d.root.Lstat(name)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%q is in the way: %w", d.join(name), fs.ErrExist)
	}
	return err
}

func (d *Dir) join(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// single refuses a name that is not one plain path element.
func (d *Dir) single(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || !filepath.IsLocal(name) || filepath.Base(name) != name {
		return fmt.Errorf("%q in %q: %w", name, d.path, errName)
	}
	return nil
}

var errName = errors.New("not a plain file name")
