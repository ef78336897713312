package round

import (
	"slices"
	"time"

	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/unit"
)

// found is the outcome of the search along a category's chain.
type found struct {
	ok      bool
	step    recovery.Step
	mode    string // of replan
	opens   bool   // it opens a new round
	traits  recovery.Traits
	delay   unit.Duration
	base    unit.Duration
	noRound bool // a step was passed over only for want of a round
	late    bool // a step was passed over only because its wait ends too late
	skipped []Skip
}

// lacksRoom reports that a round or time was all that a step was missing, which
// rules of their own name.
func (f found) lacksRoom() bool { return f.noRound || f.late }

func (v view) chain() recovery.Chain { return v.Policy.Chains[v.category] }

// search takes the first step of the chain that still may be used, then what
// the chain ends with where that is a new plan.
func (v view) search() found {
	var r found
	chain := v.chain()
	if !chain.Disabled {
		for _, step := range chain.Steps {
			if r.try(v, step, ""); r.ok {
				return r
			}
		}
	}
	if chain.Then == recovery.ThenReplan {
		r.try(v, recovery.Step{Strategy: recovery.Replan}, plan.Split)
	}
	return r
}

// try takes step if nothing speaks against it, else notes why not.
func (r *found) try(v view, step recovery.Step, mode string) {
	traits := v.traits(step.Strategy, v.category)
	opens := traits.OpensRound || v.category == recovery.VerificationFailed
	delay, base := v.delay(step, traits)
	why := v.unfit(step, traits)
	switch {
	case why != "":
	case opens && v.Round >= v.Policy.MaxRounds:
		why, r.noRound = "no round left", true
	case v.tooLate(delay):
		why, r.late = "its wait ends after the deadline", true
	default:
		r.ok, r.step, r.mode, r.opens, r.traits, r.delay, r.base = true, step, mode, opens, traits, delay, base
		return
	}
	r.skipped = append(r.skipped, Skip{Strategy: step.Strategy, Why: why})
}

// unfit says why step can't be used now, "" if it can. Rounds and time are not
// looked at: what fails for these alone has rules of its own.
func (v view) unfit(step recovery.Step, t recovery.Traits) string {
	switch {
	case v.used(step.Strategy) >= step.Max && step.Max > 0:
		return "used up"
	case slices.Contains(v.PassedOver, step.Strategy):
		return "its command passed"
	case v.narrowed && !t.Repeats && v.usedOnThis(step.Strategy):
		return "used on this failure"
	case v.category == recovery.QuotaExhausted && !t.NewTarget:
		return "the quota is used up"
	case v.open && !t.NewTarget:
		return "the target is held"
	case t.NeedsModel && v.Model+1 >= len(v.Policy.Models):
		return "no other model"
	case t.NeedsResume && (!v.Policy.Resume || v.Session == ""):
		return "no session to go on with"
	case t.NeedsCompact && !v.Policy.Compact:
		return "the adapter has no compact turn"
	}
	return ""
}

// used counts how often the strategy answered this category in the task.
func (v view) used(st recovery.Strategy) int { return uses(v.Used, v.category, st) }

func uses(all []Use, c recovery.Category, st recovery.Strategy) int {
	for _, u := range all {
		if u.Category == c && u.Strategy == st {
			return u.N
		}
	}
	return 0
}

// usedOnThis reports a strategy that the present signature has already seen.
// A failed verification is never answered by a new plan twice.
func (v view) usedOnThis(st recovery.Strategy) bool {
	if st == recovery.Replan && v.category == recovery.VerificationFailed {
		return true
	}
	if v.Streak.Signature != v.sig.Hash {
		return false
	}
	return slices.Contains(v.Streak.Used, st)
}

// delay is the wait before step, and what it was before jitter and before the
// target's own wish.
func (v view) delay(step recovery.Step, t recovery.Traits) (delay, base unit.Duration) {
	if !t.Waits {
		return 0, 0
	}
	var ask *time.Duration
	if ra := v.retryAfter().Std(); ra > 0 {
		ask = &ra
	}
	d, b := v.Policy.Backoff.Delay(step, v.used(step.Strategy), v.f.Draw, ask)
	return unit.Duration(d), unit.Duration(b)
}

// retryAfter is the wait that the target asked for, 0 if it named none.
func (v view) retryAfter() unit.Duration {
	ask, _ := v.failure.Wait(v.f.Now)
	return unit.Duration(ask)
}

// tooLate reports a wait that no budget covers. It is never shortened.
func (v view) tooLate(delay unit.Duration) bool {
	return delay > 0 && (delay > v.Policy.Backoff.MaxWait || v.pastDeadline(v.f.Now.Add(delay.Std())))
}

func (v view) pastDeadline(t time.Time) bool { return !t.Before(v.deadline(v.f)) }
