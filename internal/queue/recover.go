package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/task"
)

// A Recovered is what a dead process left, as it is now.
type Recovered struct {
	Processing []string  // ids of the tasks in processing, sorted; those without a journal are the caller's to Adopt
	Completed  []string  // files whose move was completed
	Swept      int       // temporary files
	Warnings   []Warning // what is no task in processing

	// Clashes are the ids that several stages past inbox have, by a person's
	// hand. The journal knows which file is the task: Finish puts one that
	// ended right, Restore one under way, and Adopt quarantines a newcomer.
	Clashes []string
}

// Recover completes the moves that a dead process began, and sweeps what it
// left. Only the holder of the instance lock may call it, before any Scan. It
// may itself be cut off anywhere and called again.
func (q *Queue) Recover() (Recovered, error) {
	err := q.begin()
	defer q.mu.Unlock()
	if err != nil {
		return Recovered{}, err
	}
	r := recovery{Queue: q}
	if err := r.all(); err != nil {
		return r.Recovered, fmt.Errorf("recover tasks: %w", err)
	}
	return r.Recovered, nil
}

type recovery struct {
	*Queue
	Recovered
	listed map[task.Stage][]string
}

func (r *recovery) all() error {
	// A stage may have been made by a process that died before its fsync.
	if err := r.root.Sync(); err != nil {
		return err
	}
	if err := r.sweep(); err != nil {
		return err
	}
	for _, step := range []func() error{r.completeAside, r.completeMoves, r.sweepReasons, r.findClashes} {
		if err := step(); err != nil {
			return err
		}
	}
	return r.listProcessing()
}

// sweep removes temporary files and lists the stages.
func (r *recovery) sweep() error {
	r.listed = map[task.Stage][]string{}
	for stage, d := range r.dirs {
		n, err := d.SweepTemps()
		if err != nil {
			return err
		}
		r.Swept += n
		if r.listed[stage], err = d.Names(); err != nil {
			return err
		}
		slices.Sort(r.listed[stage])
	}
	return nil
}

// completeAside finishes the moves that gave a file another name in blocked:
// the old name, in whatever stage, goes.
func (r *recovery) completeAside() error {
	for _, name := range r.listed[task.BlockedStage] {
		old, ok := original(name)
		if !ok {
			continue
		}
		info, err := r.has(task.BlockedStage, name)
		if err != nil {
			return err
		}
		if info == nil || fsx.Links(info) == 1 {
			continue
		}
		for _, stage := range task.Stages {
			if err := r.complete(stage, old, info); err != nil {
				return err
			}
		}
	}
	return nil
}

// completeMoves finishes the moves from inbox and processing to a later stage
// under the same name.
func (r *recovery) completeMoves() error {
	for i, from := range task.Stages[:2] {
		for _, name := range r.listed[from] {
			info, err := r.has(from, name)
			if err != nil {
				return err
			}
			if info == nil || fsx.Links(info) == 1 {
				continue
			}
			for _, to := range task.Stages[i+1:] {
				twin, err := r.has(to, name)
				if err != nil {
					return err
				}
				if twin == nil {
					continue
				}
				if err := r.complete(from, name, twin); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// complete takes the name out of a stage if it names the file of info.
func (r *recovery) complete(stage task.Stage, name string, info fs.FileInfo) error {
	old, err := r.has(stage, name)
	if err != nil || old == nil || !os.SameFile(old, info) {
		return err
	}
	r.Completed = append(r.Completed, name)
	return r.drop(stage, name)
}

// sweepReasons removes the reasons of files that are no longer in blocked: a
// person took them, or they never came.
func (r *recovery) sweepReasons() error {
	swept := false
	for _, name := range r.listed[task.BlockedStage] {
		if !isReason(name) {
			continue
		}
		of, err := r.has(task.BlockedStage, explained(name))
		if err != nil {
			return err
		}
		if of != nil {
			continue
		}
		if err := r.dirs[task.BlockedStage].Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		swept = true
	}
	if !swept {
		return nil
	}
	return r.dirs[task.BlockedStage].Sync()
}

func (r *recovery) findClashes() error {
	seen := map[string]bool{}
	for _, stage := range task.Stages[1:] {
		names, err := r.names(stage)
		if err != nil {
			return err
		}
		slices.Sort(names)
		for _, name := range names {
			if !isTaskName(name) || stage == task.BlockedStage && inQuarantine(names, name) {
				continue
			}
			if seen[name] {
				r.Clashes = append(r.Clashes, stem(name))
			}
			seen[name] = true
		}
	}
	slices.Sort(r.Clashes)
	r.Clashes = slices.Compact(r.Clashes)
	return nil
}

func (r *recovery) listProcessing() error {
	names, err := r.names(task.Processing)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		info, err := r.has(task.Processing, name)
		if err != nil {
			return err
		}
		switch {
		case info == nil || sortOf(name) == ignored:
		case !isTaskName(name) || !info.Mode().IsRegular():
			r.Warnings = append(r.Warnings, Warning{Name: name, Code: WarnNotRegular, Msg: "no task, left in processing: move it away"})
		default:
			r.Processing = append(r.Processing, stem(name))
		}
	}
	return nil
}
