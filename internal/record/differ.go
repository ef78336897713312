package record

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"looprun.dev/looprun/internal/fsx"
)

// Tasks lists the ids of all tasks that have a journal, in no order.
func (r *Reader) Tasks() ([]string, error) {
	dir, err := r.loop.Sub("tasks")
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	defer dir.Close()
	names, err := dir.Names()
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	var ids []string
	for _, id := range names {
		if info, err := dir.Lstat(filepath.Join(id, journalFile)); err == nil && info.Size() > 0 {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Differing lists the views of a task that are missing or not as its journal
// says, by their paths below .loop. While an instance is at work they may only
// lag behind. The error holds ErrDamaged for a journal that can't be trusted.
func (r *Reader) Differing(id string) (names []string, err error) {
	h, err := r.Task(id)
	if err != nil {
		return nil, err
	}
	results, err1 := r.loop.Sub("results")
	dir, err2 := r.loop.Sub(filepath.Join("tasks", id))
	defer func() { err = errors.Join(err, closeAll(results, dir)) }()
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("compare views of %s: %w", id, err)
	}
	s := &Store{loop: r.loop, results: results}
	j := &Journal{ID: id, store: s, dir: dir, content: content{lines: h.Lines, state: h.State, head: h.Head}}
	for _, v := range s.views(j) {
		data, err := v.encode()
		if err != nil {
			return nil, fmt.Errorf("render %s of %s: %w", v.name, id, err)
		}
		there, err := v.dir.Read(v.name, maxJournal)
		if err == nil && bytes.Equal(there, data) {
			continue
		}
		if err != nil && !missing(err) {
			return nil, fmt.Errorf("compare %s of %s: %w", v.name, id, err)
		}
		path := filepath.Join(v.dir.Path(), filepath.FromSlash(v.name))
		if rel, err := filepath.Rel(r.loop.Path(), path); err == nil {
			path = rel
		}
		names = append(names, path)
	}
	return names, nil
}

func closeAll(dirs ...*fsx.Dir) error {
	var errs []error
	for _, d := range dirs {
		if d != nil {
			errs = append(errs, d.Close())
		}
	}
	return errors.Join(errs...)
}
