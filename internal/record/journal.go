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

	store *Store
	dir   *fsx.Dir
	log   *fsx.Log
	content
	untold []EventView // recorded, and not in events.jsonl yet
}

// content is what a journal says: its lines, and what follows from them.
type content struct {
	lines []Line
	state round.State
	head  string // digest of the last line
}

// with returns c with one more line, whose bytes without newline are raw.
func (c content) with(l Line, raw []byte) content {
	return content{lines: append(c.lines, l), state: c.state.Apply(l.Event), head: Digest(raw)}
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
	if err := j.store.touch(j.ID); err != nil {
		return err
	}
	var all []byte
	var views []EventView
	c := j.content
	for _, e := range events {
		l := Line{Seq: len(c.lines) + 1, Prev: c.head, At: at.UTC(), Event: e}
		raw, err := l.encode()
		if err != nil {
			return err
		}
		c = c.with(l, raw[:len(raw)-1])
		all, views = append(all, raw...), append(views, newEventView(l, c.head, c.state))
	}
	if err := j.log.Write(all); err != nil {
		return fmt.Errorf("append to journal of %s: %w", j.ID, err)
	}
	j.content, j.untold = c, append(j.untold, views...)
	return nil
}

// Begin makes the journal of a task that was just claimed. The error is
// fs.ErrExist for a task that has one.
func (s *Store) Begin(id string, at time.Time, c round.Claimed) (*Journal, error) {
	// The directory may be left from a claim that died before the first line.
	_, err := s.note(id)
	if err == nil {
		err = s.tasks.Mkdir(id) // makes the note durable as well
	}
	if err != nil {
		return nil, fmt.Errorf("make record of %s: %w", id, err)
	}
	j, err := s.open(id)
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

// Task opens the journal of a task for appending. Its error is fs.ErrNotExist
// for a task that has none, and ErrDamaged for one that must not be touched.
func (s *Store) Task(id string) (*Journal, error) {
	if !s.Known(id) {
		return nil, fmt.Errorf("open journal of %s: %w", id, fs.ErrNotExist)
	}
	return s.open(id)
}

// open reads a journal and sets a torn tail aside. A task without a journal
// has an empty one.
func (s *Store) open(id string) (*Journal, error) {
	dir, err := s.tasks.Sub(id)
	if err != nil {
		return nil, fmt.Errorf("open record of %s: %w", id, err)
	}
	j := &Journal{ID: id, store: s, dir: dir}
	if err := j.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open journal of %s: %w", id, err), dir.Close())
	}
	return j, nil
}

func (j *Journal) open() error {
	data, err := readJournal(j.dir)
	if err != nil {
		return err
	}
	var whole int
	if j.content, whole, err = parse(data); err != nil {
		return err
	}
	torn := data[whole:]
	if len(torn) > 0 {
		if err := j.dir.Replace(aside(j.dir, journalFile+".torn"), torn); err != nil {
			return err
		}
	}
	if j.log, err = j.dir.Append(journalFile); err != nil || len(torn) == 0 {
		return err
	}
	if err := j.log.Truncate(int64(whole)); err != nil { // it is safe under another name
		return errors.Join(err, j.log.Close())
	}
	return nil
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
