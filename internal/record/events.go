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
	Trace     Trace         `json:"trace_id"`    // of the task
	Span      string        `json:"span_id"`     // of the try, before the first that of the task
}

// newEventView tells of line l, whose digest is head and after which the task
// was in state s.
func newEventView(l Line, head string, s round.State) EventView {
	v := EventView{
		Schema: "looprun.event/1", At: l.At, TaskID: s.Task.ID, Seq: l.Seq, Kind: l.Kind,
		Round: s.Round, Try: s.Tries, Line: head, Trace: TraceOf(s),
	}
	if v.Span = v.Trace.TaskSpan(); s.Tries > 0 {
		v.Span = v.Trace.TrySpan(s.Tries)
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
// by Recover.
func (s *Store) Tell(j *Journal) error {
	if err := s.append(j.untold); err != nil {
		return err
	}
	j.untold = nil
	return nil
}

// append writes whole lines with one write, so that several tasks may be told
// of at once.
func (s *Store) append(views []EventView) error {
	var out []byte
	for _, v := range views {
		raw, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("encode event %d of %s: %w", v.Seq, v.TaskID, err)
		}
		out = append(append(out, raw...), '\n')
	}
	if len(out) == 0 {
		return nil
	}
	if _, err := s.events.Write(out); err != nil {
		return fmt.Errorf("append to %s: %w", eventsFile, err)
	}
	return nil
}

// catchUp tells the events of j but for those told already.
func (s *Store) catchUp(j *Journal, told map[int]bool) error {
	var views []EventView
	var c content
	for i, l := range j.lines {
		c.state = c.state.Apply(l.Event)
		head := j.head
		if i+1 < len(j.lines) {
			head = j.lines[i+1].Prev
		}
		if !told[l.Seq] {
			views = append(views, newEventView(l, head, c.state))
		}
	}
	return s.append(views)
}

// told gives the seqs of some tasks that stand in events.jsonl. A last line
// that a crash tore is taken off.
func (s *Store) told(ids []string) (map[string]map[int]bool, error) {
	told := map[string]map[int]bool{}
	for _, id := range ids {
		told[id] = map[int]bool{}
	}
	f, err := os.Open(filepath.Join(s.Path(), eventsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return told, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	defer f.Close()
	whole, size, err := eachLine(f, func(raw []byte) {
		var v EventView
		if json.Unmarshal(raw, &v) == nil && told[v.TaskID] != nil {
			told[v.TaskID][v.Seq] = true
		}
	})
	if err == nil && whole < size {
		err = s.events.Truncate(whole)
	}
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return told, nil
}

// maxEvent bounds a line of events.jsonl. A longer one is not ours.
const maxEvent = 1 << 20

// eachLine visits the lines of r and returns how many bytes they are, and how
// many r has in all: what follows the last newline is no line.
func eachLine(r io.Reader, visit func([]byte)) (whole, size int64, err error) {
	lines := bufio.NewReaderSize(r, maxEvent)
	long := false
	for {
		raw, err := lines.ReadSlice('\n')
		size += int64(len(raw))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long = true
		case err == nil:
			if !long {
				visit(raw)
			}
			whole, long = size, false
		case err == io.EOF:
			return whole, size, nil
		default:
			return whole, size, err
		}
	}
}
