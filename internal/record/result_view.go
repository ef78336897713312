package record

import (
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// A ResultView is results/<id>.json, and the line that run --json prints for a
// task that ended: what was decided, on what evidence, and where it is.
type ResultView struct {
	Schema       string         `json:"schema"`
	Decision     task.Decision  `json:"decision"`
	Reason       task.Reason    `json:"reason"`
	TaskID       string         `json:"task_id"`
	Title        string         `json:"title,omitempty"`
	Round        int            `json:"round"`
	Tries        int            `json:"tries"`
	Generation   *Generation    `json:"generation,omitempty"`
	Verification *Verification  `json:"verification,omitempty"`
	Signature    string         `json:"failure_signature,omitempty"`
	Same         int            `json:"consecutive_same_failure,omitempty"`
	Trend        string         `json:"trend,omitempty"`
	Request      string         `json:"request,omitempty"`
	Detail       string         `json:"detail,omitempty"`
	Advice       task.Advice    `json:"advice,omitempty"`
	Base         string         `json:"base,omitempty"` // the commit that the task started from
	Commit       string         `json:"commit,omitempty"`
	Branch       string         `json:"branch,omitempty"`
	Landed       string         `json:"landed,omitempty"`
	Note         string         `json:"note,omitempty"`
	BestRound    int            `json:"best_round,omitempty"`
	History      []HistoryEntry `json:"history"`
	Workspace    string         `json:"workspace,omitempty"`
	RejectedRefs []string       `json:"rejected_refs"`
	Spent        SpentView      `json:"spent"`
	Handover     *Handover      `json:"handover,omitempty"`
	ChainHead    string         `json:"chain_head"`
}

// A HistoryEntry is one decision of a task, in the order in which they were
// taken. It is kept on success too.
type HistoryEntry struct {
	Round     int           `json:"round"`
	Try       int           `json:"try"`
	Decision  task.Decision `json:"decision"`
	Reason    task.Reason   `json:"reason"`
	Rule      string        `json:"rule"`
	Strategy  string        `json:"strategy,omitempty"`
	Signature string        `json:"failure_signature,omitempty"`
}

// NewResultView renders the result of a task that has ended.
func NewResultView(s round.State, lines []Line, head string) ResultView {
	d := s.Decision
	v := ResultView{
		Schema: "looprun.result/1", Decision: d.Kind, Reason: d.Reason, TaskID: s.Task.ID, Title: s.Task.Title,
		Round: s.Round, Tries: s.Tries, Trend: d.Trend, Request: d.Request, Detail: d.Detail, Advice: d.Advice,
		BestRound: d.BestRound, History: history(lines), Spent: spent(s), ChainHead: head,
		Workspace: s.Finished.Workspace, RejectedRefs: s.Finished.RejectedRefs,
		Handover: newHandover(s), Base: s.Claimed.Base, Branch: s.Landed.Branch, Landed: s.Landed.Mode, Note: s.Landed.Note,
	}
	if v.RejectedRefs == nil {
		v.RejectedRefs = []string{}
	}
	if s.Tries > 0 {
		v.Generation = &Generation{Status: s.Try.Status, Summary: s.Try.Summary}
	}
	if s.Judged {
		verified := newVerification(s.Evidence, newCandidateView(s.Try.Candidate))
		v.Verification = &verified
	}
	if d.Kind == task.Completed {
		v.Commit = s.Landed.Commit
		if v.Commit == "" {
			v.Commit = s.Try.Candidate.Commit
		}
	} else {
		v.Signature, v.Same = d.Signature.Hash, d.Count
	}
	return v
}

// history lists every decision of a journal. A prefix of it never changes.
func history(lines []Line) []HistoryEntry {
	all := []HistoryEntry{}
	var s round.State
	for _, l := range lines {
		if l.Kind == round.Decide {
			d := l.Decision
			all = append(all, HistoryEntry{
				Round: s.Round, Try: s.Tries, Decision: d.Kind, Reason: d.Reason, Rule: d.Rule,
				Strategy: string(d.Strategy), Signature: d.Signature.Hash,
			})
		}
		s = s.Apply(l.Event)
	}
	return all
}

// A PassView is the line that run --json prints for a task that a pass left
// before its end.
type PassView struct {
	Decision       task.Decision `json:"decision"`
	Reason         task.Reason   `json:"reason"`
	TaskID         string        `json:"task_id"`
	CompletedRound int           `json:"completed_round"`
	NextRound      int           `json:"next_round"`
	Plan           string        `json:"plan,omitempty"`
	Signature      string        `json:"failure_signature,omitempty"`
	NotBefore      string        `json:"not_before,omitempty"`
	Advice         task.Advice   `json:"advice,omitempty"`
	Detail         string        `json:"detail,omitempty"`
	ChainHead      string        `json:"chain_head"`
}
