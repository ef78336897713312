package round

import (
	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
)

// Apply returns the state after e. It is the only way that a state changes; s
// itself, and every slice it shares, stays as it was.
func (s State) Apply(e Event) State {
	if e.Facts != nil {
		s.Now, s.Paused = e.Facts.Now, e.Facts.Paused
		s.FirstHeld = s.FirstHeld || e.Facts.First == FirstHeld
	}
	switch e.Kind {
	case Claim:
		return s.claimed(*e.Claimed)
	case Preflight:
		return s.preflown(*e.Preflight)
	case Start:
		return s.started(e.Facts)
	case Generate:
		return s.generated(*e.Try)
	case Verify:
		return s.verified(*e.Evidence)
	case Decide:
		return s.decided(*e.Decision)
	case Wait:
		return s.waited(*e.Facts)
	case Consult:
		return s.consulted(*e.Consulted)
	case Observe:
		s.Ops, s.Next = observed(s.Ops, *e.Observed), s.After
	case Compensate:
		s.Ops, s.Next = undone(s.Ops, *e.Observed), Decide
	case Land:
		return s.landed(*e.Landed)
	case Finish:
		s.Finished, s.Next = *e.Finished, End
	}
	return s
}

// Fold is the state after all of events.
func Fold(events []Event) State {
	var s State
	for _, e := range events {
		s = s.Apply(e)
	}
	return s
}

func (s State) claimed(c Claimed) State {
	s = State{Claimed: c, Task: c.Task, Policy: c.Policy, Now: c.At, Round: 1}
	s.Rounds = []*Round{{N: 1}}
	s.Request = Request{Round: 1, Reset: true}
	if len(c.Policy.Models) > 0 {
		s.Request.Model = c.Policy.Models[0]
	}
	s = s.following(c.FollowUp)
	s.Next = Start
	switch {
	case c.Conflict != "":
		s.Landed, s.Next = Landed{Reason: task.MergeConflict, Detail: c.Conflict}, Decide
	case c.Policy.Baseline || c.Policy.Canary:
		s.Next = Preflight
	}
	return s
}

// following gives a follow-up what the task before it showed, as the plan of
// its first round. What that began outside is unknown until it was looked at.
func (s State) following(f *FollowUp) State {
	if f == nil {
		return s
	}
	p := plan.Next(nil, plan.Plan{
		TaskID: s.Task.ID, Round: 1, NewEvidence: f.Evidence, Previous: f.Previous, Answer: f.Answer,
		Strategy: plan.Strategy{Name: string(recovery.Replan), Mode: plan.Rethink, Why: "follow-up of " + f.Of},
	})
	s.Request.Plan, s.Rounds = &p, []*Round{{N: 1, Plan: &p}}
	for _, op := range f.Ops {
		op.Known, op.Looked = EffectUnknown, 0
		s.Ops = append(s.Ops, op)
	}
	return s
}

func (s State) preflown(p PreflightResult) State {
	s.Preflight, s.Next = p, Start
	if p.Base != "" {
		s.Claimed.Base = p.Base
	}
	if p.Reason != "" {
		s.Next = Decide
	}
	return s
}

// started burns the try, whatever follows. A probe of a held target is counted
// on the target.
func (s State) started(f *Facts) State {
	s.Tries++
	s.Request.Probe = f != nil && f.Probe
	if !s.Request.Probe {
		s.Spent.Tries++
	}
	s.Next = Generate
	return s
}

// waited ends a wait, early where the task was cancelled in it. A landing that
// was held is decided anew: the verdict stands, only its hand-over is tried
// again.
func (s State) waited(f Facts) State {
	s.Next = s.After
	if s.After == Land {
		s.Landed, s.Next = Landed{Merged: s.Landed.Merged}, Decide
	}
	if f.Cancel {
		s.Next = Decide
	}
	return s
}

func (s State) landed(l Landed) State {
	s.Landed, s.Next = l, Finish
	switch {
	case l.Merged != nil:
		s.Try.Candidate.Commit, s.Try.Candidate.Tree = l.Merged.Commit, l.Merged.Tree
		s.Judged, s.Next = false, Verify
	case l.Reason != "":
		s.Next = Decide
	}
	return s
}
