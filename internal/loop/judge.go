package loop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/verify"
)

// infraReruns is how often checks run again that only their environment fails.
const infraReruns = 2

// Verify implements round.Host: the boundary first, and where that is clean the
// checks, on a tree that no process of the generator can reach any more.
func (h *host) Verify(ctx context.Context, s round.State) (round.Evidence, error) {
	c := s.Try.Candidate
	if errs, err := h.boundary(ctx, s); len(errs) > 0 || err != nil {
		return round.Evidence{Boundary: errs, Tree: c.Tree}, interruptedBy(ctx, err)
	}
	commit := c.Commit
	if commit == "" {
		commit = s.Claimed.Base // nothing was changed
	}
	dir, err := h.space.CheckTree(ctx, commit, nil)
	if err != nil {
		return round.Evidence{}, interruptedBy(ctx, err)
	}
	job := h.job(s, "verify")
	job.Dir, job.Tree, job.Base = dir, c.Tree, s.Preflight.Tests
	for _, change := range c.Changed {
		job.Changed = append(job.Changed, change.Path)
	}
	before, err := h.seal()
	if err != nil {
		return round.Evidence{}, err
	}
	h.noteRun(job.RunID, child.Proc{})
	ev, err := verify.Runner{}.Run(ctx, job)
	if err = errors.Join(err, h.forgetRun()); err != nil {
		return ev, interruptedBy(ctx, err)
	}
	if ev.Boundary, err = h.untouched(ctx, s, before); err != nil {
		return ev, interruptedBy(ctx, err)
	}
	return ev, h.unmoved(ctx, s, c)
}

// boundary lists the ways in which the candidate left its boundary.
func (h *host) boundary(ctx context.Context, s round.State) ([]signature.BoundaryError, error) {
	c := s.Try.Candidate
	if len(c.Changed)+len(c.Refused) == 0 {
		return nil, nil
	}
	builtin, err := h.builtin(ctx, s)
	if err != nil {
		return nil, err
	}
	if errs := verify.Boundary(s.Policy.Boundary, builtin, c); len(errs) > 0 {
		return errs, nil
	}
	return h.secrets(ctx, s)
}

// unmoved makes sure that checks in the checkout itself left the candidate as
// it was.
func (h *host) unmoved(ctx context.Context, s round.State, c round.Candidate) error {
	if !s.Policy.InPlace {
		return nil
	}
	snap, err := h.space.Snapshot(ctx)
	if err == nil && snap.Tree != c.Tree && len(snap.Changes)+len(c.Changed) > 0 {
		err = fmt.Errorf("the checks changed files in the checkout: let them write elsewhere, or use workspace.mode isolated")
	}
	return err
}

// interruptedBy tells a step that was ended from outside from one that failed.
func interruptedBy(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil || errors.Is(err, verify.ErrInterrupted) {
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	return err
}

// secrets looks for credentials in what the candidate adds. The patch that is
// kept does not show them.
func (h *host) secrets(ctx context.Context, s round.State) ([]signature.BoundaryError, error) {
	c := s.Try.Candidate
	if c.Commit == "" || s.Landed.Merged != nil { // what was merged was judged before
		return nil, nil
	}
	patch, err := h.patch(ctx, c.Commit)
	if err != nil {
		return nil, fmt.Errorf("look for secrets: %w", err)
	}
	return verify.Secrets(patch, h.secretValues()), nil
}

// redacted is data without the values that reach no record.
func (l *Loop) redacted(data []byte) []byte {
	for _, value := range l.secretValues() {
		data = bytes.ReplaceAll(data, []byte(value), []byte("[redacted]"))
	}
	return data
}

// job is a verification of the task's checks. Its logs get a folder of their
// own, since it may be repeated.
func (h *host) job(s round.State, name string) verify.Job {
	return verify.Job{
		Profiles: h.profiles(s), Home: h.cfg.Dir,
		LogDir: h.logDir(s, name), TaskDir: h.journal.Dir(), Temp: h.tempName("check"),
		Env: h.checkEnviron(), Sandbox: h.checkSandbox(h.commands(s)), RunID: h.runID(s), Redact: h.secretValues(),
		Masks: s.Policy.Masks, MaxOutput: int64(h.cfg.Records.MaxOutput), Grace: h.cfg.Generator.Grace.Std(),
		Left:        max(time.Second, (s.Policy.WallClock - s.Spent.WallClock).Std()),
		FlakyReruns: s.Policy.FlakyReruns, InfraReruns: infraReruns,
	}
}

// logDir is the first name of that kind that is not taken: the logs of a
// verification that was cut off stay.
func (h *host) logDir(s round.State, name string) string {
	base := h.taskFile(roundDir(s.Round), tryName(name, s))
	for dir, n := base, 2; ; n++ {
		if _, err := os.Lstat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s.%d", base, n)
	}
}

// profiles are those of every task, then the task's own, each once.
func (h *host) profiles(s round.State) []verify.Profile {
	var all []verify.Profile
	for _, name := range s.Policy.Always {
		all = append(all, verify.Profile{Name: name, Always: true, Checks: s.Policy.Profiles[name]})
	}
	for _, name := range s.Task.Verify {
		if !slices.Contains(s.Policy.Always, name) {
			all = append(all, verify.Profile{Name: name, Checks: s.Policy.Profiles[name]})
		}
	}
	return all
}

// commands are those of all checks of a task.
func (h *host) commands(s round.State) [][]string {
	var all [][]string
	for _, p := range h.profiles(s) {
		for _, c := range p.Checks {
			all = append(all, c.Run)
		}
	}
	return all
}

// builtin is what is protected although nobody asked for it.
func (h *host) builtin(ctx context.Context, s round.State) (verify.Builtin, error) {
	files, err := h.space.Files(ctx, s.Claimed.Base)
	return verify.NewBuiltin(config.FileName, s.Policy.Profiles, files), err
}
