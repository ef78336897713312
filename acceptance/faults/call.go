//go:build linux

package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A kind is where a system call has what it changes: in which arguments.
type kind struct {
	name      string
	dir, path int  // a directory, or here for one without, and a path from there
	todir, to int  // the new name, if there is one
	file      bool // a file that is open instead of a path
	fd        int  // its argument
	flags     int  // of opening; 0: none
	renames   bool
}

const here = -1

// calls are those that may change files, by number.
var calls = func() map[int]kind {
	all := map[int]kind{
		unix.SYS_OPENAT:          {name: "openat", path: 1, flags: 2},
		unix.SYS_MKDIRAT:         {name: "mkdirat", path: 1},
		unix.SYS_UNLINKAT:        {name: "unlinkat", path: 1},
		unix.SYS_RENAMEAT2:       {name: "renameat2", path: 1, todir: 2, to: 3, renames: true},
		unix.SYS_RENAMEAT:        {name: "renameat", path: 1, todir: 2, to: 3, renames: true},
		unix.SYS_LINKAT:          {name: "linkat", path: 1, todir: 2, to: 3, renames: true},
		unix.SYS_SYMLINKAT:       {name: "symlinkat", dir: 1, path: 2},
		unix.SYS_FCHMODAT:        {name: "fchmodat", path: 1},
		unix.SYS_TRUNCATE:        {name: "truncate", dir: here, path: 0},
		unix.SYS_FSYNC:           {name: "fsync", file: true},
		unix.SYS_FDATASYNC:       {name: "fdatasync", file: true},
		unix.SYS_SYNCFS:          {name: "syncfs", file: true},
		unix.SYS_FTRUNCATE:       {name: "ftruncate", file: true},
		unix.SYS_FALLOCATE:       {name: "fallocate", file: true},
		unix.SYS_WRITE:           {name: "write", file: true},
		unix.SYS_PWRITE64:        {name: "pwrite64", file: true},
		unix.SYS_WRITEV:          {name: "writev", file: true},
		unix.SYS_SENDFILE:        {name: "sendfile", file: true},
		unix.SYS_COPY_FILE_RANGE: {name: "copy_file_range", file: true, fd: 2},
	}
	for number, k := range older {
		all[number] = k
	}
	return all
}()

// A notice is what the kernel tells of a call that waits.
type notice struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// call reads from the caller what it is about to change.
func (n *notice) call() (Call, error) {
	k, known := calls[int(n.nr)]
	if !known {
		return Call{}, fmt.Errorf("unknown system call %d", n.nr)
	}
	c := Call{Name: k.name}
	var err error
	if k.file {
		c.Path, err = n.open(int32(n.args[k.fd]))
		return c, err
	}
	if c.Path, err = n.name(k.dir, k.path); err == nil && k.renames {
		c.To, err = n.name(k.todir, k.to)
	}
	return c, err
}

func (n *notice) proc(name string) string { return fmt.Sprintf("/proc/%d/%s", n.pid, name) }

// open is what a file of the caller is.
func (n *notice) open(fd int32) (string, error) {
	return os.Readlink(n.proc("fd/" + strconv.Itoa(int(fd))))
}

// name is a path of the caller's, made absolute.
func (n *notice) name(dir, path int) (string, error) {
	name, err := n.text(n.args[path])
	if err != nil || filepath.IsAbs(name) {
		return filepath.Clean(name), err
	}
	var base string
	if dir == here || int32(n.args[dir]) == unix.AT_FDCWD {
		base, err = os.Readlink(n.proc("cwd"))
	} else {
		base, err = n.open(int32(n.args[dir]))
	}
	return filepath.Join(base, name), err
}

// text reads a string of the caller's memory.
func (n *notice) text(at uint64) (string, error) {
	f, err := os.Open(n.proc("mem"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b [unix.PathMax]byte
	got, err := f.ReadAt(b[:], int64(at))
	if end := bytes.IndexByte(b[:got], 0); end >= 0 {
		return string(b[:end]), nil
	}
	return "", fmt.Errorf("read a path of process %d: %w", n.pid, err)
}

// process is the process that the calling thread belongs to.
func (n *notice) process() int {
	status, err := os.ReadFile(n.proc("status"))
	if err != nil {
		return 0 // it has gone meanwhile
	}
	_, rest, _ := strings.Cut(string(status), "\nTgid:")
	line, _, _ := strings.Cut(rest, "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}
