//go:build linux

// Package faults runs a whole process under a supervisor that sees each of its
// changes to files before it is made, in one order over all its threads and
// children, and can kill it there or let the change fail. It serves tests only.
//
// The supervisor is a filter of system calls that asks another process
// (seccomp's user notification). It needs no privileges, only a kernel that has
// it.
package faults

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// A Call is a system call that is about to change something below the root.
type Call struct {
	N    int    // its place among all, from 1
	Name string // as the kernel's: renameat2, fsync, ...
	Path string // what it changes
	To   string // the new name, if it gives one
	Main bool   // by the program itself, not by one that it started
}

func (c Call) String() string {
	who := "by a child"
	if c.Main {
		who = "by itself"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %s", c.N, c.Name, c.Path, c.To)) + " " + who
}

// An Order is what happens at a call. The zero value lets it pass.
type Order struct {
	Kill  bool       // the program, by SIGKILL, before the call
	Tree  bool       // and whoever makes the call
	Errno unix.Errno // takes the place of the call
	Skip  bool       // the call is told to have been made, and is not
}
