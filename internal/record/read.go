package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
)

// A Reader looks at .loop and changes nothing in it. It needs no lock: journals
// only grow, and views are replaced whole.
type Reader struct{ loop *fsx.Dir }

// NewReader opens the records at path. Its error is fs.ErrNotExist where
// looprun never ran.
func NewReader(path string) (*Reader, error) {
	loop, err := fsx.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open records %s: %w", path, err)
	}
	return &Reader{loop: loop}, nil
}

// Close lets go of the directory.
func (r *Reader) Close() error { return r.loop.Close() }

// Owner tells who holds the lock, and whether anybody does.
func (r *Reader) Owner() (Owner, bool, error) { return Held(r.loop) }

// A History is a journal as it was read.
type History struct {
	State round.State
	Lines []Line
	Head  string
	Torn  bool // a crash cut its last line
}

// Task reads the journal of a task. The error is fs.ErrNotExist for a task that
// was never claimed and ErrDamaged for lines that do not follow; then the
// lines before the damage are returned with it.
func (r *Reader) Task(id string) (History, error) {
	data, err := r.loop.Read(filepath.Join("tasks", id, journalFile), maxJournal)
	if err != nil {
		return History{}, fmt.Errorf("read journal of %s: %w", id, err)
	}
	c, whole, err := parse(data)
	if err != nil {
		err = fmt.Errorf("journal of %s: %w", id, err)
	} else if len(c.lines) == 0 {
		err = fmt.Errorf("journal of %s: %w: it is empty", id, ErrDamaged)
	}
	return History{State: c.state, Lines: c.lines, Head: c.head, Torn: whole < len(data)}, err
}

// Result reads the result of a task that has ended.
func (r *Reader) Result(id string) (ResultView, error) {
	var v ResultView
	return v, r.view(filepath.Join("results", id+".json"), &v)
}

// State reads the state of a task without its journal.
func (r *Reader) State(id string) (StateView, error) {
	var v StateView
	return v, r.view(filepath.Join("tasks", id, "state.json"), &v)
}

func (r *Reader) view(name string, into any) error {
	data, err := r.loop.Read(name, maxJournal)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w: run looprun again to have it rendered anew", name, err)
	}
	return nil
}

// Paused tells whether the pause flag is set, and what was written into it.
func (r *Reader) Paused() (Pause, bool, error) { return PauseFlag(r.loop) }

// PausedAt tells whether looprun is paused at now.
func (r *Reader) PausedAt(now time.Time) (Pause, bool, error) { return PausedAt(r.loop, now) }

// missing reports an error that only says that nothing is there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Contains reports whether digest is that of one of the lines: whoever kept it
// then knows that nothing up to that line was cut off or rewritten.
func (h History) Contains(digest string) bool {
	for _, l := range h.Lines {
		if l.Seq > 1 && l.Prev == digest {
			return true
		}
	}
	return digest != "" && digest == h.Head
}
