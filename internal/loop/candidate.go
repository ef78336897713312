package loop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/workspace"
)

// snapshot reads the work tree and makes what changed a commit.
func (h *host) snapshot(ctx context.Context, s round.State) (round.Candidate, error) {
	ctx = context.WithoutCancel(ctx) // an interrupted try has a candidate too
	snap, err := h.space.Snapshot(ctx)
	if errors.Is(err, workspace.ErrGone) { // whoever takes it away left no candidate
		return round.Candidate{Refused: []signature.BoundaryError{{Code: "tampered", Path: "."}}}, nil
	}
	if err != nil {
		return round.Candidate{}, err
	}
	c := candidate(snap)
	if snap.Tree == "" || len(snap.Changes) == 0 {
		return c, nil
	}
	if c.Commit, err = h.space.Commit(ctx, snap, h.meta(s)); err != nil {
		return c, err
	}
	patch, err := h.patch(ctx, c.Commit)
	if err != nil {
		return c, err
	}
	c.Patch, err = h.keepFile(filepath.Join(roundDir(s.Round), tryName("candidate", s)+".patch"), h.redacted(patch))
	return c, err
}

// patch is what a candidate changes. That of the last one is remembered: it is
// kept, and then looked through for secrets.
func (h *host) patch(ctx context.Context, commit string) ([]byte, error) {
	if h.patched != commit {
		data, err := h.space.Patch(ctx, commit)
		if err != nil {
			return nil, err
		}
		h.patched, h.lastPatch = commit, data
	}
	return h.lastPatch, nil
}

// meta is what the candidate's commit says. It is the same whenever the commit
// is made: its time is that of the start.
func (h *host) meta(s round.State) workspace.Meta {
	return workspace.Meta{
		Task: h.journal.ID, Title: s.Task.Title, Round: s.Round, Try: s.Tries, At: s.Now,
		Trailers: [][2]string{{"Looprun-Chain", h.journal.Head()}},
	}
}

func candidate(snap workspace.Snapshot) round.Candidate {
	c := round.Candidate{Base: snap.Base, Tree: snap.Tree, Ignored: snap.IgnoredNew}
	for _, one := range snap.Changes {
		c.Lines += one.Added + one.Deleted
		c.Changed = append(c.Changed, round.Change{
			Path: one.Path, Status: string(one.Status), OldMode: mode(one.OldMode), NewMode: mode(one.NewMode),
			Added: one.Added, Deleted: one.Deleted, Size: one.Size, Binary: one.Binary,
		})
	}
	for _, r := range snap.Refusals {
		c.Refused = append(c.Refused, signature.BoundaryError{Code: r.Code, Path: r.Path})
	}
	return c
}

func mode(m uint32) string {
	if m == 0 {
		return ""
	}
	return fmt.Sprintf("%06o", m)
}
