package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// ErrTooLarge is in the error of Read for a file of more than the bytes allowed.
var ErrTooLarge = errors.New("file too large")

// ErrNotRegular is in the error of Read and Move for a link, a directory, a
// pipe, a socket or a device. None of them is opened or followed.
var ErrNotRegular = errors.New("not a regular file")

// Read returns the contents of a regular file of at most max bytes.
func (d *Dir) Read(name string, max int64) ([]byte, error) {
	data, err := d.read(name, max)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", d.join(name), err)
	}
	return data, nil
}

func (d *Dir) read(name string, max int64) ([]byte, error) {
	if dir, base := path.Split(name); dir != "" {
		sub, err := d.Sub(path.Clean(dir))
		if err != nil {
			return nil, err
		}
		defer sub.Close()
		return sub.read(base, max)
	}
	if err := d.single(name); err != nil {
		return nil, err
	}
	f, err := openAt(d, name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, max)
}

func readRegular(f *os.File, max int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	if info.Size() > max {
		return nil, ErrTooLarge
	}
	// One byte more shows the end of the file, or that the file grew.
	buf := make([]byte, info.Size()+1)
	n, err := io.ReadFull(f, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return buf[:n], nil
	}
	if err != nil {
		return nil, err
	}
	rest, err := io.ReadAll(io.LimitReader(f, max-int64(n)+1))
	if buf = append(buf, rest...); int64(len(buf)) > max {
		return nil, ErrTooLarge
	}
	return buf, err
}

// ReadDir lists the directory, in no particular order.
func (d *Dir) ReadDir() ([]fs.DirEntry, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", d.path, err)
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", d.path, err)
	}
	return entries, nil
}

// Names lists the names in the directory, in no particular order. It asks
// nothing about the files, so it is the cheapest listing.
func (d *Dir) Names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", d.path, err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", d.path, err)
	}
	return names, nil
}

// Lstat describes what stands under name, and follows no link there.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	return d.root.Lstat(filepath.FromSlash(name))
}

// Stat describes the directory that is open, wherever its path leads by now.
func (d *Dir) Stat() (fs.FileInfo, error) { return d.self.Stat() }

func (d *Dir) isRegular(name string) error {
	info, err := d.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	return err
}
