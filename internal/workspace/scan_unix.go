//go:build linux || darwin

package workspace

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Opening a pipe must not wait for its other end, and a link is not followed.
const nofollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

// A reader lists directories below a root without following a link and
// without paying for the path of every file. What it returns is valid until
// the next call: a tree has more directories than there should be garbage.
type reader struct {
	root    int
	block   []byte
	names   []string
	entries []entry
}

func openReader(root string) (*reader, error) {
	fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT || err == unix.ENOTDIR || err == unix.ELOOP {
		err := &fs.PathError{Op: "open", Path: root, Err: err}
		return nil, fmt.Errorf("%w: %w", ErrGone, err)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: root, Err: err}
	}
	return &reader{root: fd, block: make([]byte, 32<<10)}, nil
}

func (r *reader) close() { _ = unix.Close(r.root) }

// list stamps the entries of a directory, in no order. skip tells which names
// not to look at.
func (r *reader) list(dir string, skip func(name string) bool) ([]entry, error) {
	fd, err := r.open(dir)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := r.readNames(fd); err != nil {
		return nil, &fs.PathError{Op: "read", Path: dir, Err: err}
	}
	r.entries = r.entries[:0]
	for _, n := range r.names {
		if skip(n) {
			continue
		}
		var st unix.Stat_t
		err := unix.Fstatat(fd, n, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EACCES && unix.Fchmod(fd, 0o700) == nil {
			err = unix.Fstatat(fd, n, &st, unix.AT_SYMLINK_NOFOLLOW)
		}
		if err != nil {
			return nil, &fs.PathError{Op: "lstat", Path: join(dir, n), Err: err}
		}
		r.entries = append(r.entries, entry{Name: n, stamp: fromStat(&st)})
	}
	return r.entries, nil
}

// readNames reads all names of an open directory but "." and "..".
func (r *reader) readNames(fd int) error {
	r.names = r.names[:0]
	for {
		n, err := unix.ReadDirent(fd, r.block)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		for block := r.block[:n]; len(block) > 0; {
			var used int
			used, _, r.names = unix.ParseDirent(block, -1, r.names)
			block = block[used:]
		}
	}
}

// open opens a directory, giving its owner access first where the generator
// took that away.
func (r *reader) open(dir string) (int, error) {
	at := dir
	if at == "" {
		at = "."
	}
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(r.root, at, flags, 0)
	if err == unix.EACCES && unix.Fchmodat(r.root, at, 0o700, 0) == nil {
		fd, err = unix.Openat(r.root, at, flags, 0)
	}
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: at, Err: err}
	}
	return fd, nil
}

func fromStat(st *unix.Stat_t) stamp {
	return stamp{
		Mode: uint32(st.Mode), Links: uint32(st.Nlink), Size: st.Size,
		Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino,
	}
}

// stampOf is fromStat for a file that the standard library has looked at.
func stampOf(info fs.FileInfo) stamp { return sysStamp(info) }

// ownOnly tells whether a directory is the user's and nobody else can write to
// it. In a shared place like /var/tmp anybody could have made it.
func ownOnly(dir string) bool {
	var st unix.Stat_t
	err := unix.Lstat(dir, &st)
	return err == nil && uint32(st.Mode)&kindMask == kindDir && int(st.Uid) == os.Getuid() && st.Mode&0o022 == 0
}
