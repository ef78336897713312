package fsx

import (
	"os"

	"golang.org/x/sys/unix"
)

func renameExclusive(fd int, name string, tofd int, as string) error {
	return unix.Renameat2(fd, name, tofd, as, unix.RENAME_NOREPLACE)
}

func syncAll(f *os.File) error {
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return os.NewSyscallError("syncfs", err)
	}
	return nil
}
