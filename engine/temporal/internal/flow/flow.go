// Package flow is a task as a Temporal workflow: the core's round.Play, with a
// host whose steps are activities, whose waits are timers and whose journal is
// a variable of the workflow.
//
// It must do nothing that a replay would do differently: no clock but the
// workflow's, no file, no process, no random draw outside a side effect. It
// decides nothing about a task; that is the core's.
package flow

import (
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// Core is the version of the rules that decide. Queues carry it in their names,
// so that a task which runs keeps the rules that it was started with: workers of
// a new version take up new tasks only, those of the old one stay until their
// queue is empty. It is raised with a release that decides otherwise.
const Core = 1

// Name is the type of the workflow.
const Name = "looprun.task"

// The names of the activities.
const (
	Preflight  = "preflight"
	Generate   = "generate"
	Verify     = "verify"
	Consult    = "consult"
	Observe    = "observe"
	Compensate = "compensate"
	Land       = "land"
	Forget     = "forget"
	Return     = "return"
)

// The names of signals and queries.
const (
	OrderSignal  = "order"
	StatusQuery  = "status"
	JournalQuery = "journal"
)

// An Input is what a task is started with, and goes on with after a
// continue-as-new.
type Input struct {
	ID      string `json:"id"`
	Journal string `json:"journal"` // all that is recorded so far, the claim first
	Setup   Setup  `json:"setup"`
	Carried Left   `json:"carried,omitzero"`
}

// A Setup is what the section engine of loop.yaml says, as of the start.
type Setup struct {
	Queue     string        `json:"queue"`
	Heartbeat time.Duration `json:"heartbeat"`
	Models    []string      `json:"models,omitempty"` // those that have a queue of their own
	Events    int           `json:"events,omitempty"` // of history before it is continued as new
}

// A Left is what a workflow knows beside its journal.
type Left struct {
	Cancel      bool          `json:"cancel,omitempty"`
	Pause       bool          `json:"pause,omitempty"`
	PausedSince time.Time     `json:"paused_since,omitzero"`
	PausedFor   time.Duration `json:"paused_for,omitempty"`
	Worker      string        `json:"worker,omitempty"` // that has the task's tree
}

// An Order is what a person asks of a task that runs.
type Order struct {
	Verb string `json:"verb"` // pause, resume, cancel
	Now  bool   `json:"now,omitempty"`
}

// The verbs of orders.
const (
	PauseVerb  = "pause"
	ResumeVerb = "resume"
	CancelVerb = "cancel"
)

// A Call is what an activity is given: the task, and all that is recorded of it.
type Call struct {
	ID      string `json:"id"`
	Journal string `json:"journal"`
}

// A Generated is how a try ended, or why the generator was not started.
type Generated struct {
	Try     round.Try   `json:"try"`
	Worker  string      `json:"worker"`
	Unready task.Reason `json:"unready,omitempty"`
	Detail  string      `json:"detail,omitempty"`
}

// A Status is where a task stands.
type Status struct {
	record.StateView
	Decision task.Decision `json:"decision,omitempty"`
	Reason   task.Reason   `json:"reason,omitempty"`
	Paused   bool          `json:"paused,omitempty"`
	Cancel   bool          `json:"cancel,omitempty"`
	Worker   string        `json:"worker,omitempty"`
	Problem  string        `json:"problem,omitempty"` // why a step is being repeated
}

// An Outcome is the result of the workflow: what became of the task.
type Outcome struct {
	ID       string        `json:"task_id"`
	Decision task.Decision `json:"decision"`
	Reason   task.Reason   `json:"reason"`
	Round    int           `json:"round"`
	Tries    int           `json:"tries"`
	Commit   string        `json:"commit,omitempty"`
	Branch   string        `json:"branch,omitempty"`
	Head     string        `json:"chain_head"`
}
