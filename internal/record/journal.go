package record

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
)

const (
	journalFile = "journal.jsonl"
	// A journal holds what the checks printed only as digests and failures, so
	// one that is larger is not ours.
	maxJournal = 256 << 20
)

// A Journal is the record of one task, open for appending.
type Journal struct {
	ID string

	dir *fsx.Dir
	log *fsx.Log
	content
	told int // how many of its events stand in events.jsonl
}

// content is what a journal says: its lines, and what follows from them.
type content struct {
	lines  []Line
	state  round.State
	head   string // digest of the last line
	events []EventView
}

// with returns c with one more line, whose bytes without newline are raw.
func (c content) with(l Line, raw []byte) content {
	c.lines = append(c.lines, l)
	c.state = c.state.Apply(l.Event)
	c.head = Digest(raw)
	c.events = append(c.events, newEventView(l, c.head, c.state))
	return c
}

// Head is the digest of the last line: whoever keeps it can tell later whether
// lines were cut off or rewritten.
func (j *Journal) Head() string { return j.head }

// State is the fold of all events.
func (j *Journal) State() round.State { return j.state }

// Lines are all lines so far. They must not be changed.
func (j *Journal) Lines() []Line { return j.lines }

// Dir is the task's own directory in .loop/tasks.
func (j *Journal) Dir() string { return j.dir.Path() }

// Close lets go of the files.
func (j *Journal) Close() error {
	return errors.Join(j.log.Close(), j.dir.Close())
}

// Append makes events durable with one write: all of them, or after a crash a
// whole number of the first ones.
func (j *Journal) Append(at time.Time, events ...round.Event) error {
	var all []byte
	c := j.content
	for _, e := range events {
		l := Line{Seq: len(c.lines) + 1, Prev: c.head, At: at.UTC(), Event: e}
		raw, err := l.encode()
		if err != nil {
			return err
		}
		all, c = append(all, raw...), c.with(l, raw[:len(raw)-1])
	}
	if err := j.log.Write(all); err != nil {
		return fmt.Errorf("append to journal of %s: %w", j.ID, err)
	}
	j.content = c
	return nil
}

// begin makes the journal of a task that was just claimed. Its directory may
// be left from a claim that died before the first line.
func begin(tasks *fsx.Dir, id string, at time.Time, c round.Claimed) (*Journal, error) {
	if err := tasks.Mkdir(id); err != nil {
		return nil, fmt.Errorf("make record of %s: %w", id, err)
	}
	j, err := open(tasks, id)
	if err != nil {
		return nil, err
	}
	if len(j.lines) > 0 {
		return nil, errors.Join(fmt.Errorf("begin journal of %s: %w", id, fs.ErrExist), j.Close())
	}
	if err := j.Append(at, round.Event{Kind: round.Claim, Claimed: &c}); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// open reads a journal and sets a torn tail aside. A task without a journal
// has an empty one.
func open(tasks *fsx.Dir, id string) (*Journal, error) {
	dir, err := tasks.Sub(id)
	if err != nil {
		return nil, fmt.Errorf("open record of %s: %w", id, err)
	}
	j := &Journal{ID: id, dir: dir}
	data, err := readJournal(dir)
	if err == nil {
		var whole int
		if j.content, whole, err = parse(data); err == nil && whole < len(data) {
			err = dir.Replace(aside(dir, journalFile+".torn"), data[whole:])
			data = data[:whole]
		}
	}
	if err == nil {
		j.log, err = dir.Append(journalFile)
	}
	if err == nil {
		err = cutTo(j.log, dir, len(data))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open journal of %s: %w", id, err), dir.Close())
	}
	j.told = len(j.events)
	return j, nil
}

// cutTo takes the torn tail off, once it is safe under another name.
func cutTo(log *fsx.Log, dir *fsx.Dir, size int) error {
	info, err := dir.Lstat(journalFile)
	if err != nil || info.Size() == int64(size) {
		return err
	}
	return log.Truncate(int64(size))
}

func readJournal(dir *fsx.Dir) ([]byte, error) {
	data, err := dir.Read(journalFile, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// aside is a name that is not taken yet: base, base-2, base-3, ...
func aside(dir *fsx.Dir, base string) string {
	name := base
	for n := 2; ; n++ {
		if _, err := dir.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
}
