package web

import (
	"context"

	"looprun.dev/looprun/internal/task"
)

// A Desk is what the pages need beside the records: the queue, what commands
// print, and what they do. Many goroutines use it at once.
type Desk interface {
	// Files lists a stage by name, without a look at any of the files.
	Files(stage task.Stage) ([]File, error)
	// Moved is when a file came into its stage, in nanoseconds; 0 if it is gone.
	Moved(stage task.Stage, name string) int64
	// Read is the text of a task file.
	Read(stage task.Stage, name string) ([]byte, error)
	// Faults tells why a file in blocked is in quarantine, and what to do.
	Faults(name string) (faults []task.Fault, hint string, err error)

	// Status and Show are what the commands print with --json.
	Status() Said
	Show(id string) Said

	Actions
}

// Actions are the commands that change something, each the very one that a
// person types.
type Actions interface {
	Add(data []byte) Said
	Answer(id, text string, approve bool) Said
	Retry(id string, rounds int, cost string) Said
	Cancel(ctx context.Context, id string) Said
	Pause(reason, until string) Said
	Resume() Said
}

// A File is one of a stage, by its name alone.
type File struct {
	Name, ID    string
	Quarantined bool // it stands in blocked and never was a task
}

// Said is what a command said: what it printed, what it complained of, and
// whether it did what was asked.
type Said struct {
	Out, Faults []byte
	Kind        Kind
}

// A Kind is how a command ended.
type Kind int

// The kinds.
const (
	OK      Kind = iota
	Missing      // there is no such task
	Refused      // what was asked does not fit the task, the words or loop.yaml
	Failed       // looprun or the disk is at fault
)
