package workspace

import (
	"strings"
	"syscall"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
)

// What git says, in its own language, when the disk is at fault.
var diskFaults = []struct {
	text  string
	errno syscall.Errno
}{
	{"No space left on device", syscall.ENOSPC},
	{"Out of diskspace", syscall.ENOSPC},
	{"Disk quota exceeded", syscall.EDQUOT},
	{"Read-only file system", syscall.EROFS},
	{"Input/output error", syscall.EIO},
}

// failed is the error of a git that ended with anything but 0. Not all of git's
// messages say why something could not be written, so a disk without room
// speaks for itself.
func (g *door) failed(c call, res child.Result) *gitError {
	e := &gitError{Args: c.args, Ended: res.Ended, Code: res.ExitCode, Stderr: string(res.Stderr.Tail)}
	for _, f := range diskFaults {
		if strings.Contains(e.Stderr, f.text) {
			e.disk = f.errno
			return e
		}
	}
	if res.Ended == child.Exit && (fsx.Full(g.cwd(c)) || fsx.Full(c.gitDir)) {
		e.disk = syscall.ENOSPC
	}
	return e
}

// Unwrap gives the fault of the disk, if that is what git met.
func (e *gitError) Unwrap() error {
	if e.disk == 0 {
		return nil
	}
	return e.disk
}
