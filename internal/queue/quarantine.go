package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/task"
)

// A Reason stands in blocked beside a file that was quarantined.
type Reason struct {
	File   string       `json:"file"` // the name that it had
	Faults []task.Fault `json:"faults"`
	Hint   string       `json:"hint"`
	At     *time.Time   `json:"at,omitempty"`
}

const maxReason = 1 << 20

// Quarantine moves a file of inbox that cannot be a task to blocked, unchanged
// and durably, with the reason beside it, and tells the name that it has
// there. Names that a task of the id has or may need are not taken. Errors are
// those of Claim.
func (q *Queue) Quarantine(name string, faults []task.Fault) (as string, err error) {
	err = q.begin()
	defer q.mu.Unlock()
	if err != nil {
		return "", err
	}
	if sortOf(name) != offered || len(faults) == 0 {
		return "", fmt.Errorf("quarantine %q: no name to keep, or no reason", name)
	}
	if err := q.present(name); err != nil {
		return "", err
	}
	return q.quarantine(task.Inbox, name, faults)
}

// quarantine writes the reason first: a file whose move is then cut off is
// found bad again, one without a reason would stay unexplained.
func (q *Queue) quarantine(from task.Stage, name string, faults []task.Fault) (string, error) {
	as, err := q.freeName(name, from, faults)
	if err != nil {
		return "", err
	}
	blocked := q.dirs[task.BlockedStage]
	if err := q.writeReason(name, as, faults); err != nil {
		return "", fmt.Errorf("quarantine %q: %w", name, err)
	}
	if err := q.dirs[from].Move(name, blocked, as); err != nil {
		if !errors.Is(err, fsx.ErrSync) {
			// The leftover would be swept at the next start.
			_ = blocked.Remove(reasonName(as))
		}
		if from == task.Inbox {
			err = q.unmoved(name, err)
		}
		return "", err
	}
	delete(q.stuck, name)
	return as, nil
}

func (q *Queue) writeReason(name, as string, faults []task.Fault) error {
	r := Reason{File: name, Faults: faults, Hint: hintFor(name, faults)}
	if !q.now.IsZero() {
		at := q.now.UTC().Round(0)
		r.At = &at
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return q.dirs[task.BlockedStage].Replace(reasonName(as), append(data, '\n'))
}

// freeName is a name in blocked for a file that comes from a stage: its own,
// unless another stage has that too, the file is a duplicate, whose task may
// end in blocked, or its name is that of a reason.
func (q *Queue) freeName(name string, from task.Stage, faults []task.Fault) (string, error) {
	taken := faults[0].Code == CodeDuplicate || isReason(name)
	for _, stage := range task.Stages[1:] {
		if taken || stage == from {
			continue
		}
		info, err := q.has(stage, name)
		if err != nil {
			return "", err
		}
		taken = info != nil
	}
	if !taken {
		return name, nil
	}
	return q.freeDup(name)
}

func (q *Queue) freeDup(name string) (string, error) {
	for n := 1; ; n++ {
		as := dupName(name, n)
		info, err := q.has(task.BlockedStage, as)
		if err != nil || info == nil {
			return as, err
		}
	}
}

// isQuarantined tells a file in blocked that never was a task.
func (q *Queue) isQuarantined(stage task.Stage, name string) (bool, error) {
	if stage != task.BlockedStage {
		return false, nil
	}
	info, err := q.has(stage, reasonName(name))
	return info != nil, err
}

// setAside gives a quarantined file in blocked another name there, so that the
// corrected file of the same name can be claimed and may end in blocked itself.
func (q *Queue) setAside(name string) error {
	info, err := q.has(task.BlockedStage, name)
	if err != nil {
		return err
	}
	if info == nil {
		return q.dropReason(name)
	}
	as, err := q.freeDup(name)
	if err != nil {
		return err
	}
	blocked := q.dirs[task.BlockedStage]
	reason, err := blocked.Read(reasonName(name), maxReason)
	if err != nil {
		return err
	}
	if err := blocked.Replace(reasonName(as), reason); err != nil {
		return err
	}
	if err := blocked.Move(name, blocked, as); err != nil {
		return err
	}
	return q.dropReason(name)
}

// dropReason removes the reason of a file that is no longer in quarantine, so
// that a task of that name can end in blocked. It is durable with the next
// move to blocked, which is soon enough.
func (q *Queue) dropReason(name string) error {
	quarantined, err := q.isQuarantined(task.BlockedStage, name)
	if err != nil || !quarantined {
		return err
	}
	return q.dirs[task.BlockedStage].Remove(reasonName(name))
}

// Reason reads why the file name in blocked was quarantined; fs.ErrNotExist if
// it was not.
func (q *Queue) Reason(name string) (Reason, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	d := q.dirs[task.BlockedStage]
	if d == nil {
		return Reason{}, fs.ErrNotExist
	}
	data, err := d.Read(reasonName(name), maxReason)
	if err != nil {
		return Reason{}, err
	}
	var r Reason
	if err := json.Unmarshal(data, &r); err != nil {
		return Reason{}, fmt.Errorf("read %q: %w", reasonName(name), err)
	}
	return r, nil
}

func tooLarge(name string) []task.Fault {
	return faultOf(name, task.CodeTooLarge, "more than %d bytes", int64(task.MaxBytes))
}

func unreadable(name string) []task.Fault {
	return faultOf(name, CodeUnreadable, "no permission to read it")
}
