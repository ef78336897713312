package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize saves a busy child and its reader most of their switches.
const pipeSize = 256 << 10

// widen gives a pipe more room, where the user still may have some.
func widen(f *os.File) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}
