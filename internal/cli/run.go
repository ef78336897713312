package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
)

// runFlags are those of run.
type runFlags struct {
	once   bool
	limits loop.Limits
	ifBusy string
	dryRun bool
}

// What --if-busy may say.
const (
	busyFail = "fail"
	busySkip = "skip"
	busyWait = "wait"
)

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Make one pass: go on with what was begun, then take what is in the inbox",
		Long: `run makes one pass and ends; cron starts it again. It goes on with the tasks in
tasks/processing, then claims those in tasks/inbox, by priority and then by name.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pass(cmd.Context(), f) },
	}
	cmd.Flags().BoolVar(&f.once, "once", false, "take up one task")
	cmd.Flags().IntVar(&f.limits.MaxTasks, "max-tasks", 0, "take up at most `N` tasks")
	cmd.Flags().DurationVar(&f.limits.MaxTime, "max-time", 0, "stop after `D`, as 2h; what was begun goes on in the next pass")
	cmd.Flags().IntVar(&f.limits.PauseAfterRound, "pause-after-round", 0, "stop when the plan after round `N` is ready")
	cmd.Flags().StringVar(&f.ifBusy, "if-busy", busyFail, "while another instance runs: `fail` (75), skip (0) or wait")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be taken up, and do nothing")
	return cmd
}

func (f *runFlags) check() error {
	if f.limits.MaxTasks < 0 || f.limits.PauseAfterRound < 0 || f.limits.MaxTime < 0 {
		return errors.New("--max-tasks, --max-time and --pause-after-round take positive values")
	}
	if f.ifBusy != busyFail && f.ifBusy != busySkip && f.ifBusy != busyWait {
		return fmt.Errorf("--if-busy %q: use fail, skip or wait", f.ifBusy)
	}
	if f.once {
		f.limits.MaxTasks = 1
	}
	return nil
}

// pass makes one pass and prints what came of it.
func (a *app) pass(ctx context.Context, f runFlags) error {
	if err := f.check(); err != nil {
		return withCode(exitUsage, err)
	}
	cfg, err := a.load()
	if err != nil {
		return err
	}
	if f.dryRun {
		return a.dryRun(cfg)
	}
	if faults := cfg.CheckCommands(a.getenv("PATH")); len(faults) > 0 {
		a.faults(faults)
		return withCode(exitConfig, errors.New("a command of loop.yaml can't be started: nothing was claimed"))
	}
	p := &progress{app: a}
	o := loop.Options{Config: cfg, Environ: a.environ, Observer: p, Now: a.now}
	if f.ifBusy == busyWait {
		o.Patience = time.Duration(1<<63 - 1)
	}
	l, err := loop.Open(ctx, o)
	switch {
	case errors.Is(err, record.ErrBusy) && f.ifBusy == busySkip:
		return nil
	case err != nil:
		return asSignal(ctx, err)
	}
	result, err := l.Run(ctx, f.limits)
	a.printPass(result)
	if err = errors.Join(err, l.Close()); err != nil {
		return asSignal(ctx, err)
	}
	if ctx.Err() != nil {
		return asSignal(ctx, nil)
	}
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
