package queue

import (
	"errors"
	"fmt"
	"io/fs"

	"looprun.dev/looprun/internal/task"
)

// A Taken is the error of Add for an id that a task has already.
type Taken struct {
	ID    string
	Stage task.Stage
}

func (t *Taken) Error() string { return fmt.Sprintf("task %s is in %s already", t.ID, t.Stage) }

// Is makes a Taken an fs.ErrExist.
func (t *Taken) Is(err error) bool { return err == fs.ErrExist }

// Add puts a task file with data into inbox, durably and at once: no scan sees
// a part of it. The caller has read data as a task; whether an earlier journal
// has the id is for Scan to say. No lock is needed.
func (q *Queue) Add(data []byte, id string) error {
	err := q.begin()
	defer q.mu.Unlock()
	if err == nil {
		err = q.unfit
	}
	if err != nil {
		return fmt.Errorf("add task: %w", err)
	}
	if code, msg := task.CheckID(id); code != "" {
		return fmt.Errorf("add task: %s", msg)
	}
	holder, err := q.holder(id, task.Stages[1:])
	if err != nil {
		return fmt.Errorf("add task %s: %w", id, err)
	}
	if holder != "" {
		return &Taken{ID: id, Stage: holder}
	}
	return q.add(id, data)
}

// add tries again when its temporary file vanishes: an instance that starts
// meanwhile takes it for a dead process's.
func (q *Queue) add(id string, data []byte) error {
	var err error
	for range 3 {
		err = q.dirs[task.Inbox].Create(id+suffix, data)
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return &Taken{ID: id, Stage: task.Inbox}
	}
	if err != nil {
		return fmt.Errorf("add task %s: %w", id, err)
	}
	return nil
}
