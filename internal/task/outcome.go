package task

// A Decision is what the core answers to what happened.
type Decision string

// The decisions. Interrupted ends a pass, never a task, and stands in no journal.
const (
	Completed   Decision = "completed"
	Retry       Decision = "retry"
	NeedsInput  Decision = "needs_input"
	Blocked     Decision = "blocked"
	Held        Decision = "held"
	Observe     Decision = "observe"
	Compensate  Decision = "compensate"
	Interrupted Decision = "interrupted"
)

// Stage is the directory that a task which ended so is moved to, "" for a
// decision that does not end it.
func (d Decision) Stage() Stage {
	switch d {
	case Completed:
		return Done
	case Blocked:
		return BlockedStage
	case NeedsInput:
		return NeedsInputStage
	}
	return ""
}

// A Stage is one of the directories under tasks/. A task file is in exactly
// one of them at any instant.
type Stage string

// The stages, named as their directories.
const (
	Inbox           Stage = "inbox"
	Processing      Stage = "processing"
	Done            Stage = "done"
	BlockedStage    Stage = "blocked"
	NeedsInputStage Stage = "needs-input"
)

// Stages lists every stage in the order of a task's life.
var Stages = [...]Stage{Inbox, Processing, Done, BlockedStage, NeedsInputStage}

// A Reason is a code of the closed list that says why a decision was taken.
type Reason string

// Reasons of completed.
const (
	VerificationPassed Reason = "independent_verification_passed"
	NoChangeNeeded     Reason = "no_change_needed"
)

// Reasons of retry.
const (
	VerificationFailedReplan Reason = "verification_failed_replan"
	TransientBackoff         Reason = "transient_failure_backoff"
	RecoveryStep             Reason = "recovery_step"
)

// Reasons of needs_input.
const (
	SameFailureLimit   Reason = "same_failure_limit_reached"
	NeedsInfo          Reason = "needs_info"
	PermissionDenied   Reason = "permission_denied"
	Refused            Reason = "refused"
	NeedsSpec          Reason = "needs_spec"
	ApprovalRequired   Reason = "approval_required"
	EffectUnknown      Reason = "effect_unknown"
	CompensationFailed Reason = "compensation_failed"
	HiddenCheckFailed  Reason = "hidden_check_failed"
	NoNewEvidence      Reason = "no_new_evidence"
	MergeConflict      Reason = "merge_conflict"
)

// Reasons of blocked.
const (
	BoundaryViolation  Reason = "boundary_violation"
	SecretDetected     Reason = "secret_detected"
	Tampered           Reason = "tampered"
	RejectedCandidate  Reason = "rejected_candidate_requires_cleanup"
	MaxRoundsReached   Reason = "max_rounds_reached"
	MaxTriesReached    Reason = "max_tries_reached"
	WallClockExhausted Reason = "wall_clock_exhausted"
	DeadlineExceeded   Reason = "deadline_exceeded"
	TokensExhausted    Reason = "tokens_exhausted"
	CostExhausted      Reason = "cost_exhausted"
	RecoveryExhausted  Reason = "recovery_exhausted"
	RecoveryAborted    Reason = "recovery_aborted"
	InvalidRequest     Reason = "invalid_request"
	IrreversibleEffect Reason = "irreversible_effect"
	EffectApplied      Reason = "effect_applied"
	NotRepeatable      Reason = "not_repeatable"
	CompensatedEffect  Reason = "compensated"
	Cancelled          Reason = "cancelled"
	RecordDamaged      Reason = "record_damaged"
)

// Reasons of held.
const (
	Auth                 Reason = "auth"
	QuotaExhausted       Reason = "quota_exhausted"
	ModelNotFound        Reason = "model_not_found"
	ToolUnavailable      Reason = "tool_unavailable"
	DiskFull             Reason = "disk_full"
	BaselineRed          Reason = "baseline_red"
	CheckReadsOtherTree  Reason = "check_reads_other_tree"
	CheckNotInBase       Reason = "check_not_in_base"
	CheckEnvironment     Reason = "check_environment"
	GeneratorBroken      Reason = "generator_broken"
	BreakerOpen          Reason = "breaker_open"
	RetryBudget          Reason = "retry_budget"
	DailyBudget          Reason = "daily_budget"
	DirtyWorktree        Reason = "dirty_worktree"
	LandFailed           Reason = "land_failed"
	WorkspaceResetFailed Reason = "workspace_reset_failed"
)

// Reasons of interrupted.
const (
	PausedAfterReplan Reason = "paused_after_replan"
	PauseFlag         Reason = "pause_flag"
	SignalReceived    Reason = "signal"
	Locked            Reason = "locked"
)

// Advice is what a person can do about a stop.
type Advice string

// The advice that a stop may carry.
const (
	RaiseLimit     Advice = "raise_limit"
	ChangeTask     Advice = "change_task"
	FixCheck       Advice = "fix_check"
	FixEnvironment Advice = "fix_environment"
	AnswerIt       Advice = "answer"
	TryLater       Advice = "try_later"
	CleanUp        Advice = "clean_up"
	DoNotRetry     Advice = "do_not_retry"
)
