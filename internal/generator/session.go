package generator

import (
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// Told is what the earlier tries of a session took, by their own account.
type Told struct {
	Usage round.Usage
	Cost  unit.Money
}

// share is what of the ending is this try's own, of a program that tells the
// sums of a whole session. A sum that is smaller than what is known of the
// tries before is none.
func (s Start) share(e Ending) Ending {
	if s.ResumeID == "" || e.SessionID != s.ResumeID {
		return e
	}
	if u := e.Usage; s.Adapter.SumsUsage && u != nil && holds(*u, s.Before.Usage) {
		e.Usage = &round.Usage{
			Input: u.Input - s.Before.Usage.Input, Output: u.Output - s.Before.Usage.Output,
			CacheRead: u.CacheRead - s.Before.Usage.CacheRead, CacheWrite: u.CacheWrite - s.Before.Usage.CacheWrite,
		}
	}
	if c := e.Cost; s.Adapter.SumsCost && c != nil && *c >= s.Before.Cost {
		own := *c - s.Before.Cost
		e.Cost = &own
	}
	return e
}

// holds reports whether a sum can have part in it.
func holds(sum, part round.Usage) bool {
	return sum.Input >= part.Input && sum.Output >= part.Output &&
		sum.CacheRead >= part.CacheRead && sum.CacheWrite >= part.CacheWrite
}
