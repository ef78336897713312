//go:build freebsd || netbsd || openbsd || dragonfly

package fsx

import (
	"os"

	"golang.org/x/sys/unix"
)

func renameExclusive(int, string, int, string) error { return unix.ENOSYS }

func syncAll(f *os.File) error { return f.Sync() }
