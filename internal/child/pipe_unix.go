//go:build linux || darwin

package child

import (
	"os"
	"syscall"
	"time"
)

// maxPipe bounds what drain reads. No pipe holds more, except where an
// administrator allows it.
const maxPipe = 4 << 20

// interrupt makes a Read that waits return os.ErrDeadlineExceeded.
func interrupt(f *os.File, _ <-chan struct{}) {
	// It is a pipe of our own, which supports deadlines.
	_ = f.SetReadDeadline(time.Unix(1, 0))
}

// drain reads what a pipe holds and does not wait for more. It tells whether
// the pipe was let go by all that held it.
func drain(f *os.File, buf []byte, take func([]byte)) (released bool) {
	_ = f.SetReadDeadline(time.Time{})
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	for total, n := 0, 0; total < maxPipe; total += n {
		var fault error
		err := raw.Read(func(fd uintptr) bool {
			n, fault = syscall.Read(int(fd), buf)
			return true // never wait
		})
		if err != nil || fault != nil {
			return false
		}
		if n == 0 {
			return true
		}
		take(buf[:n])
	}
	return false
}
