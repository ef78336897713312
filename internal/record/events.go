package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

const eventsFile = "events.jsonl"

// An EventView is one line of events.jsonl: a change of state, for tail -f and
// tools. Each is counted once by its task and seq.
type EventView struct {
	Schema    string        `json:"schema"`
	At        time.Time     `json:"at"`
	TaskID    string        `json:"task_id"`
	Seq       int           `json:"seq"`
	Kind      round.Kind    `json:"kind"`
	Round     int           `json:"round"`
	Try       int           `json:"try"`
	Decision  task.Decision `json:"decision,omitempty"`
	Reason    task.Reason   `json:"reason,omitempty"`
	Rule      string        `json:"rule,omitempty"`
	Category  string        `json:"category,omitempty"`
	Strategy  string        `json:"strategy,omitempty"`
	Signature string        `json:"failure_signature,omitempty"`
	Trend     string        `json:"trend,omitempty"`
	NotBefore *time.Time    `json:"not_before,omitempty"`
	Commit    string        `json:"commit,omitempty"`
	Line      string        `json:"line_sha256"` // the journal line that it tells of
}

// newEventView tells of line l, whose digest is head and after which the task
// was in state s.
func newEventView(l Line, head string, s round.State) EventView {
	v := EventView{
		Schema: "looprun.event/1", At: l.At, TaskID: s.Task.ID, Seq: l.Seq, Kind: l.Kind,
		Round: s.Round, Try: s.Tries, Line: head,
	}
	switch l.Kind {
	case round.Decide:
		d := l.Decision
		v.Decision, v.Reason, v.Rule = d.Kind, d.Reason, d.Rule
		v.Category, v.Strategy, v.Signature, v.Trend = string(d.Category), string(d.Strategy), d.Signature.Hash, d.Trend
		if !d.NotBefore.IsZero() {
			v.NotBefore = &d.NotBefore
		}
	case round.Generate:
		v.Category, v.Commit = string(l.Try.Failure.Category), l.Try.Candidate.Commit
	case round.Land:
		v.Commit, v.Reason = l.Landed.Commit, l.Landed.Reason
	case round.Finish:
		v.Decision, v.Reason = s.Decision.Kind, s.Decision.Reason
	}
	return v
}

// Tell appends the events of j that were not told yet to events.jsonl. The
// file is for watchers and is not fsynced: what a crash took away is told again
// by Catchup.
func (s *Store) Tell(j *Journal) error {
	var out []byte
	for _, v := range j.events[j.told:] {
		raw, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("encode event %d of %s: %w", v.Seq, j.ID, err)
		}
		out = append(append(out, raw...), '\n')
	}
	if _, err := s.events.Write(out); err != nil {
		return fmt.Errorf("append to %s: %w", eventsFile, err)
	}
	j.told = len(j.events)
	return nil
}

// Catchup tells what events.jsonl lacks of the journals, after a pass that did
// not end cleanly.
func (s *Store) Catchup(journals ...*Journal) error {
	told, err := s.told()
	if err != nil {
		return err
	}
	for _, j := range journals {
		j.told = min(told[j.ID], len(j.events))
		if err := s.Tell(j); err != nil {
			return err
		}
	}
	return nil
}

// told is the last seq of each task in events.jsonl. A line that a crash tore
// is ended, so that the next one stands alone.
func (s *Store) told() (map[string]int, error) {
	f, err := os.Open(filepath.Join(s.Path(), eventsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	defer f.Close()
	last := map[string]int{}
	r := bufio.NewReader(f)
	for {
		raw, err := r.ReadBytes('\n')
		var v EventView
		if err == nil && json.Unmarshal(raw, &v) == nil {
			last[v.TaskID] = max(last[v.TaskID], v.Seq)
		}
		switch {
		case err == io.EOF && len(raw) > 0:
			_, err = s.events.Write([]byte("\n"))
			return last, err
		case err == io.EOF:
			return last, nil
		case err != nil:
			return nil, fmt.Errorf("read events: %w", err)
		}
	}
}
