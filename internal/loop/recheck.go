package loop

import (
	"context"
	"errors"
	"fmt"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/verify"
)

// Recheck runs the checks of a task again, as its journal has them, on the
// commit that it was accepted or rejected with. The journal is not written to.
func (l *Loop) Recheck(ctx context.Context, id string) (ev round.Evidence, err error) {
	j, err := l.store.Task(id)
	if err != nil {
		return ev, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	s := j.State()
	commit := s.Try.Candidate.Commit
	if s.Policy.InPlace || commit == "" {
		return ev, fmt.Errorf("check %s again: no commit of it was kept", id)
	}
	h := &host{worker: &worker{pass: &pass{Loop: l}, space: l.spaces[0]}, journal: j}
	job := h.job(s, "recheck")
	if job.Dir, err = h.space.CheckTree(ctx, commit, nil); err != nil {
		return ev, fmt.Errorf("check %s again: %w", id, err)
	}
	job.Base, job.Tree = s.Preflight.Tests, s.Try.Candidate.Tree
	for _, change := range s.Try.Candidate.Changed {
		job.Changed = append(job.Changed, change.Path)
	}
	return verify.Runner{}.Run(ctx, job)
}
