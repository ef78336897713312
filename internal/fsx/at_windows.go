package fsx

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

const nonblock = 0

// openAt looks before and after it opens: the system has no flag that refuses
// links.
func openAt(d *Dir, name string, flag int, perm fs.FileMode) (*os.File, error) {
	before, err := d.root.Lstat(name)
	if err == nil && !before.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: d.join(name), Err: ErrNotRegular}
	}
	f, err := d.root.OpenFile(name, flag, perm)
	if err != nil || before == nil {
		return f, err
	}
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: d.join(name), Err: errors.Join(ErrNotRegular, err)}
	}
	return f, nil
}

func link(d *Dir, name string, to *Dir, as string) error {
	return os.Link(d.join(name), to.join(as))
}

func rename(d *Dir, name string, to *Dir, as string) error {
	return patiently(func() error { return os.Rename(d.join(name), to.join(as)) })
}

func renameNoReplace(*Dir, string, *Dir, string) error { return errors.ErrUnsupported }

func lacksNoReplace(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

func isLinkRefused(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION) ||
		errors.Is(err, windows.ERROR_TOO_MANY_LINKS)
}

// syncDir does nothing: the system gives no handle of a directory to flush.
func syncDir(*os.File) error { return nil }

func syncAll(*os.File) error { return nil }

// patiently tries for two seconds while a scanner or an indexer holds the file.
func patiently(f func() error) error {
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := f()
		held := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
			errors.Is(err, windows.ERROR_LOCK_VIOLATION)
		if !held || time.Now().After(end) {
			return err
		}
	}
}

func isCrossDevice(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }
