package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/task"
)

// assist lets every command that takes an id take the beginning of one as well,
// as long as only one task has it, and tells shells how to complete ids and the
// words of flags.
func (a *app) assist(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		completeWords(cmd)
		if use := strings.Fields(cmd.Use); len(use) < 2 || strings.Trim(use[1], "[]") != "ID" {
			continue
		}
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return run(cmd, args)
			}
			id, err := a.wholeID(args[0])
			if err != nil {
				return err
			}
			return run(cmd, append([]string{id}, args[1:]...))
		}
		cmd.ValidArgsFunction = a.completeID
	}
}

// wholeID is the id that begins with start. What no id begins with is returned
// as it is: the command says best what it misses.
func (a *app) wholeID(start string) (string, error) {
	look, err := a.look()
	if err != nil {
		return start, nil
	}
	defer look.close()
	if code, _ := task.CheckID(start); code != "" || look.named(start) {
		return start, nil
	}
	ids, err := look.ids()
	if err != nil {
		return "", err
	}
	var found []string
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if strings.HasPrefix(id, start) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return start, nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%w: %q is the beginning of several: %s", errNoTask, start, few(found))
}

// few lists the first of many names.
func few(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// named reports that a task has exactly this id, without listing any folder.
func (l *looker) named(id string) bool {
	for _, stage := range task.Stages {
		if _, err := os.Lstat(filepath.Join(l.tasks, string(stage), id+".json")); err == nil {
			return true
		}
	}
	return l.known(id)
}

// ids are those of all tasks, each with the stage that its file is in, "" for
// one whose file is gone.
func (l *looker) ids() (map[string]task.Stage, error) {
	all := map[string]task.Stage{}
	records, err := os.ReadDir(filepath.Join(filepath.Dir(l.tasks), loop.LoopDir, "tasks"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, e := range records {
		if code, _ := task.CheckID(e.Name()); code == "" && e.IsDir() {
			all[e.Name()] = ""
		}
	}
	for _, stage := range task.Stages {
		cards, err := l.queue.List(stage)
		if err != nil {
			return nil, err
		}
		for _, c := range cards {
			all[c.ID()] = stage
		}
	}
	return all, nil
}

// completeID offers a shell the ids that begin as what was typed.
func (a *app) completeID(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	look, err := a.look()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer look.close()
	ids, err := look.ids()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var offers []string
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if strings.HasPrefix(id, typed) {
			offers = append(offers, cobra.CompletionWithDesc(id, string(ids[id])))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// completeProfile offers the names of the profiles of loop.yaml.
func (a *app) completeProfile(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	path, err := a.configPath()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	cfg, _, _ := config.Load(path) // what of it can be read is offered
	var offers []string
	for _, name := range slices.Sorted(maps.Keys(cfg.Verification.Profiles)) {
		if strings.HasPrefix(name, typed) {
			offers = append(offers, name)
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// completeWords offers the words that a flag takes.
func completeWords(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		c, ok := f.Value.(*choice)
		if !ok {
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp))
	})
}
