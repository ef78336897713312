//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// Refused is the exit code of Launch where there can be no supervisor.
const Refused = 125

// channel is the file through which a launched process hands over the file
// that asks.
const channel = 3

// Launch is the main function of the process that Run starts: it lets itself be
// supervised and becomes the program that its arguments name.
func Launch() {
	if err := launch(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "no supervisor:", err)
		os.Exit(Refused)
	}
}

func launch(argv []string) error {
	runtime.LockOSThread() // the filter is the thread's that starts the program
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	fd, err := install()
	if err != nil {
		return fmt.Errorf("seccomp user notification: %w", err)
	}
	if err := unix.Sendmsg(channel, []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
		return err
	}
	unix.CloseOnExec(channel)
	return unix.Exec(path, argv, os.Environ())
}
