package loop

import (
	"context"
	"errors"
	"fmt"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// ready makes the work tree what the next start asks for, or says what is in
// the way of it. Nothing of that is the task's fault. A disk that fails is no
// state to wait in: it ends the pass.
func (h *host) ready(ctx context.Context, s round.State) (task.Reason, string, error) {
	if reason, detail, err := h.unfit(ctx, h.space); reason != "" || err != nil {
		return reason, detail, err
	}
	switch err := h.prepare(ctx, s); {
	case fsx.DiskFault(err):
		return "", "", err
	case err != nil:
		return task.WorkspaceResetFailed, err.Error(), nil
	}
	return "", "", nil
}

// prepare makes the work tree the base where the request asks for that, else
// what the try before left in it, also where another task had the tree meanwhile.
func (h *host) prepare(ctx context.Context, s round.State) error {
	prepared, base, ok := h.space.Prepared()
	if mine := ok && prepared == h.journal.ID && base == s.Claimed.Base; s.Request.Reset && mine && !s.Policy.InPlace {
		return h.space.Reset(ctx)
	}
	err := h.space.Prepare(ctx, h.journal.ID, s.Claimed.Base)
	left := s.Try.Candidate
	if err != nil || s.Request.Reset || s.Policy.InPlace || left.Commit == "" {
		return err
	}
	snap, err := h.space.Snapshot(ctx)
	if err == nil && snap.Tree == left.Tree || err != nil && !errors.Is(err, workspace.ErrGone) {
		return err
	}
	return h.space.Restore(ctx, left.Commit)
}

// unfit says what keeps looprun from beginning anything at all.
func (p *pass) unfit(ctx context.Context, space *workspace.Space) (task.Reason, string, error) {
	if free, err := fsx.Free(p.store.Path()); err == nil && free < int64(p.cfg.Queue.DiskFloor) {
		return task.DiskFull, fmt.Sprintf("%d MiB are free, below queue.disk_floor", free>>20), nil
	}
	if p.cfg.Workspace.Mode != config.InPlace {
		return "", "", nil
	}
	dirty, err := space.Dirty(ctx)
	switch {
	case fsx.DiskFault(err):
		return "", "", err
	case err != nil:
		return task.DirtyWorktree, err.Error(), nil
	case len(dirty) > 0:
		return task.DirtyWorktree, fmt.Sprintf("uncommitted changes in %s: commit or remove them first", enumerate(dirty)), nil
	}
	return "", "", nil
}
