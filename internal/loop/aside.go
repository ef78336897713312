package loop

import (
	"context"
	"slices"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
)

// An aside is a task whose short wait another task may use.
type aside struct {
	id    string
	until time.Time
	left  *record.PassView // what is told of it if the pass ends before
}

// stepsAside reports a wait that is better used by another task: one more
// failure of the target would hold it, but only if it is another task's. Asked
// again and again by this one alone, the target would use up this task's chain.
//
// A pass that is limited in its tasks has no other to give the time to, and in
// place a task can't leave the checkout.
func (h *host) stepsAside(s round.State) bool {
	if s.Policy.InPlace || h.cfg.Workspace.Mode == config.InPlace || h.limits.MaxTasks > 0 || s.After != round.Start {
		return false
	}
	if recovery.ClassesOf(s.Policy.Patterns).Of(s.Decision.Category) != recovery.Transient {
		return false
	}
	c, err := h.breakers.Look(h.model(s.Request.Model))
	return err == nil && c.Doubtful(h.journal.ID, h.cfg.Recovery.Breaker)
}

// setAside keeps a task for later in this pass.
func (p *pass) setAside(a aside) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aside = append(p.aside, a)
}

// dueAside hands back the tasks whose wait is over, or that somebody wants to
// end. It tells when another look is due, the zero time where none is aside.
func (p *pass) dueAside() (ids []string, again time.Time, err error) {
	now := p.opts.Now()
	p.aside = slices.DeleteFunc(p.aside, func(a aside) bool {
		cancelled, e := record.Cancelled(p.store.Loop(), a.id)
		if e != nil {
			err = e
			return false
		}
		if due := cancelled || !now.Before(a.until); !due {
			again = sooner(again, sooner(a.until, now.Add(cancelPoll)))
			return false
		}
		ids = append(ids, a.id)
		return true
	})
	return ids, again, err
}

// leaveAside tells of the tasks that are still aside when the pass ends.
func (p *pass) leaveAside() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.aside {
		p.result.Left = append(p.result.Left, *a.left)
	}
	p.aside = nil
}

// rests is what is told of a task that goes no further now: nothing where the
// pass comes back to it.
func (h *host) rests(ctx context.Context, s round.State) *record.PassView {
	left := h.left(s, h.idle(ctx, s))
	if !h.aside || ctx.Err() != nil {
		return left
	}
	now := h.opts.Now()
	h.setAside(aside{id: h.journal.ID, until: now.Add(h.remaining(s, now)), left: left})
	return nil
}
