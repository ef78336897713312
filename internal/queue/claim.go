package queue

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/task"
)

// ErrGone is the error of Claim and Quarantine for a file that is no longer in
// inbox. Nothing is wrong: somebody took it back.
var ErrGone = errors.New("no longer there")

var errOtherName = errors.New("the file has another name")

// A Rejected is the error of a claim that ended in quarantine.
type Rejected struct {
	Name   string // in inbox
	As     string // in blocked
	Faults []task.Fault
}

func (r *Rejected) Error() string {
	if r.Name != r.As {
		return fmt.Sprintf("quarantine %q as %q: %s", r.Name, r.As, r.Faults[0].Msg)
	}
	return fmt.Sprintf("quarantine %q: %s", r.Name, r.Faults[0].Msg)
}

// A Claimed is a task whose file is in processing.
type Claimed struct {
	ID       string
	Task     task.Task
	Data     []byte       // the file, as it is in processing
	SHA256   string       // of Data, in hex
	Warnings []task.Fault // worth telling
}

// Claim moves a file of inbox into processing, durably, and reads what stands
// there then: it may be another file than the one that was scanned. A file
// that is no task, or whose id a task in another stage has, goes to quarantine
// and the error is a Rejected. It is ErrGone for a file that went away, a
// Stuck for one that cannot be moved. Any other error means that the disk
// fails.
func (q *Queue) Claim(name string) (Claimed, error) {
	err := q.begin()
	defer q.mu.Unlock()
	if err != nil {
		return Claimed{}, err
	}
	if err := q.claimable(name); err != nil {
		return Claimed{}, err
	}
	holder, err := q.holder(stem(name), task.Stages[1:])
	if err != nil {
		return Claimed{}, err
	}
	if holder != "" {
		return Claimed{}, q.reject(task.Inbox, name, duplicate(name, holder))
	}
	if err := q.setAside(name); err != nil {
		return Claimed{}, err
	}
	err = q.ours(name, func() error { return q.dirs[task.Inbox].Move(name, q.dirs[task.Processing], name) })
	if errors.Is(err, fs.ErrExist) { // since the look a moment ago
		return Claimed{}, q.reject(task.Inbox, name, duplicate(name, task.Processing))
	}
	if err != nil {
		return Claimed{}, q.unmoved(name, err)
	}
	delete(q.stuck, name)
	return q.readClaimed(name)
}

// Adopt reads a task that stands in processing without a journal, as Claim
// would have. One whose id a task that ended has goes to quarantine as well.
func (q *Queue) Adopt(id string) (Claimed, error) {
	err := q.begin()
	defer q.mu.Unlock()
	if err != nil {
		return Claimed{}, err
	}
	if code, msg := task.CheckID(id); code != "" {
		return Claimed{}, fmt.Errorf("adopt task: %s", msg)
	}
	if info, err := q.has(task.Processing, id+suffix); err != nil || info == nil {
		return Claimed{}, cmp.Or(err, ErrGone)
	}
	holder, err := q.holder(id, task.Stages[2:])
	if err != nil {
		return Claimed{}, err
	}
	if holder != "" {
		return Claimed{}, q.reject(task.Processing, id+suffix, duplicate(id+suffix, holder))
	}
	return q.readClaimed(id + suffix)
}

// claimable looks once more before anything moves.
func (q *Queue) claimable(name string) error {
	if !isTaskName(name) {
		return fmt.Errorf("claim %q: no name of a task file", name)
	}
	return q.present(name)
}

// present tells a file that can be moved from one that went away, and from
// something else that took its place.
func (q *Queue) present(name string) error {
	info, err := q.has(task.Inbox, name)
	switch {
	case err != nil:
		return err
	case info == nil:
		return ErrGone
	case !info.Mode().IsRegular():
		return q.isStuck(name, fsx.ErrNotRegular)
	case fsx.Links(info) > 1:
		return q.isStuck(name, errOtherName)
	}
	return nil
}

// holder is the one of stages in which a task of this id is, "" for none. A
// file that was quarantined under the id never was a task.
func (q *Queue) holder(id string, stages []task.Stage) (task.Stage, error) {
	name := id + suffix
	for _, stage := range stages {
		info, err := q.has(stage, name)
		if err != nil {
			return "", err
		}
		if info == nil {
			continue
		}
		if quarantined, err := q.isQuarantined(stage, name); err != nil || !quarantined {
			return stage, err
		}
	}
	return "", nil
}

func duplicate(name string, holder task.Stage) []task.Fault {
	return faultOf(name, CodeDuplicate, "duplicate id: %s has a task %q already", holder, stem(name))
}

// readClaimed reads a task from processing, or sends it to quarantine. What is
// no file there is the work of a hand between two calls: it goes back.
func (q *Queue) readClaimed(name string) (Claimed, error) {
	data, err := q.read(q.dirs[task.Processing], name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Claimed{}, ErrGone
	case errors.Is(err, fsx.ErrTooLarge):
		return Claimed{}, q.reject(task.Processing, name, tooLarge(name))
	case errors.Is(err, fs.ErrPermission):
		return Claimed{}, q.reject(task.Processing, name, unreadable(name))
	case err != nil:
		return Claimed{}, err
	}
	t, faults := task.Parse(data, stem(name))
	var warnings []task.Fault
	if len(faults) == 0 && q.known != nil {
		faults, warnings = task.Split(task.Locate(data, q.known(t)))
	}
	if len(faults) > 0 {
		return Claimed{}, q.reject(task.Processing, name, faults)
	}
	sum := sha256.Sum256(data)
	return Claimed{ID: t.ID, Task: t, Data: data, SHA256: hex.EncodeToString(sum[:]), Warnings: warnings}, nil
}

// reject quarantines a file and gives the Rejected that says so.
func (q *Queue) reject(from task.Stage, name string, faults []task.Fault) error {
	as, err := q.quarantine(from, name, faults)
	if err != nil {
		return err
	}
	return &Rejected{Name: name, As: as, Faults: faults}
}

// sameFile tells whether two stages have one file under a name.
func (q *Queue) sameFile(a, b task.Stage, name string) (bool, error) {
	x, err := q.has(a, name)
	if err != nil || x == nil {
		return false, err
	}
	y, err := q.has(b, name)
	if err != nil || y == nil {
		return false, err
	}
	return os.SameFile(x, y), nil
}
