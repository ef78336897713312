package fsx

import (
	"os"

	"golang.org/x/sys/unix"
)

// clone makes the empty file dst share the blocks of src.
func clone(dst, src *os.File) error { return unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) }
