package loop

import (
	"context"
	"errors"
	"fmt"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/workspace"
)

// Generate implements round.Host. What the generator left is a commit when it
// returns, so that it never has to be looked at again.
func (h *host) Generate(ctx context.Context, s round.State) (round.Try, error) {
	tmp, err := h.tempDir()
	if err != nil {
		return round.Try{}, err
	}
	defer h.endTempDir(tmp)
	start, err := h.start(s, tmp)
	if err != nil {
		return round.Try{}, err
	}
	request, prompt, err := h.keepTold(s, start)
	if err != nil {
		return round.Try{}, err
	}
	// The note stands before the start: looprun may be killed in between.
	if err := h.writeRun(start.RunID, child.Proc{}); err != nil {
		return round.Try{}, err
	}
	before, err := h.seal()
	if err != nil {
		return round.Try{}, err
	}
	try, err := generator.Run(ctx, start)
	if err = errors.Join(err, h.forgetRun()); err != nil {
		return try, err
	}
	try.Request, try.Prompt, try.Sandbox = request, prompt, h.sandbox.level
	if try.Candidate, err = h.snapshot(ctx, s); err != nil {
		return try, err
	}
	try.Effects = h.effects(s)
	return h.unseal(s, try, start, before)
}

// strategy names what the try that was just started is an instance of, "" for
// the first. A retry is named here only: its request keeps the words of the one
// before, so that both have the same bytes.
func strategy(s round.State) recovery.Strategy {
	if s.Request.Repeat && s.Tries > 1 {
		return recovery.RetryStep
	}
	return s.Request.Strategy
}

// runID marks every process of a try. It is random, so that no other process
// can carry it by chance.
func (h *host) runID(s round.State) string {
	return fmt.Sprintf("%s-r%d-t%d-%s", h.journal.ID, s.Round, s.Tries, randomHex())
}

// changed tells whether the tree differs from the base.
func (h *host) changed(ctx context.Context) (bool, error) {
	snap, err := h.space.Snapshot(context.WithoutCancel(ctx))
	if errors.Is(err, workspace.ErrGone) {
		return true, nil
	}
	return len(snap.Changes)+len(snap.Refusals) > 0, err
}
