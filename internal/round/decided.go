package round

import (
	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
)

// decided is the state after a decision: what it charges, and the step that it
// leads to.
func (s State) decided(d Decision) State {
	s.Decision = d
	s.NotBefore = d.NotBefore
	s = s.counted(d)
	s.Rounds = replaceLast(s.Rounds, func(r *Round) {
		r.Decision, r.Trend = d, d.Trend
		if n := len(r.Tries); n > 0 && d.Kind != task.Held {
			r.Tries = append(r.Tries[:n-1:n-1], &Played{Try: r.Tries[n-1].Try, Decision: d})
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
	switch {
	case d.Back:
		s.Model, s.FirstHeld = 0, false
	case d.Strategy == recovery.FallbackModel:
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
	s.Rounds = append(s.Rounds[:len(s.Rounds):len(s.Rounds)], &Round{N: s.Round + 1, BasedOn: s.Round, Plan: &p})
	s.Round++
	s.Judged = false
	return s
}

// plan is what the new round is told: what the round before it was told, and
// what that round showed.
func (s State) plan(d Decision) plan.Plan {
	last := s.round()
	p := plan.Plan{
		TaskID: s.Task.ID, Round: s.Round + 1, BasedOn: s.Round, BestRound: d.BestRound,
		Strategy:    plan.Strategy{Name: string(d.Strategy), Mode: d.Mode, Why: string(d.Reason)},
		NewEvidence: s.newEvidence(d), Previous: last.previous(),
	}
	if f := s.Claimed.FollowUp; f != nil {
		p.Answer = f.Answer
	}
	return plan.Next(last.Plan, p)
}

// Previous is each round so far in a line: what it did and how that failed.
func (s State) Previous() []plan.Previous {
	var all []plan.Previous
	for _, r := range s.Rounds {
		all = append(all, r.previous()...)
	}
	return all
}

// previous is the round in a line, none while nothing was tried in it.
func (r Round) previous() []plan.Previous {
	if len(r.Tries) == 0 {
		return nil
	}
	return []plan.Previous{{Round: r.N, Signature: r.Decision.Signature.Hash, Approach: r.approach()}}
}

// replaceLast returns rounds with a changed copy of its last element. The rounds
// before it are the same in both.
func replaceLast(rounds []*Round, change func(*Round)) []*Round {
	before := len(rounds) - 1
	last := *rounds[before]
	change(&last)
	return append(rounds[:before:before], &last)
}
