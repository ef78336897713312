package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Scratch is the path of a directory for files that may be lost: logs,
// requests, work trees. Nothing here is fsynced, atomic or seen by a Seam, and
// links on the way are followed, so never use it where a stranger can write. A
// name is a path below the directory, "" the directory itself.
type Scratch string

// Path is where name stands.
func (s Scratch) Path(name string) string { return filepath.Join(string(s), name) }

// WriteFile writes or overwrites a file that only the owner can read.
func (s Scratch) WriteFile(name string, data []byte) error {
	return os.WriteFile(s.Path(name), data, filePerm)
}

// WriteMode writes or overwrites a file and gives it mode, whatever the umask.
func (s Scratch) WriteMode(name string, data []byte, mode fs.FileMode) error {
	if err := os.WriteFile(s.Path(name), data, mode); err != nil {
		return err
	}
	return os.Chmod(s.Path(name), mode)
}

// OpenFile is os.OpenFile with the owner's permissions for a new file.
func (s Scratch) OpenFile(name string, flag int) (*os.File, error) {
	return os.OpenFile(s.Path(name), flag, filePerm)
}

// MkdirAll makes a directory and what is missing above it.
func (s Scratch) MkdirAll(name string) error { return os.MkdirAll(s.Path(name), dirPerm) }

// MkdirTemp makes a new directory with a random name, in the system's place
// for temporary files if s is "".
func (s Scratch) MkdirTemp(pattern string) (Scratch, error) {
	path, err := os.MkdirTemp(string(s), pattern)
	return Scratch(path), err
}

// Rename gives a file or directory another name in s, replacing a file there.
func (s Scratch) Rename(name, to string) error { return os.Rename(s.Path(name), s.Path(to)) }

// Symlink makes name a link to target, which is taken as it is.
func (s Scratch) Symlink(target, name string) error { return os.Symlink(target, s.Path(name)) }

// Chmod sets the mode of a file.
func (s Scratch) Chmod(name string, mode fs.FileMode) error { return os.Chmod(s.Path(name), mode) }

// Chtimes sets the modification time of a file.
func (s Scratch) Chtimes(name string, t time.Time) error { return os.Chtimes(s.Path(name), t, t) }

// Remove takes a file or an empty directory away.
func (s Scratch) Remove(name string) error { return os.Remove(s.Path(name)) }

// RemoveAll takes a file or a whole tree away, also directories that their
// owner made read-only, as module caches are. What is not there is no error.
func (s Scratch) RemoveAll(name string) error {
	path := s.Path(name)
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// Errors of the walk do not matter: what is still in the way says so below.
	_ = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && err == nil {
			_ = os.Chmod(p, dirPerm)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// CopyFile makes name a copy of the regular file at from, with its mode and
// modification time. The copy shares the disk blocks where the file system can.
func (s Scratch) CopyFile(from, name string) error {
	if err := copyFile(from, s.Path(name)); err != nil {
		return fmt.Errorf("copy %q to %q: %w", from, s.Path(name), err)
	}
	return nil
}

func copyFile(from, to string) (err error) {
	src, err := os.OpenFile(from, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, filePerm)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	if clone(dst, src) != nil {
		if _, err := io.Copy(dst, src); err != nil {
			return err
		}
	}
	if err := dst.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
