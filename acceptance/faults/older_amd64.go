//go:build linux

package faults

import "golang.org/x/sys/unix"

// The calls of before there were directories to start from; git makes them.
var older = map[int]kind{
	unix.SYS_OPEN:    {name: "open", dir: here, path: 0, flags: 1},
	unix.SYS_CREAT:   {name: "creat", dir: here, path: 0},
	unix.SYS_MKDIR:   {name: "mkdir", dir: here, path: 0},
	unix.SYS_RMDIR:   {name: "rmdir", dir: here, path: 0},
	unix.SYS_UNLINK:  {name: "unlink", dir: here, path: 0},
	unix.SYS_RENAME:  {name: "rename", dir: here, path: 0, todir: here, to: 1, renames: true},
	unix.SYS_LINK:    {name: "link", dir: here, path: 0, todir: here, to: 1, renames: true},
	unix.SYS_SYMLINK: {name: "symlink", dir: here, path: 1},
	unix.SYS_CHMOD:   {name: "chmod", dir: here, path: 0},
}
