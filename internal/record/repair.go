package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
)

// A Repaired is a view that was not as its journal says and was rendered again.
type Repaired struct {
	TaskID string
	Path   string
	Aside  string // where the damaged file is now; "" if there was none, or only an older one
}

// Recover puts right what a pass left that never came to its end: the views and
// events of the tasks that it had open, and temporary files. It may itself be
// cut off anywhere and called again. A damaged journal is left for Task to tell.
func (s *Store) Recover() ([]Repaired, error) {
	if _, err := s.loop.SweepTemps(); err != nil {
		return nil, fmt.Errorf("recover records: %w", err)
	}
	ids, err := s.touched()
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	// The pass before may have died before it synced its notes.
	err = s.tasks.Sync()
	for _, dir := range []*fsx.Dir{s.tasks, s.results} {
		if err == nil {
			_, err = dir.SweepTemps()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("recover records: %w", err)
	}
	return s.Repair(ids...)
}

// touched lists the tasks that have a note, and takes the notes over.
func (s *Store) touched() ([]string, error) {
	names, err := s.tasks.Names()
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, name := range names {
		if id, ok := strings.CutPrefix(name, notePrefix); ok {
			ids = append(ids, id)
			s.noted[id] = true
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Repair compares the views of tasks with their journals. One that is missing
// or older is rendered again, any other that differs is set aside first. Events
// that events.jsonl lacks are told.
func (s *Store) Repair(ids ...string) ([]Repaired, error) {
	told, err := s.told(ids)
	if err != nil {
		return nil, err
	}
	var all []Repaired
	for _, id := range ids {
		j, err := s.Task(id)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) {
			continue
		}
		if err != nil {
			return all, err
		}
		repaired, err := s.repair(j)
		all = append(all, repaired...)
		if err == nil {
			err = s.catchUp(j, told[id])
		}
		if err := errors.Join(err, j.Close()); err != nil {
			return all, err
		}
	}
	return all, nil
}

func (s *Store) repair(j *Journal) ([]Repaired, error) {
	if _, err := j.dir.SweepTemps(); err != nil {
		return nil, fmt.Errorf("repair views of %s: %w", j.ID, err)
	}
	var all []Repaired
	for _, v := range s.views(j) {
		data, err := v.encode()
		if err != nil {
			return all, fmt.Errorf("render %s of %s: %w", v.name, j.ID, err)
		}
		there, err := v.dir.Read(v.name, maxJournal)
		if err == nil && bytes.Equal(there, data) {
			continue
		}
		r := Repaired{TaskID: j.ID, Path: filepath.Join(v.dir.Path(), filepath.FromSlash(v.name))}
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && j.outdated(v, there):
			err = nil
		case err == nil:
			r.Aside, err = v.setAside()
		}
		if err == nil {
			err = s.put(j, v, data)
		}
		if err != nil {
			return all, fmt.Errorf("repair %s of %s: %w", v.name, j.ID, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// outdated reports a state.json that was right after an earlier line: the pass
// died before it could render the next one.
func (j *Journal) outdated(v view, data []byte) bool {
	var there StateView
	if v.kept || json.Unmarshal(data, &there) != nil {
		return false
	}
	var s round.State
	for i, l := range j.lines {
		s = s.Apply(l.Event)
		if i+1 < len(j.lines) && j.lines[i+1].Prev == there.ChainHead {
			then, err := encodeView(NewStateView(s, there.ChainHead))
			return err == nil && bytes.Equal(then, data)
		}
	}
	return false
}

// setAside gives a file another name in its directory, and returns its path.
func (v view) setAside() (string, error) {
	folder, base := path.Split(v.name)
	dir, err := v.dir.Sub(path.Clean("./" + folder))
	if err != nil {
		return "", err
	}
	defer dir.Close()
	as := aside(dir, base+".differs")
	return filepath.Join(dir.Path(), as), dir.Move(base, dir, as)
}
