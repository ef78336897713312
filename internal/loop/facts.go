package loop

import (
	"context"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// Facts implements round.Host.
func (h *host) Facts(ctx context.Context, s round.State) (round.Facts, error) {
	// Without its monotonic part: a replay has only what stands in the record.
	now := h.opts.Now().UTC().Round(0)
	f := round.Facts{Now: now, Draw: h.opts.Draw()}
	var err error
	if f.Cancel, err = record.Cancelled(h.store.Loop(), h.journal.ID); err != nil {
		return f, err
	}
	if f.Paused, err = record.PausedFor(h.store.Loop(), s.Claimed.At, now); err != nil || f.Cancel {
		return f, err
	}
	if f.First, err = h.first(s); err != nil {
		return f, err
	}
	switch s.Next {
	case round.Start:
		err = h.beforeStart(ctx, s, &f)
	case round.Decide:
		err = h.beforeDecision(ctx, s, &f)
	}
	return f, err
}

// first tells how the first of several models fares, "" where there is but one.
// A target that is half open works once its probe has shown it.
func (h *host) first(s round.State) (string, error) {
	if len(s.Policy.Models) < 2 {
		return "", nil
	}
	c, err := h.breakers.Look(h.model(s.Policy.Models[0]))
	if c.State == record.PhaseOpen {
		return round.FirstHeld, err
	}
	return round.FirstWorks, err
}

// beforeStart tells what is in the way of a start. The money that it may cost
// is set aside, and the probe of a target that may work again is taken, so that
// no two tasks rely on the same.
func (h *host) beforeStart(ctx context.Context, s round.State, f *round.Facts) (err error) {
	if _, f.Pause, err = record.PausedAt(h.store.Loop(), f.Now); err != nil || f.Pause {
		return err
	}
	if err := h.held(ctx, s, f); err != nil {
		return err
	}
	if f.Dearest, err = h.dearest(s.Request.Model); err != nil {
		return err
	}
	f.SpentToday = h.accounts.Reserve(h.journal.ID, s.Reserve(*f), f.Now)
	if len(f.Open) > 0 {
		return nil // the tree may stay as it is
	}
	f.Unready, h.detail, err = h.ready(ctx, s)
	h.unready = f.Unready
	return err
}

// held fills in the targets that keep the task from its start.
func (h *host) held(ctx context.Context, s round.State, f *round.Facts) (err error) {
	targets := append(h.agent(s.Request.Model), h.profileTargets(s)...)
	if err := h.heal(ctx, targets); err != nil {
		return err
	}
	if f.Probe, err = h.admit(ctx, h.journal.ID, targets); err != nil {
		return err
	}
	if f.Open, err = h.obstacles(h.journal.ID, targets); err != nil {
		return err
	}
	if s.Decision.Kind != task.Held || s.Decision.Reason != task.RetryBudget {
		return nil
	}
	full, until, err := h.takeRetry(ctx, s, f.Now)
	if full {
		f.Open = append(f.Open, round.Target{Name: h.model(s.Request.Model).String(), Until: until.UTC().Round(0), Reason: task.RetryBudget})
	}
	return err
}

// dearest is what the dearest try of all tasks on a target cost.
func (l *Loop) dearest(model string) (unit.Money, error) {
	c, err := l.breakers.Look(l.model(model))
	return c.Dearest, err
}

// beforeDecision tells what keeps the target of a try that failed from being
// asked again.
func (h *host) beforeDecision(ctx context.Context, s round.State, f *round.Facts) (err error) {
	f.SpentToday = h.accounts.SpentOn(h.journal.ID, f.Now)
	if f.Dearest, err = h.dearest(s.Request.Model); err != nil {
		return err
	}
	failure := s.Try.Failure.Category
	if failure == "" || failure == recovery.None {
		return nil
	}
	if f.Open, err = h.obstacles(h.journal.ID, h.agent(s.Request.Model)); err != nil {
		return err
	}
	if recovery.ClassesOf(s.Policy.Patterns).Of(failure) == recovery.Transient {
		if f.RetriesFull, _, err = h.takeRetry(ctx, s, f.Now); err != nil {
			return err
		}
	}
	alike := h.alike(s)
	c, err := h.breakers.Look(h.command())
	if err == nil {
		f.BrokenBy = c.BrokenBy(h.journal.ID, alike)
	}
	return err
}

// takeRetry takes a retry for the last try out of the budget of its target, or
// tells that none is left, and until when.
func (h *host) takeRetry(ctx context.Context, s round.State, now time.Time) (full bool, until time.Time, err error) {
	budget := h.cfg.Recovery.RetryBudget
	_, err = h.change(ctx, h.model(s.Request.Model), func(c record.Circuit) record.Circuit {
		c, ok := c.TakeRetry(h.journal.ID, s.Tries, now, budget)
		full, until = !ok, c.RetryAt(now, budget)
		return c
	})
	return full, until, err
}
