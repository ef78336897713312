// Package recovery owns what failures are called and what follows from their
// names: categories and classes, classification, chains of strategies, waits.
// It is pure: it never touches a file, a process, a clock or a random source.
package recovery

// A Category says what happened. The list is closed but for names that begin
// with "x-", whose class loop.yaml gives.
type Category string

// The categories, by class.
const (
	RateLimited Category = "rate_limited"
	Overloaded  Category = "overloaded"
	Network     Category = "network"

	ContextWindow   Category = "context_window"
	OutputTruncated Category = "output_truncated"
	TurnLimit       Category = "turn_limit"

	JSONError     Category = "json_error"
	EmptyResponse Category = "empty_response"
	EditError     Category = "edit_error"
	ToolPair      Category = "tool_pair"

	VerificationFailed Category = "verification_failed"

	BoundaryViolation Category = "boundary_violation"
	SecretDetected    Category = "secret_detected"
	Tampered          Category = "tampered"

	Timeout     Category = "timeout"
	Stalled     Category = "stalled"
	Crashed     Category = "crashed"
	SessionLost Category = "session_lost"
	Interrupted Category = "interrupted"

	NeedsInfo        Category = "needs_info"
	PermissionDenied Category = "permission_denied"
	Refused          Category = "refused"

	Auth                Category = "auth"
	QuotaExhausted      Category = "quota_exhausted"
	ModelNotFound       Category = "model_not_found"
	ToolUnavailable     Category = "tool_unavailable"
	DiskFull            Category = "disk_full"
	BaselineRed         Category = "baseline_red"
	CheckReadsOtherTree Category = "check_reads_other_tree"
	CheckNotInBase      Category = "check_not_in_base"
	CheckEnvironment    Category = "check_environment"
	GeneratorBroken     Category = "generator_broken"

	InvalidRequest Category = "invalid_request"
	Unknown        Category = "unknown"

	// None is what a try that did not fail by itself is classified as.
	None Category = "none"
)

// A Class groups categories by who is at fault.
type Class string

// The classes.
const (
	Transient Class = "transient" // the target
	Capacity  Class = "capacity"  // the size of the request
	Form      Class = "form"      // the generator
	Work      Class = "work"      // the candidate
	Guard     Class = "guard"     // the candidate; ends the task
	Process   Class = "process"   // the run of the generator
	Input     Class = "input"     // the task
	Ambient   Class = "ambient"   // the target, not the task
	Other     Class = "other"
)
