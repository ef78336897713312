package queue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"looprun.dev/looprun/internal/task"
)

// A Finished is what Finish found and did.
type Finished struct {
	From      task.Stage // where the file was; "" if nowhere
	Rewritten bool       // it was missing or empty, and was written anew
	SetAside  []string   // files of other tasks with the same name, now under these names in blocked
}

// Finish moves the file of a task to the stage it ended in, durably; it does
// nothing if it is there already. A file that a person moved elsewhere is
// fetched from there, one that is missing is written anew from data, the bytes
// that the journal has. Afterwards no other stage past inbox has the name.
//
// Without data, as of a task whose journal is damaged, any file of the name
// past inbox is taken for the task, and one that is missing stays so.
func (q *Queue) Finish(id string, to task.Stage, data []byte) (Finished, error) {
	err := q.begin()
	defer q.mu.Unlock()
	if err != nil {
		return Finished{}, err
	}
	if code, msg := task.CheckID(id); code != "" {
		return Finished{}, fmt.Errorf("finish task: %s", msg)
	}
	f, err := q.finish(id+suffix, to, data)
	if err != nil {
		return f, fmt.Errorf("finish task %s: %w", id, err)
	}
	return f, nil
}

func (q *Queue) finish(name string, to task.Stage, data []byte) (f Finished, err error) {
	if f.From, err = q.whereabouts(name, to, data); err != nil {
		return f, err
	}
	if err := q.clear(name, f.From, to, &f); err != nil {
		return f, err
	}
	switch f.From {
	case to:
		return f, nil
	case "":
		if len(data) == 0 {
			return f, nil
		}
		f.Rewritten = true
		return f, q.dirs[to].Create(name, data)
	}
	if f.Rewritten, err = q.refill(f.From, name, data); err != nil {
		return f, err
	}
	return f, q.dirs[f.From].Move(name, q.dirs[to], name)
}

// whereabouts is the stage that the task's file is in. A file under both names
// of a move is where the move was going. One in processing that was edited is
// believed if the task is nowhere else.
func (q *Queue) whereabouts(name string, to task.Stage, data []byte) (task.Stage, error) {
	if moved, err := q.sameFile(task.Processing, to, name); err != nil || moved {
		return to, err
	}
	for _, stage := range []task.Stage{task.Processing, to, task.Done, task.BlockedStage, task.NeedsInputStage, task.Inbox} {
		same, err := q.isTask(stage, name, data)
		if err != nil || same {
			return stage, err
		}
	}
	info, err := q.has(task.Processing, name)
	if err != nil || info == nil || !info.Mode().IsRegular() {
		return "", err
	}
	return task.Processing, nil
}

// isTask tells whether a stage has the task of data under name, perhaps
// written in another way.
func (q *Queue) isTask(stage task.Stage, name string, data []byte) (bool, error) {
	info, err := q.has(stage, name)
	if err != nil || info == nil || !info.Mode().IsRegular() {
		return false, err
	}
	if quarantined, err := q.isQuarantined(stage, name); err != nil || quarantined {
		return false, err
	}
	if len(data) == 0 {
		return stage != task.Inbox, nil
	}
	there, err := q.read(q.dirs[stage], name)
	if err != nil {
		return false, nil // what cannot be read is not taken for the task
	}
	return bytes.Equal(there, data) || bytes.Equal(canonical(there, name), canonical(data, name)), nil
}

// canonical is the one way to write a task file, or the file itself if it is
// no task.
func canonical(data []byte, name string) []byte {
	t, faults := task.Parse(data, stem(name))
	if len(faults) > 0 {
		return data
	}
	text, err := json.Marshal(t)
	if err != nil {
		return data
	}
	return text
}

// clear takes the name out of every stage past inbox but the one that keeps
// it: a second name of the same file goes, another file is set aside.
func (q *Queue) clear(name string, keep, to task.Stage, f *Finished) error {
	kept, err := q.has(keep, name)
	if err != nil {
		return err
	}
	for _, stage := range task.Stages[1:] {
		info, err := q.has(stage, name)
		if err != nil {
			return err
		}
		if stage == keep || info == nil {
			continue
		}
		if kept != nil && os.SameFile(kept, info) {
			err = q.drop(stage, name)
		} else {
			err = q.displace(stage, name, to, f)
		}
		if err != nil {
			return err
		}
	}
	if to == task.BlockedStage && keep != to {
		return q.dropReason(name)
	}
	return nil
}

// drop takes away one name of a file that has another.
func (q *Queue) drop(stage task.Stage, name string) error {
	if err := q.dirs[stage].Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return q.dirs[stage].Sync()
}

// displace sets a file aside that has a task's name without being the task.
func (q *Queue) displace(stage task.Stage, name string, to task.Stage, f *Finished) error {
	quarantined, err := q.isQuarantined(stage, name)
	if err != nil {
		return err
	}
	if quarantined {
		return q.setAside(name)
	}
	as, err := q.quarantine(stage, name, duplicate(name, to))
	if err == nil {
		f.SetAside = append(f.SetAside, as)
	}
	return err
}

// refill writes a file anew that a power cut left empty: its contents were
// never made durable by whoever dropped it.
func (q *Queue) refill(stage task.Stage, name string, data []byte) (bool, error) {
	info, err := q.has(stage, name)
	if err != nil || info == nil || info.Size() > 0 || len(data) == 0 {
		return false, err
	}
	return true, q.dirs[stage].Replace(name, data)
}

// Restore brings the file of a claimed task back to processing from where a
// person moved it, and tells from where. It does nothing, and tells "", if the
// file is in processing or nowhere. Files of others that have the task's name
// are set aside.
func (q *Queue) Restore(id string, data []byte) (from task.Stage, err error) {
	err = q.begin()
	defer q.mu.Unlock()
	if err != nil {
		return "", err
	}
	if code, msg := task.CheckID(id); code != "" {
		return "", fmt.Errorf("restore task: %s", msg)
	}
	from, err = q.restore(id+suffix, data)
	if err != nil {
		return "", fmt.Errorf("restore task %s: %w", id, err)
	}
	return from, nil
}

func (q *Queue) restore(name string, data []byte) (task.Stage, error) {
	from, err := q.whereabouts(name, task.Processing, data)
	if err != nil || from == "" {
		return "", err
	}
	if err := q.clear(name, from, task.Processing, &Finished{}); err != nil || from == task.Processing {
		return "", err
	}
	return from, q.dirs[from].Move(name, q.dirs[task.Processing], name)
}
