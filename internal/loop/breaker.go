package loop

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"looprun.dev/looprun/internal/child"
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

// prober is the holder of a probe that is a command of loop.yaml. It is no
// task's id.
const prober = "generator.probe"

// probeTime bounds the command.
const probeTime = time.Minute

// heal asks the probe command, if there is one, whether the targets work whose
// time is over.
func (p *pass) heal(ctx context.Context, targets []record.Target) error {
	if len(p.cfg.Generator.Probe) == 0 {
		return nil
	}
	var due []record.Target
	now := p.opts.Now()
	for _, t := range targets {
		if t.Scope == profileScope || t.Scope == loopScope {
			continue
		}
		c, err := p.breakers.Look(t)
		if err != nil {
			return err
		}
		if c.Phase(now) != record.PhaseHalfOpen || c.Holds(now, prober) {
			continue
		}
		if c, err = p.change(ctx, t, func(c record.Circuit) record.Circuit { return c.Leased(prober, now, now.Add(2*probeTime)) }); err != nil {
			return err
		}
		if c.Probe != nil && c.Probe.Task == prober {
			due = append(due, t)
		}
	}
	if len(due) == 0 {
		return nil
	}
	return p.probed(ctx, due, p.probe(ctx))
}

// probe runs the command: nil if the generator's target works.
func (p *pass) probe(ctx context.Context) error {
	argv := p.cfg.Generator.Probe
	ran, err := child.Run(ctx, child.Cmd{
		Argv: p.cfg.Argv(argv), Dir: p.cfg.Dir, Wall: min(p.cfg.Generator.Timeout.Std(), probeTime), Grace: time.Second, Keep: 4 << 10,
		Env: p.environ(p.cfg.Generator.Env), RunID: "probe-" + randomHex(), Redact: p.secretValues(),
	})
	switch {
	case err != nil:
		return err
	case ran.Ended == child.Exit && ran.ExitCode == 0:
		return nil
	case ran.NotFound:
		return fmt.Errorf("%q was not found", argv[0])
	}
	return fmt.Errorf("%q ended by %s %d", argv[0], ran.Ended, ran.ExitCode)
}

func (p *pass) probed(ctx context.Context, targets []record.Target, fault error) error {
	now := p.opts.Now()
	for _, t := range targets {
		_, err := p.change(ctx, t, func(c record.Circuit) record.Circuit {
			switch {
			case ctx.Err() != nil:
				return c.Released(prober)
			case fault == nil:
				return c.Worked(prober)
			}
			return c.Blamed(record.Blame{Task: prober, At: now, Reason: c.Reason, Detail: "the probe failed: " + fault.Error(), AtOnce: c.Reason != task.BreakerOpen}, p.breaking())
		})
		if err != nil {
			return err
		}
	}
	return nil
}
