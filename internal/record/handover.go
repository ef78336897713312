package record

import (
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// A Handover is what a person needs who takes over where a task stopped: what
// was going on outside, how far it came, and what is asked.
type Handover struct {
	Operation    string            `json:"operation,omitempty"` // the one that the stop is about
	OperationID  string            `json:"operation_id,omitempty"`
	Target       string            `json:"target,omitempty"`
	InputHash    string            `json:"input_hash"` // SHA-256 of the task's file
	Category     recovery.Category `json:"category,omitempty"`
	Tries        int               `json:"tries"`
	Effect       string            `json:"effect"`       // none, unknown, applied, not_applied
	Checkpoint   string            `json:"checkpoint"`   // the last candidate's commit
	Compensation string            `json:"compensation"` // none, defined, done, failed
	Permissions  string            `json:"permissions,omitempty"`
	Question     string            `json:"question,omitempty"`
}

// newHandover is nil where nobody has to take over: a task that is done, or
// blocked without anything outside.
func newHandover(s round.State) *Handover {
	d := s.Decision
	if d.Kind != task.NeedsInput && d.Op == "" {
		return nil
	}
	h := &Handover{
		Operation: d.Op, OperationID: d.OpID, Target: s.Policy.Effects[d.Op].Target,
		InputHash: s.Claimed.TaskFile.SHA256, Category: d.Category, Tries: s.Tries,
		Effect: "none", Checkpoint: s.Try.Candidate.Commit, Compensation: "none", Question: d.Request,
	}
	if d.Reason == task.PermissionDenied {
		h.Permissions = s.Try.Failure.Detail
	}
	if len(s.Policy.Effects[d.Op].Compensate) > 0 {
		h.Compensation = "defined"
	}
	for _, op := range s.Ops {
		if op.Op != d.Op || op.ID != d.OpID {
			continue
		}
		h.Effect = op.Known
		switch {
		case op.UndoFail:
			h.Compensation = "failed"
		case op.Undone:
			h.Compensation = "done"
		}
	}
	return h
}
