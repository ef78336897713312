package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// A looker sees the queue and the records as they are, and changes nothing.
type looker struct {
	queue  *queue.Queue
	reader *record.Reader // nil where looprun never ran
	tasks  string
}

func (a *app) look() (*looker, error) {
	home, err := a.home()
	if err != nil {
		return nil, err
	}
	l := &looker{tasks: filepath.Join(home, loop.TasksDir)}
	if l.queue, err = queue.Peek(l.tasks); err != nil {
		return nil, err
	}
	l.reader, err = record.NewReader(filepath.Join(home, loop.LoopDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, l.queue.Close())
	}
	return l, nil
}

func (l *looker) close() {
	_ = l.queue.Close()
	if l.reader != nil {
		_ = l.reader.Close()
	}
}

// errNoTask is in the error of a command about a task that is nowhere.
var errNoTask = errors.New("no such task")

// history reads the journal of a task; errNoTask if it has none. With the error
// of a journal that was altered come the lines before that place.
func (l *looker) history(id string) (record.History, error) {
	code, _ := task.CheckID(id)
	if code != "" || l.reader == nil {
		return record.History{}, l.unclaimed(id)
	}
	h, err := l.reader.Task(id)
	if errors.Is(err, fs.ErrNotExist) {
		return h, l.unclaimed(id)
	}
	return h, err
}

// unclaimed says where a task is that has no journal.
func (l *looker) unclaimed(id string) error {
	stage, card, err := l.find(id)
	switch {
	case err != nil:
		return err
	case card.Quarantined:
		return fmt.Errorf("%w: %q never was a task: looprun show %s tells why it is in quarantine", errNoTask, card.Name, id)
	case stage == task.Inbox:
		return fmt.Errorf("%w yet: %q is in inbox and was not started", errNoTask, id)
	case stage != "":
		return fmt.Errorf("%w: %q stands in %s, but there is no record of it", errNoTask, id, stage)
	}
	return fmt.Errorf("%w: %q: looprun list --all shows those that there are", errNoTask, id)
}

// find looks for the file of a task; the stage is "" where there is none.
func (l *looker) find(id string) (task.Stage, queue.Card, error) {
	for _, stage := range task.Stages {
		cards, err := l.queue.List(stage)
		if err != nil {
			return "", queue.Card{}, err
		}
		for _, c := range cards {
			if c.ID() == id {
				return stage, c, nil
			}
		}
	}
	return "", queue.Card{}, nil
}

// known reports whether a task of that id was ever claimed.
func (l *looker) known(id string) bool {
	info, err := os.Lstat(filepath.Join(filepath.Dir(l.tasks), loop.LoopDir, "tasks", id, "journal.jsonl"))
	return err == nil && info.Size() > 0
}

// taken reports an id that a task in any stage has, or had.
func (l *looker) taken(id string) (bool, error) {
	stage, _, err := l.find(id)
	return stage != "" || l.known(id), err
}

// history reads the journal of a task that was claimed.
func (a *app) history(id string) (record.History, error) {
	look, err := a.look()
	if err != nil {
		return record.History{}, err
	}
	defer look.close()
	return look.history(id)
}
