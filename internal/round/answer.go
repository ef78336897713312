package round

import (
	"strconv"
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
)

// answer is what every decision has in common.
func (v view) answer(rule string, kind task.Decision, reason task.Reason) Decision {
	d := Decision{
		Kind: kind, Reason: reason, Rule: rule,
		Category: v.category, Detail: v.detail(), Skipped: v.found.skipped,
		Signature: v.sig, Count: v.count, Trend: v.trend(), BestRound: bestRound(v.Rounds),
	}
	if d.Category == recovery.None {
		d.Category = ""
	}
	return d
}

func (v view) detail() string {
	if v.Landed.Reason != "" {
		return v.Landed.Detail
	}
	return v.failure.Detail
}

// stop ends the task, with advice and, where a person must act, a request.
func (v view) stop(rule string, kind task.Decision, reason task.Reason) Decision {
	d := v.answer(rule, kind, reason)
	d.Advice = v.advice(reason)
	if kind == task.NeedsInput {
		d.Request = v.request(reason)
	}
	return d
}

// ask stops before the first start, with everything that is missing.
func (v view) ask(rule string, reason task.Reason, gaps string) Decision {
	d := v.stop(rule, task.NeedsInput, reason)
	d.Request = gaps
	return d
}

func (v view) complete() Decision {
	d := v.answer("success", task.Completed, task.VerificationPassed)
	if len(v.Try.Candidate.Changed) == 0 {
		d.Reason = task.NoChangeNeeded
	}
	d.Skipped, d.Category, d.Detail = nil, "", ""
	return d
}

// hold waits for what is not the task's fault. A hold that would end after the
// deadline blocks at once: nobody is helped by a wait that can't end well. Only
// an accepted candidate waits for its landing for as long as it takes.
func (v view) hold(rule string, reason task.Reason, after Kind) Decision {
	until := v.holdUntil(reason)
	if after != Land && v.pastDeadline(until) {
		return v.stop("deadline", task.Blocked, task.DeadlineExceeded)
	}
	d := v.answer(rule, task.Held, reason)
	d.NotBefore, d.After, d.Advice = until, after, v.advice(reason)
	d.Target = Scope(v.category, v.classes())
	if len(v.f.Open) > 0 && (reason == task.BreakerOpen || reason == v.f.Open[0].Reason) {
		d.Target = v.f.Open[0].Name
	}
	return d
}

// holdUntil is when the target is known to be usable again, else one hold on.
func (v view) holdUntil(reason task.Reason) time.Time {
	for _, t := range v.f.Open {
		if reason == task.BreakerOpen || reason == t.Reason {
			return t.Until
		}
	}
	if ask := v.retryAfter(); ask > 0 && reason == task.QuotaExhausted {
		return v.f.Now.Add(ask.Std())
	}
	if reason == task.DailyBudget {
		return v.f.Now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	}
	return v.f.Now.Add(v.Policy.Hold.Std())
}

// retry goes on with the step that was found.
func (v view) retry() Decision {
	d := v.answer("chain", task.Retry, task.RecoveryStep)
	d.Strategy, d.Step, d.NewRound = v.found.step.Strategy, v.found.step, v.found.opens
	d.Delay, d.Base, d.Draw, d.RetryAfter = v.found.delay, v.found.base, v.f.Draw, v.retryAfter()
	if d.Delay > 0 {
		d.NotBefore = v.f.Now.Add(d.Delay.Std())
	}
	d.Back = v.back && d.Strategy != recovery.FallbackModel
	switch {
	case v.category == recovery.VerificationFailed && d.Strategy == recovery.Replan:
		d.Reason, d.Mode = task.VerificationFailedReplan, v.replanMode()
	case d.Strategy == recovery.Replan:
		d.Mode = v.found.mode
	case d.Strategy == recovery.RetryStep && v.class == recovery.Transient:
		d.Reason = task.TransientBackoff
	}
	return d
}

// streak is the signature of what happened, and how often it came in a row.
// What is nobody's fault has no signature and leaves the count alone.
func (s State) streak(c recovery.Category, f recovery.Failure) (signature.Signature, int) {
	var sig signature.Signature
	switch {
	case c == recovery.None || s.classes().Transparent(c):
		return sig, 0
	case c == recovery.VerificationFailed || s.classes().Of(c) == recovery.Guard:
		sig = signature.Of(s.visible())
	default:
		sig = signature.OfTry(string(c), statusOf(f), f.Detail, s.Try.Candidate.Tree, s.Policy.maskers()...)
	}
	switch {
	case s.Streak.Signature != sig.Hash || s.Streak.Version != sig.Version:
		return sig, 1
	case s.Counted: // decided anew, after a command was asked
		return sig, s.Streak.Count
	}
	return sig, s.Streak.Count + 1
}

// visible is the evidence that a signature is made of.
func (s State) visible() signature.Evidence {
	e := s.Evidence.Visible()
	e.Masks = signature.Sum(s.Policy.maskers())
	return e
}

func statusOf(f recovery.Failure) string {
	if f.Code != "" || f.Status == 0 {
		return f.Code
	}
	return strconv.Itoa(f.Status)
}

// bestRound is the round with the smallest failing set, the earliest of equal
// ones; 0 where none was verified.
func bestRound(rounds []*Round) int {
	best, least := 0, 0
	for _, r := range rounds {
		if n := r.Evidence.Failing(); r.Judged && (best == 0 || n < least) {
			best, least = r.N, n
		}
	}
	return best
}
