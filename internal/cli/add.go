package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

func (a *app) addCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "add FILE|-",
		Short: "Check a task file and put it into the inbox",
		Long:  `add checks the file, puts it into tasks/inbox at once and whole, and prints its id.`,
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return a.add(args[0]) },
	}
}

func (a *app) add(name string) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	f, err := a.readTask(name)
	if err != nil {
		return withCode(exitBadTask, fmt.Errorf("read the task: %v", err))
	}
	t, ok := a.check(cfg, f)
	if !ok {
		return withCode(exitBadTask, errors.New("the task was not added"))
	}
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	if look.known(t.ID) {
		return withCode(exitBadTask, fmt.Errorf("the id %q was used before and its history stays: give the task a new id, or go on with looprun answer or looprun retry", t.ID))
	}
	return a.publish(cfg.Dir, t.ID, f.data)
}

// publish makes the file stand in the inbox, or says where its id is taken.
func (a *app) publish(dir, id string, data []byte) error {
	root := filepath.Join(dir, loop.TasksDir)
	if err := queue.Make(root); err != nil {
		return err
	}
	q, err := queue.Open(root)
	if err != nil {
		return err
	}
	defer q.Close()
	if err := q.Add(data, id); err != nil {
		var taken *queue.Taken
		if errors.As(err, &taken) {
			return withCode(exitBadTask, fmt.Errorf("%w: looprun show %s", err, id))
		}
		return err
	}
	return a.said(id, map[string]any{"id": id, "stage": task.Inbox})
}
