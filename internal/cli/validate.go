package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/round"
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
	a.faultsAsJSON = a.json
	cfg, err := a.load()
	if err != nil {
		return err
	}
	a.faults(append(cfg.Warnings(), liftsNothing(cfg)...))
	broken := cfg.CheckCommands(a.getenv("PATH"))
	a.faults(broken)
	bad := 0
	if len(names) == 0 {
		if names, bad, err = a.inbox(cfg); err != nil {
			return err
		}
	}
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
	return a.said(fmt.Sprintf("loop.yaml and %s are valid", plural(len(names), "task file")), map[string]any{"valid": true, "task_files": len(names)})
}

// liftsNothing warns of each path in boundary.protect that is to lift what is
// protected by itself, but which is not. Of a pattern that can't be said for
// sure.
func liftsNothing(cfg config.Config) (idle []task.Fault) {
	policy := cfg.Policy(task.Task{})
	for i, lift := range policy.Boundary.Protect {
		name, ok := strings.CutPrefix(lift, "!")
		if !ok || strings.ContainsAny(name, "*?[{") {
			continue
		}
		builtin := verify.NewBuiltin(config.FileName, cfg.Verification.Profiles, nil)
		if verify.NewRules(round.Boundary{Allow: []string{"**"}}, builtin).Protected(name) {
			continue
		}
		field := fmt.Sprintf("boundary.protect[%d]", i)
		line, _ := cfg.Origin(field)
		idle = append(idle, task.Fault{
			File: config.FileName, Field: field, Line: line, Col: 1, Code: task.CodeNoEffect, Warning: true,
			Msg: fmt.Sprintf("never has an effect: %q is not protected by itself", name),
		})
	}
	return idle
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (a *app) validTask(cfg config.Config, name string) bool {
	f, err := a.readTask(name)
	if err != nil {
		a.complain(err)
		return false
	}
	_, ok := a.check(cfg, f)
	return ok
}

// inbox gives the files of inbox that are to be read as tasks, and tells of
// those that a run would not get so far with.
func (a *app) inbox(cfg config.Config) (names []string, bad int, err error) {
	look, err := a.look()
	if err != nil {
		return nil, 0, err
	}
	defer look.close()
	list, err := look.queue.Scan(func(t task.Task) []task.Fault { return t.Against(cfg.Known()) }, look.known, a.now())
	if err != nil {
		return nil, 0, err
	}
	for _, w := range list.Warnings {
		a.complain(errors.New(w.String()))
	}
	add := func(name string) { names = append(names, a.short(filepath.Join(look.tasks, string(task.Inbox), name))) }
	for _, r := range list.Ready {
		add(r.Name)
	}
	for _, w := range list.Waiting {
		add(w.Name)
	}
	for _, b := range list.Bad {
		a.faults(b.Faults)
	}
	slices.Sort(names)
	return names, len(list.Bad) + len(list.Warnings), nil
}
