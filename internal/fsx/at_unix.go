//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package fsx

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Opening a pipe must not wait for somebody to open its other end.
const nonblock = unix.O_NONBLOCK

// openAt opens name in d and follows no link. os.Root would follow one that
// stays inside.
func openAt(d *Dir, name string, flag int, perm fs.FileMode) (*os.File, error) {
	for {
		fd, err := unix.Openat(d.fd(), name, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(perm))
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), d.join(name)), nil
		case unix.EINTR:
		case unix.ELOOP, unix.EMLINK, unix.ENXIO, unix.EISDIR: // a link, a pipe or socket, a directory
			return nil, &fs.PathError{Op: "open", Path: d.join(name), Err: errors.Join(ErrNotRegular, err)}
		default:
			return nil, &fs.PathError{Op: "open", Path: d.join(name), Err: err}
		}
	}
}

func link(d *Dir, name string, to *Dir, as string) error {
	return linkError("link", d, name, to, as, unix.Linkat(d.fd(), name, to.fd(), as, 0))
}

func rename(d *Dir, name string, to *Dir, as string) error {
	return linkError("rename", d, name, to, as, unix.Renameat(d.fd(), name, to.fd(), as))
}

func renameNoReplace(d *Dir, name string, to *Dir, as string) error {
	return linkError("rename", d, name, to, as, renameExclusive(d.fd(), name, to.fd(), as))
}

// lacksNoReplace tells a kernel or a file system that has no such rename.
func lacksNoReplace(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

// isLinkRefused tells a file system, or a kernel's rule about other people's
// files, that takes no links from an error that a rename would meet as well.
func isLinkRefused(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP) ||
		errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EMLINK)
}

func linkError(op string, d *Dir, name string, to *Dir, as string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: d.join(name), New: to.join(as), Err: err}
}

// fd is safe to use while d is open: the file that owns it is reachable.
func (d *Dir) fd() int { return int(d.self.Fd()) }

func syncDir(f *os.File) error { return f.Sync() }

// patiently is for systems on which a scanner may hold a file for a moment.
func patiently(f func() error) error { return f() }

func isCrossDevice(err error) bool { return errors.Is(err, unix.EXDEV) }
