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
	var n newTask
	cmd := &cobra.Command{
		Use:   "add [FILE|-]",
		Short: "Check a task and put it into the inbox",
		Long: `add checks a task, puts it into tasks/inbox at once and whole, and prints its id. The
task comes from a file, from standard input, or from flags: then it needs a --goal.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch inFlags := n.given(); {
			case len(args) == 1 && !inFlags:
				return a.add(args[0])
			case len(args) == 0 && n.goal != "":
				return a.addNew(n)
			}
			return withCode(exitUsage, errors.New("give a file, - for standard input, or a task in flags with a --goal: see looprun add --help"))
		},
	}
	cmd.Flags().AddFlagSet(n.flags())
	_ = cmd.RegisterFlagCompletionFunc("verify", a.completeProfile)
	_ = cmd.RegisterFlagCompletionFunc("after", a.completeID)
	return cmd
}

func (a *app) add(name string) error {
	if _, err := a.home(); err != nil {
		return err
	}
	f, err := a.readTask(name)
	if err != nil {
		return withCode(exitBadTask, fmt.Errorf("read the task: %v", err))
	}
	return a.addFile(f)
}

// addNew adds a task that was given in flags.
func (a *app) addNew(n newTask) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	f, err := n.file(look.taken)
	if err != nil {
		return withCode(exitUsage, err)
	}
	return a.addFile(f)
}

func (a *app) addFile(f taskFile) error {
	cfg, err := a.load()
	if err != nil {
		return err
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
