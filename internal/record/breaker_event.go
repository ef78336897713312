package record

import (
	"encoding/json"
	"fmt"
	"time"

	"looprun.dev/looprun/internal/task"
)

// A BreakerEvent is the line of events.jsonl about a target that is held from
// now on, or works again. It belongs to no task.
type BreakerEvent struct {
	Schema    string      `json:"schema"`
	At        time.Time   `json:"at"`
	Kind      string      `json:"kind"` // breaker
	Target    string      `json:"target"`
	State     string      `json:"state"` // closed, open
	Reason    task.Reason `json:"reason,omitempty"`
	Detail    string      `json:"detail,omitempty"`
	NotBefore *time.Time  `json:"not_before,omitempty"`
}

// TellBreaker appends that the state of a target has changed. It is told once,
// and not again after a crash: the circuit itself is on disk.
func (s *Store) TellBreaker(c Circuit, at time.Time) error {
	e := BreakerEvent{Schema: "looprun.event/1", At: at.UTC(), Kind: "breaker", Target: c.Target, State: c.State}
	if c.State == PhaseOpen {
		until := c.Until.UTC()
		e.Reason, e.Detail, e.NotBefore = c.Reason, c.Detail, &until
	}
	raw, err := json.Marshal(e)
	if err == nil {
		_, err = s.events.Write(append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("append to %s: %w", eventsFile, err)
	}
	return nil
}
