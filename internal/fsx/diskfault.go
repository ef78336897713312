package fsx

import (
	"errors"
	"syscall"
)

// DiskFault reports that an error says the disk failed, is full or can't be
// written: what was meant to be kept may not be, and waiting mends nothing.
func DiskFault(err error) bool {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return errors.Is(err, ErrSync)
}
