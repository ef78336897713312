package record

import (
	"encoding/json"
	"fmt"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/unit"
)

// The verbs that make a follow-up.
const (
	Answer = "answer"
	Retry  = "retry"
)

// A FollowUp is what a person gives a task along that goes on where another
// ended. It stands beside the queue, not in the task's file: a file that
// anything may drop into the inbox can approve nothing and raise no limit.
type FollowUp struct {
	Verb      string     `json:"verb"`
	ID        string     `json:"id"`
	Of        string     `json:"of"`
	Answer    string     `json:"answer,omitempty"`
	Approve   bool       `json:"approve,omitempty"`
	AddRounds int        `json:"add_rounds,omitempty"`
	AddCost   unit.Money `json:"add_cost_usd,omitempty"`
	At        time.Time  `json:"at"`
}

func (f FollowUp) file() string { return f.Verb + "-" + f.ID + ".json" }

// RequestFollowUp makes f durable. The task's file is published after it, so
// that no claim can miss it.
func RequestFollowUp(loop *fsx.Dir, f FollowUp) error {
	dir, err := within(loop, requestsDir)
	if err != nil {
		return fmt.Errorf("ask for %s: %w", f.ID, err)
	}
	defer dir.Close()
	data, err := json.MarshalIndent(f, "", "  ")
	if err == nil {
		err = dir.Replace(f.file(), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("ask for %s: %w", f.ID, err)
	}
	return nil
}

// RequestedFollowUp is what was given along with the task id, false if it
// follows up none.
func RequestedFollowUp(loop *fsx.Dir, id string) (FollowUp, bool, error) {
	for _, verb := range []string{Answer, Retry} {
		f := FollowUp{Verb: verb, ID: id}
		data, err := loop.Read(requestsDir+"/"+f.file(), 4<<20)
		if missing(err) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(data, &f)
		}
		if err != nil {
			return f, false, fmt.Errorf("read what was asked for %s: %w", id, err)
		}
		return f, true, nil
	}
	return FollowUp{}, false, nil
}
