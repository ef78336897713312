package generator

import (
	"context"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/recovery"
)

// A Start is all that one try is given.
type Start struct {
	Adapter Adapter
	Command []string // generator.command; empty: the adapter's own
	Home    string   // the folder of loop.yaml, from which a command with a slash is resolved
	Wrap    []string // a launcher that ends in an exec of the rest

	Dir     string // the task's tree: the working directory
	TaskDir string // the task's records: paths in the Try are relative to it
	LogDir  string // where the raw logs go, made if missing: try-03.stdout and so on

	// Request and Prompt are written to their paths before the start.
	Request, Prompt         []byte
	RequestPath, PromptPath string
	ReportPath, EffectsPath string
	PlanPath                string // "" in the first round

	// Store is the folder in which programs keep settings and sessions for this
	// task, the same in each of its tries. "": they use the user's own.
	Store    string
	Confined bool // Wrap puts the program into a sandbox
	// Before is what the earlier tries of the session ResumeID took.
	Before Told

	TaskID         string
	Round, Try     int
	RunID          string // unique for this start
	Strategy       recovery.Strategy
	Mode           string
	Model          string
	ResumeID       string
	Deadline       time.Time
	IdempotencyKey string
	TraceParent    string

	Env    Env
	Redact []string // globs for names of variables whose values are secrets

	Wall, Silence, Grace time.Duration
	MaxOutput            int64
	Active               func() time.Time // the last change of a file in the tree
	Started              func(child.Proc)

	// Changed tells whether the tree differs from before the start. It is asked
	// when no process of the generator is left. nil: nobody knows, so no.
	Changed  func(context.Context) (bool, error)
	Patterns []recovery.CompiledPattern
	Zone     recovery.Zone // nil: clock times in error texts are not read
}
