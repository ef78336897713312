package round

import (
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/unit"
)

// generated is the state after a try: it is charged, and judged next if there is
// something to judge.
func (s State) generated(t Try) State {
	s.Try, s.Landed, s.Consulted, s.PassedOver, s.Counted = t, Landed{}, nil, nil, false
	s.Rounds = replaceLast(s.Rounds, func(r *Round) {
		r.Tries = append(r.Tries[:len(r.Tries):len(r.Tries)], &Played{Try: t})
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
