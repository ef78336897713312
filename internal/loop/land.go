package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// Land implements round.Host. A refusal is an outcome, not an error: the
// candidate is kept and handed over once what is in the way is gone.
func (h *host) Land(ctx context.Context, s round.State) (round.Landed, error) {
	l := workspace.Landing{
		Task: h.journal.ID, Commit: s.Try.Candidate.Commit, Mode: s.Policy.Land,
		Branch: strings.ReplaceAll(h.cfg.Land.Branch, "{id}", h.journal.ID), At: s.Now,
	}
	if s.Landed.Merged != nil { // the merge passed the checks
		l.Merged = s.Landed.Merged.Commit
	}
	done, err := h.space.Land(ctx, l)
	var refused *workspace.LandError
	for again := 0; l.Mode == "merge" && errors.As(err, &refused) && again < 3; again++ {
		done, err = h.space.Land(ctx, l) // the base moved under it: that makes another merge
	}
	var conflict *workspace.Conflict
	switch {
	case fsx.DiskFault(err): // the next run repeats it
		return round.Landed{}, err
	case errors.As(err, &conflict):
		return round.Landed{Mode: l.Mode, Reason: task.MergeConflict, Detail: conflict.Error()}, nil
	case errors.As(err, &refused):
		return round.Landed{Mode: l.Mode, Reason: task.LandFailed, Detail: refused.Error()}, nil
	case err != nil:
		return round.Landed{}, err
	}
	out := round.Landed{Mode: done.Mode, Branch: done.Branch, Commit: done.Commit, Note: done.Note}
	if done.Verify != "" {
		out.Merged = &round.Candidate{Commit: done.Verify}
	}
	if l.Mode == "patch" {
		out.Patch = s.Try.Candidate.Patch
	}
	return out, nil
}

// Finish implements round.Host: each rejected round stays reachable, and the
// tree is free for the next task.
func (h *host) Finish(ctx context.Context, s round.State) (round.Finished, error) {
	done := round.Finished{Workspace: "reset"}
	if s.Policy.InPlace {
		done.Workspace = "left"
	}
	for n, try := range s.Rejected() {
		ref, err := h.space.Archive(ctx, h.journal.ID, n, try.N, try.Candidate.Commit)
		if err != nil {
			return done, fmt.Errorf("keep round %d: %w", n, err)
		}
		done.RejectedRefs = append(done.RejectedRefs, ref)
	}
	if err := h.space.Release(h.journal.ID); err != nil {
		return done, err
	}
	return done, h.endExchange()
}

// GC goes through what is kept in the repository of tasks that have ended.
func (l *Loop) GC(ctx context.Context, w workspace.Sweep) ([]workspace.Garbage, error) {
	active, err := l.store.Active()
	if err != nil {
		return nil, err
	}
	w.Active = active
	return l.spaces[0].GC(ctx, w)
}
