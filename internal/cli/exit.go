package cli

import (
	"context"
	"errors"
	"io/fs"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// The exit codes. The first that applies is taken, in the order of exitCode.
const (
	exitOK        = 0
	exitFailed    = 1  // looprun itself failed
	exitInput     = 2  // a task needs input
	exitBlocked   = 3  // a task was blocked, or a file quarantined
	exitUsage     = 64 // an unknown flag or argument
	exitBadTask   = 65 // a task file is not valid
	exitNoTask    = 66 // no such task
	exitHeld      = 69 // held by a cause that a person must fix
	exitIO        = 74 // I/O error, state kept
	exitNotNow    = 75 // paused, busy, or everything left is deferred
	exitConfig    = 78 // loop.yaml is not valid
	exitOutOfTime = 124
	exitSignal    = 128 // and the number of the signal
)

// A coded is an error with its exit code. One without a text was told already.
type coded struct {
	code int
	err  error
}

func (c *coded) Error() string {
	if c.err == nil {
		return ""
	}
	return c.err.Error()
}

func (c *coded) Unwrap() error { return c.err }

func withCode(code int, err error) error {
	if code == exitOK {
		return err
	}
	return &coded{code, err}
}

// exitCode is what the process ends with after err.
func exitCode(err error) int {
	var c *coded
	var sig *signalled
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &sig):
		return exitSignal + int(sig.Signal)
	case ioFault(err):
		return exitIO
	case errors.As(err, &c):
		return c.code
	case errors.Is(err, errNoTask):
		return exitNoTask
	case errors.Is(err, record.ErrSpend):
		return exitIO
	case errors.Is(err, record.ErrBusy):
		return exitNotNow
	case errors.Is(err, queue.ErrUnfit), errors.Is(err, workspace.ErrInside), errors.Is(err, workspace.ErrNoBase),
		errors.Is(err, loop.ErrSandbox):
		return exitConfig
	case unfitRepository(err):
		return exitHeld
	}
	return exitFailed
}

// unfitRepository reports a repository that looprun can't work on as it is.
func unfitRepository(err error) bool {
	for _, cause := range []error{
		workspace.ErrNoRepository, workspace.ErrSubdirectory, workspace.ErrBare, workspace.ErrNoCommit,
		workspace.ErrUnsupported, workspace.ErrOldGit, workspace.ErrNoGit,
	} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// ioFault reports that the disk failed or is full, or that a file may not be
// touched.
func ioFault(err error) bool {
	return fsx.DiskFault(err) || errors.Is(err, fs.ErrPermission) && !errors.Is(err, context.Canceled)
}

// passCode is what a pass that made no error ends with.
func passCode(p loop.Pass) int {
	switch {
	case p.Quarantined > 0 || ended(p, task.Blocked):
		return exitBlocked
	case ended(p, task.NeedsInput):
		return exitInput
	case needsPerson(p):
		return exitHeld
	case p.OutOfTime:
		return exitOutOfTime
	case notNow(p):
		return exitNotNow
	}
	return exitOK
}

func ended(p loop.Pass, kind task.Decision) bool {
	for _, e := range p.Ended {
		if e.Decision == kind {
			return true
		}
	}
	return false
}

// mended are the holds that only a person can end; the others end by time.
var mended = map[task.Reason]bool{
	task.Auth: true, task.ModelNotFound: true, task.ToolUnavailable: true, task.DiskFull: true,
	task.BaselineRed: true, task.CheckReadsOtherTree: true, task.CheckNotInBase: true, task.CheckEnvironment: true,
	task.GeneratorBroken: true, task.DirtyWorktree: true, task.LandFailed: true, task.WorkspaceResetFailed: true,
}

func needsPerson(p loop.Pass) bool {
	for _, l := range p.Left {
		if l.Decision == task.Held && mended[l.Reason] {
			return true
		}
	}
	return mended[p.Reason]
}

// notNow reports that something is left which only time, or the end of a pause,
// brings on. What waits for other tasks does not count.
func notNow(p loop.Pass) bool {
	if p.Reason != "" || len(p.Left) > 0 {
		return true
	}
	for _, w := range p.Waiting {
		if w.Why != "after" {
			return true
		}
	}
	return false
}
