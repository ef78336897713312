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
	heldNow bool // by a decision of this pass: only time ends that here
	aside   bool // the task waits, and another may go on meanwhile

	patched   string // the commit of lastPatch
	lastPatch []byte
}

// Record implements round.Host: durable first, then visible, then known to all
// tasks.
func (h *host) Record(ctx context.Context, events ...round.Event) error {
	s := h.journal.State()
	if err := h.journal.Append(h.opts.Now(), events...); err != nil {
		return err
	}
	if err := h.store.Render(h.journal); err != nil {
		return err
	}
	if err := h.store.Tell(h.journal); err != nil {
		return err
	}
	if err := h.accounts.Count(h.journal); err != nil {
		return err
	}
	for _, e := range events {
		before := s
		s = s.Apply(e)
		h.opts.Observer.Recorded(s, e)
		if err := h.learn(ctx, before, s, e); err != nil {
			return err
		}
		if e.Kind == round.Decide {
			h.heldNow = h.heldNow || s.Decision.Kind == task.Held
			h.notifyHeld(ctx, before, s)
		}
	}
	return nil
}

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
	case roundReady(s):
		return task.PausedAfterReplan
	}
	return task.PauseFlag
}

// left is what a pass tells of a task that it leaves before its end.
func (h *host) left(s round.State, reason task.Reason) *record.PassView {
	v := h.unended(s, reason)
	switch {
	case s.Next == round.Wait:
		v.Decision, v.NotBefore = s.Decision.Kind, h.lookAgain(s).UTC().Format(time.RFC3339)
		v.Advice, v.Detail = s.Decision.Advice, s.Decision.Detail
	case reason == task.SignalReceived && errors.Is(h.stop.Err(), context.DeadlineExceeded):
		v.Detail = "the time of this pass ran out"
	case h.unready != "" && reason == h.unready:
		v.Decision, v.Detail = task.Held, h.detail
	}
	return v
}

// unended is where a task stands that has not come to its end.
func (h *host) unended(s round.State, reason task.Reason) *record.PassView {
	state := record.NewStateView(s, h.journal.Head())
	v := &record.PassView{
		Decision: task.Interrupted, Reason: reason, TaskID: h.journal.ID,
		CompletedRound: completed(s, state.NextRound), NextRound: state.NextRound,
		Signature: s.Streak.Signature, ChainHead: h.journal.Head(),
	}
	if roundReady(s) {
		v.Plan = filepath.ToSlash(filepath.Join(LoopDir, "tasks", h.journal.ID, record.PlanFile(s.Round)))
	}
	return v
}

// completed is the last round that came to its end; next is the one to be
// played, or gone on with. A round that only waits for its landing is over.
func completed(s round.State, next int) int {
	if s.After == round.Land {
		return next
	}
	return max(0, next-1)
}

// taskFile is a path below the task's records.
func (h *host) taskFile(parts ...string) string {
	return filepath.Join(append([]string{h.journal.Dir()}, parts...)...)
}

// roundDir is the directory of the round's requests and logs, below the task's.
func roundDir(n int) string { return filepath.Join("attempts", fmt.Sprintf("round-%03d", n)) }
