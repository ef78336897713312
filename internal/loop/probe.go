package loop

import (
	"context"
	"fmt"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

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
