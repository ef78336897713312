package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/task"
)

// What --for may say.
const (
	forAny        = "any"
	forDone       = "done"
	forBlocked    = "blocked"
	forNeedsInput = "needs_input"
)

func (a *app) waitCommand() *cobra.Command {
	what := choice{forAny, []string{forDone, forBlocked, forNeedsInput, forAny}}
	var timeout span
	cmd := &cobra.Command{
		Use:   "wait ID",
		Short: "Wait until a task has ended",
		Long: `wait ends when the task has ended, and prints how. Its exit code is 0 for done, 3 for
blocked and 2 for needs_input; with --for it is 0 for the end that was waited for.
It starts nothing: a run, cron or a watch has to be at work.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.wait(cmd.Context(), args[0], what.word, time.Duration(timeout))
		},
	}
	cmd.Flags().Var(&what, "for", "the end to wait for: `done`, blocked, needs_input or any")
	cmd.Flags().Var(&timeout, "timeout", "give up after `D`, as 90s or 2h (124)")
	return cmd
}

func (a *app) wait(ctx context.Context, id, what string, timeout time.Duration) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	if taken, err := look.taken(id); err != nil || !taken {
		return errors.Join(err, look.unclaimed(id))
	}
	late := make(<-chan time.Time)
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		late = t.C
	}
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		if stage := look.end(id); stage != "" {
			return a.waited(id, what, stage)
		}
		select {
		case <-ctx.Done():
			return asSignal(ctx, nil)
		case <-late:
			return withCode(exitOutOfTime, fmt.Errorf("%s has not ended after %s", id, timeout))
		case <-tick.C:
		}
	}
}

// end is the stage that a task ended in, "" for one that has not.
func (l *looker) end(id string) task.Stage {
	for _, stage := range []task.Stage{task.Done, task.BlockedStage, task.NeedsInputStage} {
		if _, err := os.Lstat(filepath.Join(l.tasks, string(stage), id+".json")); err == nil {
			return stage
		}
	}
	return ""
}

// waited prints how a task ended. The records may be younger than the wait.
func (a *app) waited(id, what string, stage task.Stage) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	_, card, err := look.find(id)
	if err != nil {
		return err
	}
	e := look.entry(stage, card)
	if a.json {
		a.printJSON(e)
	} else {
		fmt.Fprintf(a.stdout, "%s  %s  %s\n", id, stage, e.describe())
	}
	ends := map[task.Stage]struct {
		word string
		code int
	}{task.Done: {forDone, exitOK}, task.BlockedStage: {forBlocked, exitBlocked}, task.NeedsInputStage: {forNeedsInput, exitInput}}
	end := ends[stage]
	switch {
	case what == end.word:
		return nil
	case what == forAny:
		return withCode(end.code, nil)
	case end.code == exitOK:
		return withCode(exitFailed, fmt.Errorf("%s is done, so it will never be %s", id, what))
	}
	return withCode(end.code, nil)
}
