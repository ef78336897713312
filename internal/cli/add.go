package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
	data, stem, err := a.readTask(name)
	if err != nil {
		return withCode(exitBadTask, err)
	}
	t, faults := task.Parse(data, stem)
	if len(faults) == 0 {
		faults = append(faults, task.Locate(data, t.Against(cfg.Known()))...)
	}
	faults, warnings := task.Split(faults)
	a.faults(named(name, append(faults, warnings...)))
	if len(faults) > 0 {
		return withCode(exitBadTask, errors.New("the task was not added"))
	}
	if _, err := os.Lstat(filepath.Join(cfg.Dir, loop.LoopDir, "tasks", t.ID)); err == nil {
		return withCode(exitBadTask, fmt.Errorf("the id %q was used before: its history stays, so give the task a new id", t.ID))
	}
	return a.publish(cfg.Dir, t.ID, data)
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
			return withCode(exitBadTask, err)
		}
		return err
	}
	if a.json {
		a.printJSON(map[string]string{"id": id, "stage": string(task.Inbox)})
		return nil
	}
	fmt.Fprintln(a.stdout, id)
	return nil
}

// maxTask is one byte more than a task may have, so that the reader sees it.
const maxTask = 1<<20 + 1

// readTask reads a task and the stem that its id must be equal to: that of the
// file, or for standard input none.
func (a *app) readTask(name string) (data []byte, stem string, err error) {
	if name == "-" {
		data, err = io.ReadAll(io.LimitReader(a.stdin, maxTask))
		return data, "", err
	}
	f, err := os.Open(a.path(name))
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, maxTask))
	return data, strings.TrimSuffix(filepath.Base(name), ".json"), err
}

// path is a path from the command line, seen from the directory of -C.
func (a *app) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

func named(file string, faults []task.Fault) []task.Fault {
	for i := range faults {
		if faults[i].File == "" {
			faults[i].File = file
		}
	}
	return faults
}
