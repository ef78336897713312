package round

import (
	"fmt"
	"strings"

	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
)

// advice is what a person can do about a stop, worked out from the evidence.
func (v view) advice(reason task.Reason) task.Advice {
	switch reason {
	case task.MaxRoundsReached, task.MaxTriesReached, task.WallClockExhausted,
		task.TokensExhausted, task.CostExhausted:
		return v.limitAdvice()
	case task.SameFailureLimit:
		if v.checkAtFault() {
			return task.FixCheck
		}
		return task.ChangeTask
	case task.NeedsInfo, task.PermissionDenied, task.Refused, task.ApprovalRequired,
		task.EffectUnknown, task.CompensationFailed:
		return task.AnswerIt
	case task.BaselineRed, task.CheckReadsOtherTree, task.CheckNotInBase, task.HiddenCheckFailed:
		return task.FixCheck
	case task.Auth, task.ModelNotFound, task.ToolUnavailable, task.DiskFull, task.CheckEnvironment,
		task.GeneratorBroken, task.LandFailed, task.WorkspaceResetFailed, task.RecordDamaged:
		return task.FixEnvironment
	case task.DeadlineExceeded, task.QuotaExhausted, task.BreakerOpen, task.RetryBudget, task.DailyBudget:
		return task.TryLater
	case task.RejectedCandidate, task.DirtyWorktree, task.MergeConflict:
		return task.CleanUp
	case task.SecretDetected, task.Tampered, task.Cancelled, task.IrreversibleEffect,
		task.EffectApplied, task.NotRepeatable, task.CompensatedEffect, task.RecoveryAborted:
		return task.DoNotRetry
	case task.RecoveryExhausted:
		return v.exhaustedAdvice()
	}
	return task.ChangeTask
}

// limitAdvice tells a limit that cut off progress from one that ended a walk in
// circles.
func (v view) limitAdvice() task.Advice {
	switch {
	case v.checkAtFault():
		return task.FixCheck
	case v.trend() == signature.Shrinking:
		return task.RaiseLimit
	case v.class == recovery.Transient:
		return task.TryLater
	}
	return task.ChangeTask
}

func (v view) exhaustedAdvice() task.Advice {
	switch v.class {
	case recovery.Transient:
		return task.TryLater
	case recovery.Process, recovery.Form:
		return task.FixEnvironment
	}
	return task.ChangeTask
}

// checkAtFault reports evidence that speaks against the check itself.
func (v view) checkAtFault() bool {
	for _, c := range v.Evidence.Checks {
		if c.Flaky {
			return true
		}
		for _, f := range c.Failures {
			if f.Class == "no_tests_ran" {
				return true
			}
		}
	}
	return false
}

// trend compares the failing sets of the verified rounds, the present one last.
func (v view) trend() string {
	if v.category != recovery.VerificationFailed && v.category != recovery.None {
		return ""
	}
	var sets [][]signature.Failure
	for _, r := range v.Rounds {
		if r.Judged {
			sets = append(sets, r.Evidence.failures())
		}
	}
	if len(sets) == 0 || v.category == recovery.None {
		return ""
	}
	return signature.Trend(sets...)
}

// failures are those of all visible checks. A check that failed without any
// stands for itself.
func (e Evidence) failures() []signature.Failure {
	var all []signature.Failure
	for _, c := range e.Checks {
		if c.Passed || c.Hidden {
			continue
		}
		if len(c.Failures) == 0 {
			all = append(all, signature.Failure{ID: strings.Join(c.Argv, " "), Class: fmt.Sprintf("exit:%d", c.ExitCode)})
		}
		all = append(all, c.Failures...)
	}
	return all
}

// replanMode is how the next round goes about it.
func (v view) replanMode() string {
	if v.count > 1 {
		return plan.Rethink
	}
	return plan.Repair
}

// request is what a person is asked for, in a sentence that names the evidence.
func (v view) request(reason task.Reason) string {
	switch reason {
	case task.SameFailureLimit:
		return fmt.Sprintf("%s failed the same way %s in a row: %s. Add what is missing (the convention to follow, an example, the input that fails), or mend the check.",
			v.culprit(), times(v.count), v.what())
	case task.NeedsInfo:
		return or(v.Try.Question, v.failure.Detail, "The generator asked for more information but gave no question.")
	case task.PermissionDenied:
		return "The generator was refused a permission: " + or(v.failure.Detail, v.Try.Question, "it did not say which") + ". Grant it in loop.yaml, or say how to do without."
	case task.Refused:
		return "The generator refused the task: " + or(v.failure.Detail, v.Try.Question, v.Try.Summary, "no reason given") + ". Change the goal or take another generator."
	case task.HiddenCheckFailed:
		return "Every visible check passed, but a hidden one failed: look at the candidate and at the hidden check before either is changed."
	case task.NoNewEvidence:
		return "The next round has nothing to go by that the last did not have: add evidence, an example or an answer."
	case task.MergeConflict:
		return "What was accepted does not merge: " + or(v.Landed.Detail, "the paths are not known") + ". Merge it by hand, then answer."
	case task.EffectUnknown:
		return "It is not known whether an operation outside the workspace happened: look, then answer what you found."
	case task.CompensationFailed:
		return "An operation outside the workspace could not be undone: look at its target, then answer what you found."
	}
	return "A person has to decide how to go on."
}

// culprit names what failed: the first failing check, else the generator.
func (v view) culprit() string {
	if v.category == recovery.VerificationFailed {
		for _, c := range v.Evidence.Checks {
			if !c.Passed && !c.Hidden {
				return "The check `" + strings.Join(c.Argv, " ") + "`"
			}
		}
	}
	return "The generator"
}

// what says in short how it failed.
func (v view) what() string {
	for _, f := range v.Evidence.failures() {
		if v.category == recovery.VerificationFailed {
			return clip(plan.Failure(f).String())
		}
	}
	return clip(or(v.failure.Detail, string(v.category)))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// or is the first of its arguments that says anything.
func or(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}

// clip keeps a request to a length that a person reads.
func clip(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + " ..."
}
