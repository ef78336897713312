package round

import (
	"slices"

	"looprun.dev/looprun/internal/unit"
)

// A Fork is the first place in a journal at which another policy would have
// gone another way. What came after it says nothing about that policy.
type Fork struct {
	At       int           // index of the event
	Recorded *Decision     // nil: the generator was started
	Derived  *Decision     // nil: the generator would have been started
	Delay    unit.Duration // how much longer the waits before it would have been, in all
}

// Under derives the decisions of a task anew as they would have been under p,
// up to the first that differs from the record. Without one every decision is
// the same, and the Fork holds only Delay.
func Under(events []Event, p Policy) (Fork, bool) {
	var f Fork
	var real, other State
	for i, e := range events {
		switch e.Kind {
		case Claim:
			c := *e.Claimed
			c.Policy = p
			real, other = real.Apply(e), other.Apply(Event{Kind: Claim, Claimed: &c})
			continue
		case Start:
			if d, refused := refuse(other, deref(e.Facts)); refused {
				f.At, f.Derived = i, &d
				return f, true
			}
		case Decide:
			d, decided := underway(real, other, deref(e.Facts))
			if !decided || !d.sameWay(*e.Decision) {
				f.At, f.Recorded = i, e.Decision
				if decided {
					f.Derived = &d
				}
				return f, true
			}
			f.Delay += d.Delay - e.Decision.Delay
			real, e.Decision = real.Apply(e), &d
			other = other.Apply(e)
			continue
		}
		real, other = real.Apply(e), other.Apply(e)
	}
	return f, false
}

// underway is what is decided in state other at the step that was under way in
// state real; false where other would just have started.
func underway(real, other State, f Facts) (Decision, bool) {
	if real.Next == Start {
		return refuse(other, f)
	}
	return decide(other, f), true
}

// sameWay reports that two decisions lead to the same next step.
func (d Decision) sameWay(o Decision) bool {
	way := func(d Decision) []string {
		return []string{string(d.Kind), string(d.Reason), string(d.Strategy), d.Mode, string(d.After), d.Op, d.OpID}
	}
	return d.NewRound == o.NewRound && slices.Equal(way(d), way(o))
}
