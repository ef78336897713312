package round

import (
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// decide answers what happened. The first rule that fits wins; their order is
// that of the policy: a person's word, what is unknown outside, a verdict,
// guards, then whether and how to go on. It uses s and f and nothing else, so
// that a replay of the journal derives the same decision.
func decide(s State, f Facts) Decision {
	v := look(s, f)
	switch {
	case f.Cancel:
		return v.cancel()
	case v.unknownEffect() != nil:
		return v.observe(*v.unknownEffect())
	case !s.Passed() && v.settledEffect() != nil:
		return v.settle(*v.settledEffect())
	case s.Judged && s.Evidence.Hidden:
		return v.stop("hidden", task.NeedsInput, task.HiddenCheckFailed)
	case s.Landed.Reason == task.MergeConflict:
		return v.stop("land", task.NeedsInput, task.MergeConflict)
	case s.Landed.Reason != "":
		return v.hold("land", s.Landed.Reason, Land)
	case s.Passed():
		return v.complete()
	case v.guard() != "":
		return v.stop("guard", task.Blocked, v.guard())
	case v.class == recovery.Input:
		return v.stop("input", task.NeedsInput, task.Reason(v.category))
	case v.class == recovery.Ambient && !v.found.ok:
		return v.hold("ambient", task.Reason(v.category), v.again())
	case v.narrowed && !v.found.ok && !v.found.lacksRoom():
		return v.stop("same_failure", task.NeedsInput, task.SameFailureLimit)
	case overBudget(s, f) != "":
		return v.stop("budgets", task.Blocked, overBudget(s, f))
	case v.short() != "":
		return v.hold("budgets", v.short(), Start)
	case v.open && !v.found.ok:
		return v.hold("breaker", task.BreakerOpen, Start)
	case v.gaveUp() || v.found.ok && v.found.traits.Ends:
		return v.abort()
	case v.found.ok:
		return v.retry()
	case v.found.noRound:
		return v.stop("rounds", task.Blocked, task.MaxRoundsReached)
	case v.found.late:
		return v.stop("deadline", task.Blocked, task.DeadlineExceeded)
	case v.chain().Then == recovery.ThenHold:
		return v.hold("used_up", task.Reason(v.category), Start)
	}
	return v.stop("used_up", task.Blocked, v.exhausted())
}

// refuse says what keeps the next start of the generator from happening. A
// pause is no decision: Play returns before it.
func refuse(s State, f Facts) (Decision, bool) {
	v := look(s, f)
	switch {
	case f.Cancel:
		return v.cancel(), true
	case v.gaps() != "":
		return v.ask("effects", task.NeedsSpec, v.gaps()), true
	case v.unapproved() != "":
		return v.ask("effects", task.ApprovalRequired, v.unapproved()), true
	case v.unknownEffect() != nil: // of the task that this one follows up
		d := v.observe(*v.unknownEffect())
		d.After = Start
		return d, true
	case v.settledEffect() != nil:
		return v.settle(*v.settledEffect()), true
	case s.Round > 1 && (s.Request.Plan == nil || s.Request.Plan.NewEvidence.Empty()):
		return v.stop("new_evidence", task.NeedsInput, task.NoNewEvidence), true
	case overBudget(s, f) != "":
		return v.stop("budgets", task.Blocked, overBudget(s, f)), true
	case f.SpentToday+s.Reserve(f) > s.Policy.DailyCost:
		return v.hold("budgets", task.DailyBudget, Start), true
	case len(f.Open) > 0:
		return v.hold("breaker", f.Open[0].Reason, Start), true
	}
	return Decision{}, false
}

// A view is what decide looks at: the state with what follows from it.
type view struct {
	State
	f        Facts
	category recovery.Category
	class    recovery.Class
	failure  recovery.Failure // of the try; zero for a failed verification
	sig      signature.Signature
	count    int  // equal signatures in a row, this one included
	narrowed bool // the same failure limit is reached
	open     bool // the target is held
	back     bool // the first model's breaker closed, so that its fallback has had its time
	found    found
}

func look(s State, f Facts) view {
	v := view{State: s, f: f}
	v.category, v.failure = s.category(f)
	v.class = s.classes().Of(v.category)
	v.sig, v.count = s.streak(v.category, v.failure)
	v.narrowed = v.sig.Hash != "" && v.count >= s.Policy.SameFailure
	v.back = s.Model > 0 && s.FirstHeld && f.First == FirstWorks
	v.open = len(f.Open) > 0 && s.classes().FeedsBreaker(v.category) && !v.back
	v.found = v.search()
	return v
}

// category is what the last step ended as. A hard boundary error wins over
// whatever the try says of itself; the checks are asked only when it is none.
func (s State) category(f Facts) (recovery.Category, recovery.Failure) {
	failure := s.Try.Failure
	switch {
	case s.Preflight.Reason != "":
		return recovery.Category(s.Preflight.Reason), recovery.Failure{Detail: s.Preflight.Detail}
	case s.Judged && s.Evidence.Hard():
		return guardOf(s.Evidence), recovery.Failure{}
	case f.BrokenBy != "" && s.generatorFailed():
		return recovery.GeneratorBroken, failure
	case failed(failure):
		return failure.Category, failure
	case s.Judged && s.Evidence.Infra:
		return recovery.CheckEnvironment, recovery.Failure{}
	case s.Judged && !s.Evidence.Passed():
		return recovery.VerificationFailed, recovery.Failure{}
	}
	return recovery.None, recovery.Failure{}
}

func failed(f recovery.Failure) bool {
	return f.Category != "" && f.Category != recovery.None
}

// generatorFailed reports a try that failed by itself and left the tree as the
// base: what two tasks in a row share only when the generator is broken.
func (s State) generatorFailed() bool {
	if !failed(s.Try.Failure) || len(s.Try.Candidate.Changed) > 0 {
		return false
	}
	switch s.Try.Failure.Category.Class() {
	case recovery.Form, recovery.Other:
		return true
	case recovery.Process:
		return s.Try.Failure.Category == recovery.Crashed
	}
	return false
}

func guardOf(e Evidence) recovery.Category {
	for _, b := range e.Boundary {
		switch b.Code {
		case "secret":
			return recovery.SecretDetected
		case "tampered":
			return recovery.Tampered
		}
	}
	return recovery.BoundaryViolation
}

// guard is the reason that refuses the candidate, whatever the budgets.
func (v view) guard() task.Reason {
	if v.class == recovery.Guard {
		return task.Reason(v.category)
	}
	if v.Policy.InPlace && len(v.Try.Candidate.Changed) > 0 {
		return task.RejectedCandidate
	}
	return ""
}

// again is the step that a hold leads back to.
func (v view) again() Kind {
	switch {
	case v.Preflight.Reason != "":
		return Preflight
	case v.category == recovery.CheckEnvironment:
		return Verify // the candidate stands; only its checks run again
	}
	return Start
}

// short names the budget that only time fills up again.
func (v view) short() task.Reason {
	switch {
	case v.f.RetriesFull && v.class == recovery.Transient && v.found.ok && !v.found.traits.NewTarget:
		return task.RetryBudget
	case v.f.SpentToday+v.Reserve(v.f) > v.Policy.DailyCost:
		return task.DailyBudget
	}
	return ""
}

// overBudget names the first budget that leaves no room for another start.
func overBudget(s State, f Facts) task.Reason {
	switch {
	case s.Spent.Tries >= s.Policy.MaxTries:
		return task.MaxTriesReached
	case s.Spent.WallClock >= s.Policy.WallClock:
		return task.WallClockExhausted
	case !f.Now.Before(s.deadline(f)):
		return task.DeadlineExceeded
	case s.Spent.Usage.Tokens() >= s.Policy.MaxTokens:
		return task.TokensExhausted
	case s.Spent.Cost+s.Reserve(f) > s.Policy.Cost || s.Spent.Cost >= s.Policy.Cost:
		return task.CostExhausted
	}
	return ""
}

// Reserve is what the next start may cost before its real price is known: the
// dearest try on its target so far, of this task and, as the facts say, of all
// others. It is at least the configured minimum, and beyond that no more than a
// budget that nothing was spent of: one dear try must not keep every later task
// from its first start.
func (s State) Reserve(f Facts) unit.Money {
	most := f.Dearest
	for _, r := range s.Rounds {
		for _, p := range r.Tries {
			if p.Try.Cost != nil && p.Try.Model == s.Request.Model {
				most = max(most, *p.Try.Cost)
			}
		}
	}
	return max(min(most, s.Policy.Cost, s.Policy.DailyCost), s.Policy.MinTryCost)
}

// deadline counts from the claim; holds are included, paused time is not.
func (s State) deadline(f Facts) time.Time {
	s.Paused = f.Paused
	return s.Deadline()
}

// Deadline is when the task's time is over, as far as the last facts tell.
func (s State) Deadline() time.Time {
	return s.Claimed.At.Add(s.Policy.Deadline.Std() + s.Paused.Std())
}

// exhausted is the reason when nothing is left: a category that never had a
// chain is its own reason.
func (v view) exhausted() task.Reason {
	if len(v.chain().Steps) == 0 && !v.chain().Disabled {
		return task.Reason(v.category)
	}
	return task.RecoveryExhausted
}
