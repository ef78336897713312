package round

import (
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A Decision is what decide answers, with all that a record has to say of why.
type Decision struct {
	Kind     task.Decision     `json:"decision"`
	Reason   task.Reason       `json:"reason"`
	Rule     string            `json:"rule"` // which rule of decide fitted first
	Category recovery.Category `json:"category,omitempty"`
	Detail   string            `json:"detail,omitempty"` // the failure in words

	Strategy recovery.Strategy `json:"strategy,omitempty"` // of retry
	Mode     string            `json:"mode,omitempty"`
	NewRound bool              `json:"new_round,omitempty"`
	Step     recovery.Step     `json:"step,omitzero"`
	Back     bool              `json:"first_model,omitempty"` // the next start is on the first model again
	Skipped  []Skip            `json:"skipped,omitempty"`

	Delay      unit.Duration `json:"delay,omitempty"`
	Base       unit.Duration `json:"base_delay,omitempty"` // before jitter and Retry-After
	Draw       float64       `json:"draw,omitempty"`
	RetryAfter unit.Duration `json:"retry_after,omitempty"`
	NotBefore  time.Time     `json:"not_before,omitzero"` // of retry with a wait, and of held

	Target string `json:"target,omitempty"` // of held: what is at fault, see Scope
	After  Kind   `json:"after,omitempty"`  // of held: the step to go on with
	Op     string `json:"op,omitempty"`     // of observe and compensate
	OpID   string `json:"op_id,omitempty"`

	Signature signature.Signature `json:"failure,omitzero"`
	Count     int                 `json:"consecutive_same_failure,omitempty"`
	Trend     string              `json:"trend,omitempty"`
	Advice    task.Advice         `json:"advice,omitempty"`
	BestRound int                 `json:"best_round,omitempty"`
	Request   string              `json:"request,omitempty"` // what a person is asked for
}

// A Skip is a step of a chain that was passed over, and why.
type Skip struct {
	Strategy recovery.Strategy `json:"strategy"`
	Why      string            `json:"why"`
}

// Ends reports whether the decision ends the task.
func (d Decision) Ends() bool { return d.Kind.Stage() != "" }

// Scope names what a category is the fault of, for holds and breakers: two
// tasks whose failures have the same scope and target are held together. A
// category of the user's own is the fault of what its class is about.
func Scope(c recovery.Category, classes recovery.Classes) string {
	if c.Class() == recovery.Other {
		switch classes.Of(c) {
		case recovery.Transient:
			return "model"
		case recovery.Ambient:
			return "account"
		}
	}
	switch c {
	case recovery.Auth:
		return "account"
	case recovery.RateLimited, recovery.Overloaded, recovery.Network,
		recovery.QuotaExhausted, recovery.ModelNotFound:
		return "model"
	case recovery.ToolUnavailable, recovery.GeneratorBroken, recovery.Crashed, recovery.Stalled:
		return "command"
	case recovery.BaselineRed, recovery.CheckReadsOtherTree, recovery.CheckNotInBase, recovery.CheckEnvironment:
		return "profile"
	}
	return "loop"
}
