package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
)

// A Store is .loop, opened for writing by the holder of its lock.
type Store struct {
	loop, tasks, results *fsx.Dir
	events               *os.File
}

// Open opens the store at path and makes what is missing of it.
func Open(path string, seam ...fsx.Seam) (*Store, error) {
	loop, err := fsx.MkdirAll(path, seam...)
	if err != nil {
		return nil, fmt.Errorf("open records %s: %w", path, err)
	}
	s := &Store{loop: loop}
	if s.tasks, err = within(loop, "tasks"); err == nil {
		s.results, err = within(loop, "results")
	}
	if err == nil {
		s.events, err = fsx.Scratch(path).OpenFile(eventsFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open records %s: %w", path, err), loop.Close())
	}
	return s, nil
}

// within opens a directory of loop and makes it if it is missing.
func within(loop *fsx.Dir, name string) (*fsx.Dir, error) {
	dir, err := loop.Sub(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	if err := loop.Mkdir(name); err != nil {
		return nil, err
	}
	return loop.Sub(name)
}

// Loop is the directory itself, for the lock and the flag files in it.
func (s *Store) Loop() *fsx.Dir { return s.loop }

// Path is the absolute path of .loop.
func (s *Store) Path() string { return s.loop.Path() }

// TaskDir is the directory of a task's records.
func (s *Store) TaskDir(id string) string { return filepath.Join(s.tasks.Path(), id) }

// Close lets go of the directories.
func (s *Store) Close() error {
	return errors.Join(s.events.Close(), s.results.Close(), s.tasks.Close(), s.loop.Close())
}

// Begin makes the journal of a task that was just claimed.
func (s *Store) Begin(id string, at time.Time, c round.Claimed) (*Journal, error) {
	return begin(s.tasks, id, at, c)
}

// Task opens the journal of a task for appending. Its error is fs.ErrNotExist
// for a task that has none, and ErrDamaged for one that must not be touched.
func (s *Store) Task(id string) (*Journal, error) {
	if !s.Known(id) {
		return nil, fmt.Errorf("open journal of %s: %w", id, fs.ErrNotExist)
	}
	return open(s.tasks, id)
}

// Known reports whether a task of that id was ever claimed here.
func (s *Store) Known(id string) bool {
	info, err := s.tasks.Lstat(filepath.Join(id, journalFile))
	return err == nil && info.Size() > 0
}

// The marker stands while a pass is under way. Found at a start, it says that
// the pass before did not end cleanly, and since when views may be missing.
const marker = "pass"

// Enter notes that a pass begins. It returns the time at which one began that
// never ended, the zero time if there is none.
func (s *Store) Enter() (unclean time.Time, err error) {
	info, err := s.loop.Lstat(marker)
	if err == nil {
		return info.ModTime(), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, fmt.Errorf("look for the mark of a pass: %w", err)
	}
	return time.Time{}, s.loop.View(marker, nil)
}

// Leave makes all views durable at once and takes the mark of the pass away.
func (s *Store) Leave() error {
	if err := s.loop.SyncAll(); err != nil {
		return fmt.Errorf("make the views durable: %w", err)
	}
	if err := s.loop.Remove(marker); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("end the pass: %w", err)
	}
	return nil
}

// Touched lists the tasks whose journals were written to since then.
func (s *Store) Touched(since time.Time) ([]string, error) {
	entries, err := s.tasks.ReadDir()
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	var ids []string
	for _, e := range entries {
		info, err := s.tasks.Lstat(filepath.Join(e.Name(), journalFile))
		if err == nil && !info.ModTime().Before(since.Truncate(time.Second)) {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// Active lists the tasks whose journals have no end. Journals of tasks that
// have a result are not read.
func (s *Store) Active() ([]string, error) {
	entries, err := s.tasks.Names()
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	var ids []string
	for _, id := range entries {
		_, err := s.results.Lstat(id + ".json")
		if errors.Is(err, fs.ErrNotExist) && s.Known(id) {
			ids = append(ids, id)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look for the result of %s: %w", id, err)
		}
	}
	return ids, nil
}
