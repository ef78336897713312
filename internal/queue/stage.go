package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/task"
)

// refresh opens the directories, and opens anew those that were replaced: a
// person, or a child that went too far, may remove or swap them at any time.
func (q *Queue) refresh() error {
	info, err := os.Stat(q.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !q.readOnly && q.root != nil:
		err = q.reopenRoot() // it was there before: the stages are made again
	case err == nil && !isOpen(q.root, info):
		err = q.reopenRoot()
	}
	if err != nil {
		return q.noRoot(err)
	}
	q.unfit = nil
	for _, stage := range task.Stages {
		if err := q.refreshStage(stage); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) noRoot(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %q is missing: run looprun init: %w", ErrUnfit, q.path, fs.ErrNotExist)
	}
	return fmt.Errorf("open tasks directory: %w", err)
}

func (q *Queue) reopenRoot() (err error) {
	made := q.root != nil && !q.readOnly
	if err := q.closeAll(); err != nil {
		return err
	}
	if made {
		q.root, err = fsx.MkdirAll(q.path, q.seam...)
	} else {
		q.root, err = fsx.Open(q.path, q.seam...)
	}
	return err
}

// refreshStage leaves an inbox that is no good without a directory, and the
// reason in unfit: what else is going on can end well.
func (q *Queue) refreshStage(stage task.Stage) error {
	info, err := q.root.Lstat(string(stage))
	if err == nil && isOpen(q.dirs[stage], info) {
		return nil
	}
	if d := q.dirs[stage]; d != nil {
		d.Close()
		delete(q.dirs, stage)
	}
	if errors.Is(err, fs.ErrNotExist) && stage != task.Inbox {
		if q.readOnly {
			return nil
		}
		err = q.root.Mkdir(string(stage))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = q.openStage(stage, info)
	}
	if errors.Is(err, ErrUnfit) && stage == task.Inbox {
		q.unfit, err = err, nil
	}
	return err
}

func (q *Queue) openStage(stage task.Stage, info fs.FileInfo) error {
	path := filepath.Join(q.path, string(stage))
	switch {
	case info == nil && stage == task.Inbox:
		return fmt.Errorf("%w: %q is missing: make it with looprun init", ErrUnfit, path)
	case info != nil && info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %q is a link: put a directory there, tasks cannot be moved safely through links", ErrUnfit, path)
	case info != nil && !info.IsDir():
		return fmt.Errorf("%w: %q is not a directory: move it away and run looprun init", ErrUnfit, path)
	}
	d, err := q.root.Sub(string(stage))
	if err != nil {
		return err
	}
	same, err := fsx.SameDevice(q.root, d)
	if err == nil && !same {
		err = fmt.Errorf("%w: %q is on another device than %q: tasks cannot be moved between devices, put both on one", ErrUnfit, path, q.path)
	}
	if err != nil {
		d.Close()
		return err
	}
	q.dirs[stage] = d
	return nil
}

// isOpen tells whether info describes the directory that d has open.
func isOpen(d *fsx.Dir, info fs.FileInfo) bool {
	if d == nil || info == nil {
		return false
	}
	now, err := d.Stat()
	return err == nil && os.SameFile(now, info)
}

// begin is the start of every change: it locks, and makes sure of the
// directories. The caller unlocks, also after an error.
func (q *Queue) begin() error {
	q.mu.Lock()
	if q.readOnly {
		return ErrReadOnly
	}
	return q.refresh()
}

// has tells what stands under name in a stage; nil is nothing.
func (q *Queue) has(stage task.Stage, name string) (fs.FileInfo, error) {
	d := q.dirs[stage]
	if d == nil {
		return nil, nil
	}
	info, err := d.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for %q in %s: %w", name, stage, err)
	}
	return info, nil
}

func (q *Queue) names(stage task.Stage) ([]string, error) {
	d := q.dirs[stage]
	if d == nil {
		return nil, nil
	}
	return d.Names()
}
