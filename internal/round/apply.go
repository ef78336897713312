package round

import (
	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// Apply returns the state after e. It is the only way that a state changes; s
// itself, and every slice it shares, stays as it was.
func (s State) Apply(e Event) State {
	if e.Facts != nil {
		s.Now = e.Facts.Now
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
	s.Rounds = []Round{{N: 1}}
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
	p := plan.Next(plan.Plan{
		TaskID: s.Task.ID, Round: 1, NewEvidence: f.Evidence, Previous: f.Previous, Answer: f.Answer,
		Strategy: plan.Strategy{Name: string(recovery.Replan), Mode: plan.Rethink, Why: "follow-up of " + f.Of},
	})
	s.Request.Plan, s.Rounds = &p, []Round{{N: 1, Plan: &p}}
	for _, op := range f.Ops {
		op.Known, op.Looked = EffectUnknown, 0
		s.Ops = append(s.Ops, op)
	}
	return s
}

func (s State) preflown(p PreflightResult) State {
	s.Preflight, s.Next = p, Start
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

func (s State) generated(t Try) State {
	s.Try, s.Landed, s.Consulted, s.PassedOver, s.Counted = t, Landed{}, nil, nil, false
	s.Rounds = replaceLast(s.Rounds, func(r *Round) {
		r.Tries = append(r.Tries[:len(r.Tries):len(r.Tries)], Played{Try: t})
	})
	s.Spent = s.Spent.with(t)
	if t.SessionID != "" {
		s.Session = t.SessionID
	}
	s.Ops = withEffects(s.Ops, s.Task, t.Effects)
	s.Next = Decide
	if s.worthChecking(t) {
		s.Judged, s.Next = false, Verify
	} else if t.Candidate.Tree != s.Evidence.Tree {
		s.Judged = false
	}
	return s
}

// worthChecking reports a candidate that the checks should judge: of a try that
// did not fail, or that failed by itself but changed the tree first.
func (s State) worthChecking(t Try) bool {
	if !failed(t.Failure) {
		return true
	}
	switch class := s.classes().Of(t.Failure.Category); {
	case class == recovery.Input, class == recovery.Guard, t.Failure.Category == recovery.Interrupted:
		return false
	}
	return len(t.Candidate.Changed)+len(t.Candidate.Refused) > 0 && t.Candidate.Tree != s.Evidence.Tree
}

func (sp Spent) with(t Try) Spent {
	sp.WallClock += unit.Duration(t.DurationMS) * 1e6
	if t.Usage != nil {
		sp.Usage.Input += t.Usage.Input
		sp.Usage.Output += t.Usage.Output
		sp.Usage.CacheRead += t.Usage.CacheRead
		sp.Usage.CacheWrite += t.Usage.CacheWrite
	}
	if t.Cost == nil {
		sp.Unknown++
		return sp
	}
	sp.Cost += *t.Cost
	sp.Dearest = max(sp.Dearest, *t.Cost)
	return sp
}

// verified takes the evidence in. That nothing was changed counts only against
// a candidate whose checks fail.
func (s State) verified(e Evidence) State {
	if len(s.Try.Candidate.Changed) == 0 && len(e.Boundary) == 0 && !e.Passed() {
		e.Boundary = []signature.BoundaryError{{Code: CandidateEmpty}}
	}
	s.Evidence, s.Judged, s.Counted, s.Next = e, true, false, Decide
	s.Spent.WallClock += unit.Duration(e.DurationMS) * 1e6
	s.Rounds = replaceLast(s.Rounds, func(r *Round) { r.Evidence, r.Judged = e, true })
	return s
}

func (s State) decided(d Decision) State {
	s.Decision = d
	s.NotBefore = d.NotBefore
	s = s.counted(d)
	s.Rounds = replaceLast(s.Rounds, func(r *Round) {
		r.Decision, r.Trend = d, d.Trend
		if n := len(r.Tries); n > 0 && d.Kind != task.Held {
			r.Tries = append([]Played(nil), r.Tries...)
			r.Tries[n-1].Decision = d
		}
	})
	switch d.Kind {
	case task.Retry:
		s.Consulted = nil
		if s.consults(d) {
			s.Next = Consult
			return s
		}
		return s.going(d)
	case task.Held:
		s.After, s.Next = d.After, Wait
		s.Request.Repeat = true
	case task.Observe:
		s.After, s.Next = d.After, Observe
	case task.Compensate:
		s.Next = Compensate
	case task.Completed:
		s.Next = Finish
		if s.lands() {
			s.Next = Land
		}
	default:
		s.Next = Finish
	}
	return s
}

// lands reports a candidate that has to be handed over somewhere. In place it
// stays where it is unless it is to be committed.
func (s State) lands() bool {
	return len(s.Try.Candidate.Changed) > 0 && s.Policy.Land != "none"
}

// counted carries the streak and the use of strategies over. What has no
// signature leaves the streak alone, and a hold charges the task nothing.
func (s State) counted(d Decision) State {
	if d.Kind == task.Held {
		return s
	}
	if d.Signature.Hash != "" {
		used := s.Streak.Used
		if d.Signature.Hash != s.Streak.Signature {
			used = nil
		}
		s.Streak = Streak{Signature: d.Signature.Hash, Version: d.Signature.Version, Count: d.Count, Used: used}
		s.Counted = true
	}
	if d.Kind != task.Retry {
		return s
	}
	if d.Signature.Hash != "" {
		s.Streak.Used = append(s.Streak.Used[:len(s.Streak.Used):len(s.Streak.Used)], d.Strategy)
	}
	s.Used = withUse(s.Used, d.Category, d.Strategy)
	return s
}

func withUse(old []Use, c recovery.Category, st recovery.Strategy) []Use {
	uses := append([]Use(nil), old...)
	for i := range uses {
		if uses[i].Category == c && uses[i].Strategy == st {
			uses[i].N++
			return uses
		}
	}
	return append(uses, Use{Category: c, Strategy: st, N: 1})
}

// going prepares the next start: in the same round, or in a new one with the
// plan that the evidence makes.
func (s State) going(d Decision) State {
	s.Next, s.After = Start, Start
	if d.Delay > 0 {
		s.Next = Wait
	}
	if d.Strategy == recovery.FallbackModel {
		s.Model++
	}
	if d.NewRound {
		s = s.opened(d)
	}
	s.Request = s.next(d)
	return s
}

func (s State) opened(d Decision) State {
	p := s.plan(d)
	s.Rounds = append(s.Rounds[:len(s.Rounds):len(s.Rounds)], Round{N: s.Round + 1, BasedOn: s.Round, Plan: &p})
	s.Round++
	s.Judged = false
	return s
}

// plan is what the new round is told, from all rounds so far.
func (s State) plan(d Decision) plan.Plan {
	p := plan.Plan{
		TaskID: s.Task.ID, Round: s.Round + 1, BasedOn: s.Round, BestRound: d.BestRound,
		Strategy: plan.Strategy{Name: string(d.Strategy), Mode: d.Mode, Why: string(d.Reason)},
		Previous: []plan.Previous{},
	}
	if f := s.Claimed.FollowUp; f != nil {
		p.Answer, p.Previous = f.Answer, append(p.Previous, f.Previous...)
	}
	p.NewEvidence = s.newEvidence(d)
	p.Previous = append(p.Previous, s.Previous()...)
	return plan.Next(p)
}

// Previous is each round so far in a line: what it did and how that failed.
func (s State) Previous() []plan.Previous {
	var all []plan.Previous
	for _, r := range s.Rounds {
		if len(r.Tries) > 0 {
			all = append(all, plan.Previous{Round: r.N, Signature: r.Decision.Signature.Hash, Approach: r.approach()})
		}
	}
	return all
}

// waited ends a wait, early where the task was cancelled in it.
func (s State) waited(f Facts) State {
	s.Next = s.After
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

// replaceLast returns rounds with a changed copy of its last element.
func replaceLast(rounds []Round, change func(*Round)) []Round {
	out := append([]Round(nil), rounds...)
	change(&out[len(out)-1])
	return out
}
