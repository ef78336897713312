package loop

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// Wait implements round.Host. A short wait is made here, or where another task
// can use it beside others; a longer one is left to a later pass. A task that is held goes on as soon
// as its target works again, and one of those that are held looks whether it
// does.
func (h *host) Wait(ctx context.Context, s round.State) (bool, error) {
	left, held := h.remaining(s, h.opts.Now()), s.Decision.Kind == task.Held
	switch {
	case held && h.heldNow: // one look a pass: a hold of no time must not start it for ever
		return record.Cancelled(h.store.Loop(), h.journal.ID)
	case left <= 0:
		return true, nil
	case held:
		if over, err := h.released(ctx, s); over || err != nil {
			return over, err
		}
		return record.Cancelled(h.store.Loop(), h.journal.ID)
	case left > s.Policy.InlineWait.Std():
		return record.Cancelled(h.store.Loop(), h.journal.ID)
	case h.stepsAside(s):
		h.aside = true
		return record.Cancelled(h.store.Loop(), h.journal.ID)
	}
	return h.sleep(ctx, left)
}

// cancelPoll bounds how long a cancelled task goes on waiting.
const cancelPoll = 500 * time.Millisecond

// sleep waits by a timer, which no change of the clock makes longer or shorter.
// It reports false where the pass is ended.
func (h *host) sleep(ctx context.Context, d time.Duration) (bool, error) {
	over := time.NewTimer(d)
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

// An anchor is the end of a wait by a clock that was set back after the wait
// was decided.
type anchor struct {
	Head  string    `json:"head"` // of the journal, which tells the waits of a task apart
	Until time.Time `json:"until"`
}

const anchorFile = "wait.json"

// remaining is how much of a wait is left. It is never longer than it was
// decided: after the clock was set back the wait is counted from the first time
// that this was seen.
func (h *host) remaining(s round.State, now time.Time) time.Duration {
	left, decided := s.NotBefore.Sub(now), s.NotBefore.Sub(s.Now)
	if left <= decided {
		return left
	}
	var a anchor
	data, err := os.ReadFile(h.taskFile(anchorFile))
	if err == nil && json.Unmarshal(data, &a) == nil && a.Head == h.journal.Head() && a.Until.Sub(now) <= decided {
		return a.Until.Sub(now)
	}
	a = anchor{Head: h.journal.Head(), Until: now.Add(decided)}
	if data, err = json.Marshal(a); err == nil {
		err = fsx.Scratch(h.journal.Dir()).WriteFile(anchorFile, append(data, '\n'))
	}
	if err != nil {
		h.warn("note the wait of %s: %v", h.journal.ID, err)
	}
	return decided
}

// released reports that nothing keeps a held task back any more.
func (h *host) released(ctx context.Context, s round.State) (bool, error) {
	targets := h.heldFor(s)
	if len(targets) == 0 {
		return false, nil
	}
	if err := h.heal(ctx, targets); err != nil {
		return false, err
	}
	open, err := h.obstacles(h.journal.ID, targets)
	if err != nil || len(open) > 0 {
		return false, err
	}
	c, err := h.breakers.Look(h.model(s.Request.Model))
	full := s.Decision.Reason == task.RetryBudget && !c.RetryAt(h.opts.Now(), h.cfg.Recovery.RetryBudget).IsZero()
	return !full, err
}

// heldFor are the targets that a held task waits for; none where it waits for
// something else, which only time brings.
func (h *host) heldFor(s round.State) []record.Target {
	d := s.Decision
	ambient := recovery.ClassesOf(s.Policy.Patterns).Trips(recovery.Category(d.Reason))
	switch {
	case s.Next != round.Wait || d.Kind != task.Held || d.After == round.Land:
		return nil
	case !ambient && d.Reason != task.BreakerOpen && d.Reason != task.RetryBudget:
		return nil
	case d.After == round.Start:
		return append(h.agent(s.Request.Model), h.profileTargets(s)...)
	}
	return h.profileTargets(s)
}

// lookAgain is when a held task is worth another look: when its wait is over,
// or before that when its target is to be looked at.
func (h *host) lookAgain(s round.State) time.Time {
	now := h.opts.Now()
	at := now.Add(h.remaining(s, now))
	targets := h.heldFor(s)
	open, err := h.obstacles(h.journal.ID, targets)
	if err != nil || len(targets) == 0 {
		return at
	}
	var free time.Time
	if c, err := h.breakers.Look(h.model(s.Request.Model)); err == nil && s.Decision.Reason == task.RetryBudget {
		free = c.RetryAt(now, h.cfg.Recovery.RetryBudget)
	}
	for _, t := range open {
		free = later(free, t.Until)
	}
	return sooner(at, free)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
