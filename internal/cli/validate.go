package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/verify"
)

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate [FILE...]",
		Short: "Check loop.yaml and task files, and warn of settings that can never fire",
		Long:  `validate prints every fault at once, each with its place. Without files it checks loop.yaml and what is in tasks/inbox.`,
		RunE:  func(_ *cobra.Command, args []string) error { return a.validate(args) },
	}
}

func (a *app) validate(names []string) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	a.faults(cfg.Warnings())
	broken := cfg.CheckCommands(a.getenv("PATH"))
	a.faults(broken)
	if len(names) == 0 {
		if names, err = inboxFiles(cfg.Dir); err != nil {
			return err
		}
	} else {
		for i, name := range names {
			names[i] = a.path(name)
		}
	}
	bad := 0
	for _, name := range names {
		if !a.validTask(cfg, name) {
			bad++
		}
	}
	switch {
	case len(broken) > 0:
		return withCode(exitConfig, errors.New("loop.yaml names commands that can't be started"))
	case bad > 0:
		return withCode(exitBadTask, fmt.Errorf("%s not valid", plural(bad, "task file")))
	}
	fmt.Fprintf(a.stdout, "loop.yaml and %s are valid\n", plural(len(names), "task file"))
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (a *app) validTask(cfg config.Config, name string) bool {
	data, stem, err := a.readTask(name)
	if err != nil {
		a.complain(err)
		return false
	}
	t, faults := task.Parse(data, stem)
	if len(faults) == 0 {
		faults = task.Locate(data, t.Against(cfg.Known()))
	}
	faults, warnings := task.Split(faults)
	if len(faults) == 0 {
		policy := cfg.Policy(t)
		warnings = append(warnings, verify.SatisfiableWarnings(t, policy.Boundary, verify.NewBuiltin(config.FileName, policy.Profiles, nil))...)
	}
	a.faults(named(name, append(faults, warnings...)))
	return len(faults) == 0
}

// inboxFiles are the files that a run would read as tasks.
func inboxFiles(dir string) ([]string, error) {
	inbox := filepath.Join(dir, loop.TasksDir, string(task.Inbox))
	entries, err := os.ReadDir(inbox)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, filepath.Join(inbox, e.Name()))
		}
	}
	return names, nil
}
