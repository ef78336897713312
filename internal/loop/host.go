package loop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// errInterrupted ends a pass in the middle of a step that bears repeating:
// what was under way is no verdict.
var errInterrupted = errors.New("interrupted")

// A host is what one task is played through.
type host struct {
	*worker
	journal *record.Journal
	unready task.Reason // of the last facts
	detail  string
}

// Facts implements round.Host.
func (h *host) Facts(ctx context.Context, s round.State) (round.Facts, error) {
	loop := h.store.Loop()
	now := h.opts.Now().UTC()
	f := round.Facts{Now: now, Draw: h.opts.Draw()}
	var err error
	if f.Cancel, err = record.Cancelled(loop, h.journal.ID); err != nil {
		return f, err
	}
	if f.Paused, err = record.PausedFor(loop, s.Claimed.At, now); err != nil {
		return f, err
	}
	if s.Next != round.Start || f.Cancel {
		return f, nil
	}
	if _, f.Pause, err = record.PauseFlag(loop); err != nil || f.Pause {
		return f, err
	}
	f.Unready, h.detail = h.ready(ctx, s)
	h.unready = f.Unready
	return f, nil
}

// Record implements round.Host: durable first, then visible.
func (h *host) Record(_ context.Context, events ...round.Event) error {
	before := h.journal.State()
	if err := h.journal.Append(h.opts.Now(), events...); err != nil {
		return err
	}
	if err := h.store.Render(h.journal); err != nil {
		return err
	}
	if err := h.store.Tell(h.journal); err != nil {
		return err
	}
	for _, e := range events {
		before = before.Apply(e)
		h.opts.Observer.Recorded(before, e)
	}
	return nil
}

// Wait implements round.Host. A short wait is made here, a longer one is left
// to a later pass while other tasks go on.
func (h *host) Wait(ctx context.Context, s round.State) (bool, error) {
	left := s.NotBefore.Sub(h.opts.Now())
	if left <= 0 {
		return true, nil
	}
	if left > s.Policy.InlineWait.Std() || s.Decision.Kind == task.Held {
		return record.Cancelled(h.store.Loop(), h.journal.ID)
	}
	over := time.NewTimer(left)
	defer over.Stop()
	look := time.NewTicker(cancelPoll)
	defer look.Stop()
	for {
		select {
		case <-over.C:
			return true, nil
		case <-ctx.Done():
			return false, nil
		case <-look.C:
			if cancelled, err := record.Cancelled(h.store.Loop(), h.journal.ID); cancelled || err != nil {
				return true, err
			}
		}
	}
}

// cancelPoll bounds how long a cancelled task goes on waiting.
const cancelPoll = 500 * time.Millisecond

// idle says why Play did nothing: what the facts said before a start, or a
// wait that is left to a later pass.
func (h *host) idle(ctx context.Context, s round.State) task.Reason {
	switch {
	case ctx.Err() != nil:
		return task.SignalReceived
	case s.Next == round.Wait:
		return s.Decision.Reason
	case h.unready != "":
		return h.unready
	}
	return task.PauseFlag
}

// left is what a pass tells of a task that it leaves before its end.
func (h *host) left(s round.State, reason task.Reason) *record.PassView {
	state := record.NewStateView(s, h.journal.Head())
	v := &record.PassView{
		Decision: task.Interrupted, Reason: reason, TaskID: h.journal.ID,
		CompletedRound: state.Round, NextRound: state.NextRound,
		Signature: s.Streak.Signature, ChainHead: h.journal.Head(),
	}
	switch {
	case s.Next == round.Wait:
		v.Decision, v.NotBefore = s.Decision.Kind, s.NotBefore.UTC().Format(time.RFC3339)
		v.Advice, v.Detail = s.Decision.Advice, s.Decision.Detail
	case h.unready != "" && reason == h.unready:
		v.Decision, v.Detail = task.Held, h.detail
	}
	if roundReady(s) {
		v.Plan = filepath.ToSlash(filepath.Join(LoopDir, "tasks", h.journal.ID, record.PlanFile(s.Round)))
	}
	return v
}

// taskFile is a path below the task's records.
func (h *host) taskFile(parts ...string) string {
	return filepath.Join(append([]string{h.journal.Dir()}, parts...)...)
}

// roundDir is the directory of the round's requests and logs, below the task's.
func roundDir(n int) string { return filepath.Join("attempts", fmt.Sprintf("round-%03d", n)) }
