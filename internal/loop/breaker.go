package loop

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// breaking are the rules by which targets are held now.
func (l *Loop) breaking() record.Breaking {
	return record.Breaking{Breaker: l.cfg.Recovery.Breaker, Hold: l.cfg.Recovery.Hold}
}

// change changes the circuit of a target, and tells once when that opened it or
// closed it again. A circuit that stays as it is costs no lock and no file.
func (p *pass) change(ctx context.Context, t record.Target, change func(record.Circuit) record.Circuit) (record.Circuit, error) {
	now := p.opts.Now()
	c, err := p.breakers.Look(t)
	if err != nil || reflect.DeepEqual(c, change(c)) {
		return c, err
	}
	var before record.Circuit
	after, err := p.breakers.Change(t, func(c record.Circuit) record.Circuit {
		before = c
		return change(c)
	})
	if err == nil && before.State != after.State {
		err = p.announce(ctx, t, after, now)
	}
	return after, err
}

// announce tells of a target that is held, or works again: one line and one
// event, whatever the number of tasks.
func (p *pass) announce(ctx context.Context, t record.Target, c record.Circuit, now time.Time) error {
	if err := p.store.TellBreaker(c, now); err != nil {
		return err
	}
	if c.State == record.PhaseClosed {
		p.warn("%s works again", t)
		return nil
	}
	why := string(c.Reason)
	if c.Detail != "" {
		why += ": " + c.Detail
	}
	p.warn("%s is held for all tasks until %s: %s", t, c.Until.Local().Format(time.DateTime), why)
	p.notify(ctx, notice{Event: "breaker_open", Result: c})
	return nil
}

// obstacles are the targets that keep a task from a start now: what a person
// has to mend first, then what is held longest.
func (p *pass) obstacles(id string, targets []record.Target) ([]round.Target, error) {
	var open []round.Target
	now := p.opts.Now()
	for _, t := range targets {
		c, err := p.breakers.Look(t)
		if err == nil && now.Before(c.Opened) { // the clock was set back
			c, err = p.breakers.Change(t, func(c record.Circuit) record.Circuit { return c.Rebased(now) })
		}
		if err != nil {
			return nil, err
		}
		if c.Holds(now, id) {
			open = append(open, p.obstacle(t, c, now))
		}
	}
	slices.SortStableFunc(open, func(a, b round.Target) int {
		if mend := cmp.Compare(rank(a), rank(b)); mend != 0 {
			return mend
		}
		return b.Until.Compare(a.Until)
	})
	return open, nil
}

func rank(t round.Target) int {
	if t.Reason == task.BreakerOpen {
		return 1
	}
	return 0
}

// obstacle is how the core knows a target that is held. While another task
// probes it nobody can say for how long, so it is looked at again soon.
func (p *pass) obstacle(t record.Target, c record.Circuit, now time.Time) round.Target {
	o := round.Target{Name: t.String(), Until: c.Until.UTC().Round(0), Reason: c.Reason}
	if c.Phase(now) == record.PhaseHalfOpen {
		o.Until = now.Add(p.cfg.Recovery.Breaker.Open.Std()).UTC().Round(0)
	}
	return o
}

// admit takes the probe of the targets that are half open for a task. It
// reports whether the start that follows is one.
func (p *pass) admit(ctx context.Context, id string, targets []record.Target) (probe bool, err error) {
	now := p.opts.Now()
	until := now.Add(p.cfg.Generator.Timeout.Std() + leaseGrace)
	for _, t := range targets {
		c, err := p.change(ctx, t, func(c record.Circuit) record.Circuit { return c.Leased(id, now, until) })
		if err != nil {
			return false, err
		}
		mine := c.State == record.PhaseOpen && c.Probe != nil && c.Probe.Task == id
		probe = probe || mine && t.Scope != profileScope // checks show that a profile works
	}
	return probe, nil
}

// leaseGrace is what a probe may take beyond its generator's time.
const leaseGrace = 5 * time.Minute

// release gives back the probes of a task that goes no further for now.
func (p *pass) release(ctx context.Context, id string, targets []record.Target) error {
	for _, t := range targets {
		if _, err := p.change(ctx, t, func(c record.Circuit) record.Circuit { return c.Released(id) }); err != nil {
			return err
		}
	}
	return nil
}
