//go:build linux || darwin

package child

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const slashes = "/"

const (
	errNoExec = syscall.ENOEXEC
	errBusy   = syscall.ETXTBSY
)

// executable returns path, or the code for why it cannot be started.
func executable(path string) (string, int) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", codeNotFound
	case info.IsDir() || unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS) != nil:
		return "", codeNotExecutable
	}
	return path, 0
}

// signalOf names the signal that ended a command, "" if none did.
func signalOf(state *os.ProcessState) string {
	if s, ok := state.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return unix.SignalName(s.Signal())
	}
	return ""
}
