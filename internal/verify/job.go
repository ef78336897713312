package verify

import (
	"context"
	"errors"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
)

// ErrInterrupted is in the error of a verification that was ended from outside.
// It is no verdict: the checks run again.
var ErrInterrupted = errors.New("interrupted")

// A Profile is a named list of checks of loop.yaml.
type Profile struct {
	Name   string
	Always bool // runs for every task, so it must be green on the base
	Checks []round.Check
}

// A Job is one verification: a tree and what is to be run in it.
type Job struct {
	Dir      string // the tree; checks run in it, and may write in it
	Profiles []Profile
	Home     string // the folder of loop.yaml: where relative folders of hidden checks are
	LogDir   string // new for every verification: check-01.stdout and so on; made if missing
	TaskDir  string // paths in the evidence are relative to it
	Temp     string // what the name of its folder for temporary files begins with; "looprun-check-" if ""

	// Env is verification.env, as "NAME=value". Beside it a check gets PATH and
	// LANG, and HOME and TMPDIR that are made for this verification.
	Env   []string
	RunID string
	// Sandbox is what a check can reach beside the tree, HOME and TMPDIR.
	Sandbox   child.Sandbox
	Redact    []string
	Masks     []round.Mask
	MaxOutput int64
	Grace     time.Duration

	// Left is what the task has left of its time. A check that finds nothing
	// left is not started, and fails as one that ran into its own limit.
	Left        time.Duration
	FlakyReruns int // 0: a check that fails is not run again
	InfraReruns int

	// Base is what ran on the base, by check in order; Changed are the paths
	// that the candidate changed. Without Base no test can vanish.
	Base    []signature.Tests
	Changed []string
	Tree    string // noted in the evidence

	// SkipHidden leaves hidden checks out, on the base.
	SkipHidden bool
}

// A Runner runs checks.
type Runner struct {
	// Wait waits before checks that failed by the environment are run again,
	// and returns early with an error when the context is done. nil: a timer.
	Wait func(context.Context, time.Duration) error
}

// rerunWait is the first wait before an infra rerun; each further one doubles.
const rerunWait = 2 * time.Second

func (r Runner) wait(ctx context.Context, rerun int) error {
	d := rerunWait << rerun
	if r.Wait != nil {
		return r.Wait(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A step is one check at its place in the job.
type step struct {
	round.Check
	profile string
	n       int // from 0, over all profiles, hidden checks too
}

// steps lists the visible checks in order, then the hidden ones.
func (j Job) steps() (visible, hidden []step) {
	n := 0
	for _, p := range j.Profiles {
		for _, c := range p.Checks {
			s := step{Check: c, profile: p.Name, n: n}
			if n++; c.Hidden == "" {
				visible = append(visible, s)
			} else if !j.SkipHidden {
				hidden = append(hidden, s)
			}
		}
	}
	return visible, hidden
}
