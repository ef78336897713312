package fsx

import (
	"os"

	"golang.org/x/sys/unix"
)

func renameExclusive(fd int, name string, tofd int, as string) error {
	return unix.RenameatxNp(fd, name, tofd, as, unix.RENAME_EXCL)
}

func syncAll(f *os.File) error { return f.Sync() }
