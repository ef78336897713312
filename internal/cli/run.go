package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
)

// runFlags are those of run.
type runFlags struct {
	once, dryRun              bool
	maxTasks, pauseAfterRound count
	maxTime                   span
	ifBusy                    choice
}

func (a *app) runCommand() *cobra.Command {
	f := runFlags{ifBusy: forBusy()}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Make one pass: go on with what was begun, then take what is in the inbox",
		Long: `run makes one pass and ends; cron starts it again. It goes on with the tasks in
tasks/processing, then claims those in tasks/inbox, by priority and then by name.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pass(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.once, "once", false, "take up one task")
	flags.Var(&f.maxTasks, "max-tasks", "take up at most `N` tasks")
	flags.Var(&f.maxTime, "max-time", "stop after `D`, as 90s or 2h: what is under way is ended, the next run goes on with it (124)")
	flags.Var(&f.pauseAfterRound, "pause-after-round", "stop when the plan after round `N` is ready (75)")
	flags.Var(&f.ifBusy, "if-busy", busyUsage)
	flags.BoolVar(&f.dryRun, "dry-run", false, "do nothing but tell what would be done, as plan does")
	cmd.MarkFlagsMutuallyExclusive("once", "max-tasks")
	return cmd
}

func (f *runFlags) limits() loop.Limits {
	l := loop.Limits{MaxTasks: int(f.maxTasks), MaxTime: time.Duration(f.maxTime), PauseAfterRound: int(f.pauseAfterRound)}
	if f.once {
		l.MaxTasks = 1
	}
	return l
}

// pass makes one pass and prints what came of it.
func (a *app) pass(ctx context.Context, f runFlags) error {
	if f.dryRun {
		return a.plan(f.limits().MaxTasks)
	}
	cfg, err := a.startable()
	if err != nil {
		return err
	}
	p := a.newProgress()
	defer p.close()
	l, err := a.start(ctx, cfg, f.ifBusy.word, p)
	if l == nil {
		return err
	}
	result, err := l.Run(ctx, f.limits())
	p.close()
	a.printPass(result)
	if err = errors.Join(err, l.Close()); err != nil {
		if exitCode(err) == exitIO {
			a.hint("what was done is kept: looprun run goes on with it once the disk does")
		}
		return asSignal(ctx, err)
	}
	if ctx.Err() != nil {
		a.hint("looprun run goes on with what was begun")
		return asSignal(ctx, nil)
	}
	a.rest(result)
	return withCode(passCode(result), nil)
}

// asSignal is the signal that ended ctx, if one did; else err.
func asSignal(ctx context.Context, err error) error {
	var sig *signalled
	if cause := context.Cause(ctx); errors.As(cause, &sig) {
		return errors.Join(sig, err)
	}
	return err
}
