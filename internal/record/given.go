package record

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// givenFile in a task's directory says that another engine plays the task, and
// which. As long as it stands this host leaves the task alone.
const givenFile = "engine"

// Give marks a task as one that engine plays, durably, before it has a journal.
func (s *Store) Give(id, engine string) error {
	err := s.tasks.Mkdir(id)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("give %s to %s: %w", id, engine, err)
	}
	dir, err := s.tasks.Sub(id)
	if err != nil {
		return fmt.Errorf("give %s to %s: %w", id, engine, err)
	}
	defer dir.Close()
	if err := dir.Replace(givenFile, []byte(engine+"\n")); err != nil {
		return fmt.Errorf("give %s to %s: %w", id, engine, err)
	}
	return nil
}

// GivenAway reports whether another engine plays a task.
func (s *Store) GivenAway(id string) bool {
	_, err := s.tasks.Lstat(id + "/" + givenFile)
	return err == nil
}

// TakeBack takes the mark of Give away.
func (s *Store) TakeBack(id string) error {
	dir, err := s.tasks.Sub(id)
	if err == nil {
		defer dir.Close()
		err = dir.Remove(givenFile)
	}
	if err != nil && !missing(err) {
		return fmt.Errorf("take %s back: %w", id, err)
	}
	return nil
}

// Given lists the tasks that another engine plays.
func (s *Store) Given() ([]string, error) {
	names, err := s.tasks.Names()
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	return slices.DeleteFunc(names, func(id string) bool { return !s.GivenAway(id) }), nil
}

// JournalText is the journal of a task as the file holds it, without a torn
// tail.
func (s *Store) JournalText(id string) ([]byte, error) {
	data, err := s.tasks.Read(id+"/"+journalFile, maxJournal)
	if err != nil {
		return nil, fmt.Errorf("read journal of %s: %w", id, err)
	}
	_, whole, err := parse(data)
	return data[:whole], err
}
