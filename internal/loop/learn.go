package loop

import (
	"context"
	"strings"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
)

// learn gives what an event shows of the targets, and of money, to all tasks.
// The task was in state before, and is in state s now. A crash in between costs
// at most one failure that is not counted on its target.
func (h *host) learn(ctx context.Context, before, s round.State, e round.Event) error {
	switch e.Kind {
	case round.Generate:
		h.accounts.Release(h.journal.ID)
		return h.tried(ctx, s)
	case round.Preflight:
		if s.Preflight.Reason == "" {
			return h.sound(ctx, s)
		}
	case round.Verify:
		if !s.Evidence.Infra {
			return h.sound(ctx, s)
		}
	case round.Decide:
		return h.decided(ctx, before, s)
	}
	return nil
}

// tried tells the targets how a try on them ended.
func (h *host) tried(ctx context.Context, s round.State) error {
	id, now, f := h.journal.ID, h.opts.Now(), s.Try.Failure
	classes := recovery.ClassesOf(s.Policy.Patterns)
	alike := h.alike(s)
	for _, t := range h.agent(s.Try.Model) {
		_, err := h.change(ctx, t, func(c record.Circuit) record.Circuit {
			v := verdictOn(t.Scope, f.Category, classes)
			if t.Scope == modelScope {
				c = c.Charged(s.Try.Cost)
			}
			if t.Scope == commandScope {
				c = failedAlike(c, id, alike, v)
				if c.BrokenBy(id, alike) != "" {
					v = tripped
				}
			}
			switch v {
			case worked:
				return c.Worked(id)
			case blamed:
				return c.Blamed(h.blame(s, now), h.breaking())
			case tripped:
				return c
			}
			return c.SaidNothing(id, now)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// failedAlike notes a failure that another task may share. A target that was
// not there, or looprun's own end, says nothing of the generator.
func failedAlike(c record.Circuit, id, alike string, v verdict) record.Circuit {
	if alike == "" && v != worked {
		return c
	}
	return c.Failed(id, alike)
}

// alike names how the generator failed by itself, in a way that is the same for
// every task; "" for a try that did something, or that failed for other causes.
func (h *host) alike(s round.State) string {
	f, classes := s.Try.Failure, recovery.ClassesOf(s.Policy.Patterns)
	if f.Category == "" || f.Category == recovery.None || len(s.Try.Candidate.Changed) > 0 || classes.Transparent(f.Category) {
		return ""
	}
	if class := classes.Of(f.Category); class != recovery.Form && class != recovery.Other && f.Category != recovery.Crashed {
		return ""
	}
	text := strings.ReplaceAll(f.Detail, h.journal.ID, "TASK")
	return signature.OfTry(string(f.Category), f.Code, text, "", masks(s)...).Hash
}

// masks are the user's own. loop.yaml refused those that do not compile.
func masks(s round.State) []signature.Masker {
	var all []signature.Masker
	for _, m := range s.Policy.Masks {
		if masker, err := signature.CompileMask(m.Name, m.Regex); err == nil {
			all = append(all, masker)
		}
	}
	return all
}

// blame is the failure of the last try as its target is told of it.
func (h *host) blame(s round.State, now time.Time) record.Blame {
	reset, _ := s.Try.Failure.Wait(now)
	return record.Blame{Task: h.journal.ID, At: now, Reason: task.BreakerOpen, Detail: s.Try.Failure.Detail, Reset: reset}
}

// sound tells the profiles of a task that their checks could be run.
func (h *host) sound(ctx context.Context, s round.State) error {
	for _, t := range h.profileTargets(s) {
		if _, err := h.change(ctx, t, record.Circuit.Healed); err != nil {
			return err
		}
	}
	return nil
}

// decided holds a target that a decision found at fault, and gives back what
// the task had taken for a start that does not come now.
func (h *host) decided(ctx context.Context, before, s round.State) error {
	d := s.Decision
	if before.Next == round.Start {
		h.accounts.Release(h.journal.ID)
	} else if d.Rule != "cancel" && recovery.ClassesOf(s.Policy.Patterns).Trips(d.Category) {
		if err := h.trip(ctx, before, s); err != nil {
			return err
		}
	}
	if d.Kind == task.Held || d.Ends() {
		if err := h.release(ctx, h.journal.ID, append(h.agent(before.Request.Model), h.profileTargets(s)...)); err != nil {
			return err
		}
	}
	if h.retries(s) || before.Next == round.Start && !d.Ends() {
		return nil // the start that was asked for is still to come
	}
	_, err := h.change(ctx, h.model(before.Request.Model), func(c record.Circuit) record.Circuit {
		return c.ReturnRetry(h.journal.ID, s.Tries)
	})
	return err
}

// trip holds the targets that a decision blames, at once.
func (h *host) trip(ctx context.Context, before, s round.State) error {
	d, now := s.Decision, h.opts.Now()
	b := record.Blame{Task: h.journal.ID, At: now, Reason: task.Reason(d.Category), Detail: d.Detail, AtOnce: true}
	if d.Category == before.Try.Failure.Category {
		b.Reset, _ = before.Try.Failure.Wait(now)
	}
	if b.Detail == "" {
		b.Detail = before.Preflight.Detail
	}
	for _, t := range h.atFault(before, d.Category) {
		if _, err := h.change(ctx, t, func(c record.Circuit) record.Circuit { return c.Blamed(b, h.breaking()) }); err != nil {
			return err
		}
	}
	return nil
}

// retries reports a decision that asks the same target again after it failed:
// what the retry budget is for.
func (h *host) retries(s round.State) bool {
	d := s.Decision
	return d.Kind == task.Retry && recovery.ClassesOf(s.Policy.Patterns).Of(d.Category) == recovery.Transient && !leaves(s, d)
}

// leaves reports a strategy that leaves the target.
func leaves(s round.State, d round.Decision) bool {
	if own, ok := s.Policy.Strategies[d.Strategy]; ok {
		traits, _ := recovery.ParseTags(own.Tags) // faults were told when loop.yaml was read
		return traits.NewTarget
	}
	return d.Strategy.Traits(d.Category).NewTarget
}

// letGo gives back what a task took for a start that did not come: the pass
// leaves it, or is ended.
func (h *host) letGo(ctx context.Context) {
	h.accounts.Release(h.journal.ID)
	s := h.journal.State()
	if s.Next == round.Generate {
		return // looprun is ended; the start is on record, and so is its probe
	}
	if err := h.release(ctx, h.journal.ID, append(h.agent(s.Request.Model), h.profileTargets(s)...)); err != nil {
		h.warn("%v", err)
	}
}
