package record

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"looprun.dev/looprun/internal/fsx"
)

// A Store is .loop, opened for writing. All its methods but Close are for the
// holder of the lock; several goroutines may use it, each with its own tasks.
type Store struct {
	loop, tasks, results *fsx.Dir
	events               *os.File

	mu    sync.Mutex
	noted map[string]bool // the tasks that have a note
}

// Open opens the store at path and makes what is missing of it. It disturbs
// nobody who has it open already.
func Open(path string, seam ...fsx.Seam) (*Store, error) {
	loop, err := fsx.MkdirAll(path, seam...)
	if err != nil {
		return nil, fmt.Errorf("open records %s: %w", path, err)
	}
	s := &Store{loop: loop, noted: map[string]bool{}}
	if s.tasks, err = within(loop, "tasks"); err == nil {
		s.results, err = within(loop, "results")
	}
	if err == nil {
		s.events, err = fsx.Scratch(path).OpenFile(eventsFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open records %s: %w", path, err), s.Close())
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
	var errs []error
	if s.events != nil {
		errs = append(errs, s.events.Close())
	}
	for _, dir := range []*fsx.Dir{s.results, s.tasks, s.loop} {
		if dir != nil {
			errs = append(errs, dir.Close())
		}
	}
	return errors.Join(errs...)
}

// Known reports whether a task of that id was ever claimed here.
func (s *Store) Known(id string) bool {
	info, err := s.tasks.Lstat(filepath.Join(id, journalFile))
	return err == nil && info.Size() > 0
}

// Active lists the tasks that have a journal and no result. Of the tasks that
// have ended it asks for nothing but their names.
func (s *Store) Active() ([]string, error) {
	names, err := s.tasks.Names()
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	results, err := s.results.Names()
	if err != nil {
		return nil, fmt.Errorf("list results: %w", err)
	}
	ended := make(map[string]bool, len(results))
	for _, name := range results {
		ended[name] = true
	}
	var ids []string
	for _, id := range names {
		if !ended[id+".json"] && s.Known(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// A note stands beside a task's directory from its first change in a pass until
// Leave. Found at a start it says that the pass never came to its end, so that
// the views and events of the task may lag behind its journal, or be damaged.
const notePrefix = ".open-"

// note makes the note of a task. It is durable once tasks is synced.
func (s *Store) note(id string) (fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noted[id] {
		return false, nil
	}
	if err := s.tasks.View(notePrefix+id, nil); err != nil {
		return false, fmt.Errorf("note that %s is open: %w", id, err)
	}
	s.noted[id] = true
	return true, nil
}

// touch makes the note of a task durable, before anything of it changes.
func (s *Store) touch(id string) error {
	fresh, err := s.note(id)
	if err != nil || !fresh {
		return err
	}
	return s.tasks.Sync()
}

// Leave ends a pass: all that was rendered in it becomes durable at once.
// After a pass that changed nothing it does nothing.
func (s *Store) Leave() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.noted) == 0 {
		return nil
	}
	if err := s.loop.SyncAll(); err != nil {
		return fmt.Errorf("make the views durable: %w", err)
	}
	for _, id := range slices.Sorted(maps.Keys(s.noted)) {
		if err := s.tasks.Remove(notePrefix + id); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("end the pass: %w", err)
		}
		delete(s.noted, id)
	}
	return nil
}
