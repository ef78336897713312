package round

import (
	"time"

	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A Kind names a step of a task's life, and the event that records it.
type Kind string

// The steps, in the order of a task's life.
const (
	Claim      Kind = "claim"
	Preflight  Kind = "preflight"
	Start      Kind = "start"    // burns a try, recorded before the generator runs
	Generate   Kind = "generate" // recorded once, after the snapshot
	Verify     Kind = "verify"
	Decide     Kind = "decide"
	Wait       Kind = "wait"
	Consult    Kind = "strategy" // asks a command of loop.yaml how to go on
	Observe    Kind = "observe"
	Compensate Kind = "compensate"
	Land       Kind = "land"
	Finish     Kind = "finish" // the commit point of the task
	End        Kind = "end"    // nothing is left to do; never recorded
)

// An Event is one recorded step. Kind says which of the other fields is set.
type Event struct {
	Kind      Kind             `json:"kind"`
	Claimed   *Claimed         `json:"claimed,omitempty"`
	Preflight *PreflightResult `json:"preflight,omitempty"`
	Facts     *Facts           `json:"facts,omitempty"` // of start, decide and wait
	Try       *Try             `json:"try,omitempty"`
	Evidence  *Evidence        `json:"evidence,omitempty"`
	Decision  *Decision        `json:"decision,omitempty"`
	Consulted *Consulted       `json:"consulted,omitempty"`
	Observed  *Observed        `json:"observed,omitempty"` // of observe and compensate
	Landed    *Landed          `json:"landed,omitempty"`
	Finished  *Finished        `json:"finished,omitempty"`
}

// Claimed is the first event of every journal.
type Claimed struct {
	Task      task.Task `json:"task"`
	TaskFile  File      `json:"task_file"`
	Policy    Policy    `json:"policy"`
	PolicySHA string    `json:"policy_sha"`
	Base      string    `json:"base,omitempty"`     // the commit that the task starts from
	Conflict  string    `json:"conflict,omitempty"` // why there is none: what it builds on does not merge
	FollowUp  *FollowUp `json:"follow_up,omitempty"`
	Adopted   bool      `json:"adopted,omitempty"` // the file stood in processing without a journal
	At        time.Time `json:"at"`
}

// A FollowUp is what a task carries over from one that ended without success.
// That task's history is not reopened.
type FollowUp struct {
	Of       string          `json:"of"`
	Root     string          `json:"root"` // the first task of the line
	Answer   string          `json:"answer,omitempty"`
	Approved bool            `json:"approved,omitempty"` // its irreversible operations were allowed
	Key      string          `json:"key"`                // the idempotency key, which it keeps
	Ops      []Operation     `json:"ops,omitempty"`      // what was begun outside: looked at before the first start
	Evidence plan.Evidence   `json:"evidence"`           // of the last round
	Previous []plan.Previous `json:"previous"`

	AddRounds int        `json:"add_rounds,omitempty"` // by which a person raised the limits
	AddCost   unit.Money `json:"add_cost_usd,omitempty"`
}

// Raise gives a policy the limits that a person raised for the task. Without a
// follow-up it stays as it is.
func (f *FollowUp) Raise(p Policy) Policy {
	if f != nil {
		p.MaxRounds += f.AddRounds
		p.Cost += f.AddCost
	}
	return p
}

// A File is a file that an event speaks of, by its path below .loop/tasks/<id>
// and its digest. Missing names the reason where there is no such file.
type File struct {
	Path    string `json:"path,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"`
	Missing string `json:"missing,omitempty"`
}

// Facts are what the core may not fetch for itself. They stand in the event,
// so that a replay derives the same decision.
type Facts struct {
	Now    time.Time `json:"now"`
	Cancel bool      `json:"cancel,omitempty"`
	Pause  bool      `json:"pause,omitempty"`
	Open   []Target  `json:"open,omitempty"` // targets that are held
	// Probe says that a target was held until now and that this start shows
	// whether it works again: the start is counted on the target, not on the task.
	Probe bool `json:"probe,omitempty"`
	// Unready says what keeps looprun from a start that is no fault of the task:
	// nothing is recorded then, and the next pass looks again.
	Unready     task.Reason   `json:"unready,omitempty"`
	Paused      unit.Duration `json:"paused,omitempty"` // in all, since the claim
	SpentToday  unit.Money    `json:"spent_today,omitempty"`
	Dearest     unit.Money    `json:"dearest_try_usd,omitempty"` // of all tasks on the target of the next start
	RetriesFull bool          `json:"retries_full,omitempty"`    // the target's retry budget is used up
	First       string        `json:"first_model,omitempty"`     // held or works: the target of the first of several models
	Draw        float64       `json:"draw"`                      // in [0,1)
	BrokenBy    string        `json:"broken_by,omitempty"`       // task before this one whose generator failed the same way, tree unchanged
}

// What Facts.First says.
const (
	FirstHeld  = "held"
	FirstWorks = "works"
)

// A Target is what a generator start depends on, held until a time.
type Target struct {
	Name   string      `json:"name"`
	Until  time.Time   `json:"until"`
	Reason task.Reason `json:"reason"`
}

// A PreflightResult is what the checks said of the base, before the first start.
type PreflightResult struct {
	Base           string            `json:"base,omitempty"`   // the commit that it is about, and that the task starts from
	Reason         task.Reason       `json:"reason,omitempty"` // "": go on; else the task is held for it
	Detail         string            `json:"detail,omitempty"`
	Profile        string            `json:"profile,omitempty"`
	Skipped        []string          `json:"skipped,omitempty"`         // profiles without canary, with the reason
	AlreadyPassing []string          `json:"already_passing,omitempty"` // the task's own profiles that are green on the base
	Tests          []signature.Tests `json:"tests,omitempty"`           // of each check on the base, in the order of Policy.Checks
	Touched        []string          `json:"touched,omitempty"`         // protected files that the checks change by themselves
	DurationMS     int64             `json:"duration_ms"`
	Facts          *Facts            `json:"-"`
}

// A Try is one start of the generator, as it ended.
type Try struct {
	N          int               `json:"n"` // counted over the whole task
	Started    time.Time         `json:"started"`
	DurationMS int64             `json:"duration_ms"`
	Strategy   recovery.Strategy `json:"strategy,omitempty"`
	Mode       string            `json:"mode,omitempty"`
	Model      string            `json:"model,omitempty"`

	Ended          string `json:"ended"` // exit, signal, timeout, silence, interrupted
	ExitCode       int    `json:"exit_code"`
	Signal         string `json:"signal,omitempty"`
	ProcessesEnded int    `json:"processes_ended"`
	ProcessControl string `json:"process_control,omitempty"` // cgroup, subreaper, group
	Sandbox        string `json:"sandbox,omitempty"`

	Status    string `json:"status,omitempty"` // of the report: candidate_ready, no_change, needs_input, failed
	Summary   string `json:"summary,omitempty"`
	Question  string `json:"question,omitempty"`
	Approach  string `json:"approach,omitempty"`
	SessionID string `json:"session_id,omitempty"`

	Failure      recovery.Failure `json:"failure"`         // category none: the try did not fail by itself
	Usage        *Usage           `json:"usage,omitempty"` // nil: not reported
	Cost         *unit.Money      `json:"cost_usd,omitempty"`
	InnerRetries int              `json:"inner_retries,omitempty"`

	Candidate Candidate `json:"candidate"`
	Effects   Effects   `json:"effects,omitzero"`

	Request File `json:"request"`
	Prompt  File `json:"prompt"`
	Report  File `json:"report"`
	Stdout  File `json:"stdout"`
	Stderr  File `json:"stderr"`
}

// Effects are the lines that a try appended to the effects file, for a task
// with operations.
type Effects struct {
	Lines []EffectLine `json:"lines,omitempty"`
	Torn  string       `json:"torn,omitempty"` // missing, torn, shorter: then nothing it says is known
}

// An EffectLine is what the generator said of one operation.
type EffectLine struct {
	Op     string `json:"op"`
	ID     string `json:"id"`
	Status string `json:"status"` // intent, done
}

// Observed is what a command of looprun's found out about an operation, or
// did to undo it.
type Observed struct {
	Op     string `json:"op"`
	ID     string `json:"id"`
	Result string `json:"result"` // applied, not_applied, unknown; of compensate: done, failed
	Output File   `json:"output,omitzero"`
}

// Usage counts tokens in the four classes that are charged apart.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

// A Candidate is what the generator changed, as an exact tree and commit.
type Candidate struct {
	Base    string   `json:"base,omitempty"`
	Tree    string   `json:"tree,omitempty"`
	Commit  string   `json:"commit,omitempty"`
	Changed []Change `json:"changed,omitempty"`
	Lines   int      `json:"changed_lines"`
	Patch   File     `json:"patch,omitzero"`
	// Refused is what the scan found that can be no part of a candidate.
	Refused []signature.BoundaryError `json:"refused,omitempty"`
	Ignored []string                  `json:"ignored_new,omitempty"` // ignored files that the generator made
}

// A Change is one path that differs from the base.
type Change struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // A, M, D, T
	OldMode string `json:"old_mode,omitempty"`
	NewMode string `json:"new_mode,omitempty"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Size    int64  `json:"size,omitempty"`
	Binary  bool   `json:"binary,omitempty"`
}

// Evidence is what looprun itself saw of a candidate: the boundary first, and
// where that is clean the checks in order.
type Evidence struct {
	Boundary   []signature.BoundaryError `json:"boundary_errors"`
	Checks     []CheckResult             `json:"checks"`
	RedToGreen []string                  `json:"red_to_green,omitempty"`
	Infra      bool                      `json:"infra,omitempty"`  // the only failures are of the environment
	Hidden     bool                      `json:"hidden,omitempty"` // every visible check passed, a hidden one did not
	Tree       string                    `json:"tree,omitempty"`   // what was judged
	DurationMS int64                     `json:"duration_ms"`
}

// A CheckResult is one check as it ran last.
type CheckResult struct {
	signature.Check
	Profile    string   `json:"profile"`
	DurationMS int64    `json:"duration_ms"`
	Flaky      bool     `json:"flaky,omitempty"` // failed first, then passed
	Infra      bool     `json:"infra,omitempty"` // every failure is of the environment
	Hidden     bool     `json:"hidden,omitempty"`
	Passed     bool     `json:"passed"`          // exit 0, and tests ran where the tool says how many
	Notes      []string `json:"notes,omitempty"` // what was wrong with the report, or could not be read of the output
	Stdout     File     `json:"stdout"`
	Stderr     File     `json:"stderr"`
}

// Landed is where an accepted candidate was handed over, or why it was not.
type Landed struct {
	Mode   string      `json:"mode"` // branch, merge, patch, none, commit
	Branch string      `json:"branch,omitempty"`
	Commit string      `json:"commit,omitempty"`
	Note   string      `json:"note,omitempty"`
	Reason task.Reason `json:"reason,omitempty"` // land_failed or merge_conflict
	Detail string      `json:"detail,omitempty"`
	Patch  File        `json:"patch,omitzero"`
	Merged *Candidate  `json:"merged,omitempty"` // a new merge commit that has to pass the checks before it lands
}

// Finished is the last event of a task.
type Finished struct {
	Workspace    string   `json:"workspace"` // reset, left
	RejectedRefs []string `json:"rejected_refs,omitempty"`
}
