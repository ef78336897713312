package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
)

func (a *app) pauseCommand() *cobra.Command {
	var reason string
	until := moment{now: a.now}
	cmd := &cobra.Command{
		Use:   "pause",
		Short: "Start nothing new until resume; the step under way ends first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.pause(record.Pause{Since: a.now().UTC(), Until: until.time.UTC(), Reason: reason})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "what status shows")
	cmd.Flags().Var(&until, "until", "end it by itself at `TIME`, as 2h, 08:30 or 2026-01-31 08:30")
	return cmd
}

func (a *app) pause(p record.Pause) error {
	var set bool
	err := a.inLoop(func(dir *fsx.Dir) (err error) {
		set, err = record.SetPause(dir, p)
		return err
	})
	if err != nil {
		return err
	}
	object := map[string]any{"paused": true, "changed": set}
	if !p.Until.IsZero() {
		object["until"] = p.Until.Format(time.RFC3339)
	}
	text := a.paused(p)
	if !set {
		text = "paused already"
	}
	return a.said(text, object)
}

// paused says of a pause how it ends.
func (a *app) paused(p record.Pause) string {
	why, end := "", ": looprun resume lets it go on"
	if p.Reason != "" {
		why = ", " + oneLine(p.Reason)
	}
	if p.Until.IsZero() {
		return "paused" + why + end
	}
	return "paused until " + a.local(p.Until) + why + end + " before"
}

func (a *app) resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resume",
		Short: "Take the pause back; the next run goes on",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.resume() },
	}
}

func (a *app) resume() error {
	var cleared bool
	err := a.inLoop(func(dir *fsx.Dir) (err error) {
		cleared, err = record.ClearPause(dir, a.now())
		return err
	})
	if err != nil {
		return err
	}
	text := "resumed: looprun run goes on"
	if !cleared {
		text = "was not paused"
	}
	return a.said(text, map[string]any{"paused": false, "changed": cleared})
}

// inLoop changes a file in .loop, which is made if looprun never ran. A fault in
// loop.yaml is no reason not to pause.
func (a *app) inLoop(change func(*fsx.Dir) error) error {
	path, err := a.loopDir()
	if err != nil {
		return err
	}
	dir, err := fsx.MkdirAll(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return change(dir)
}

// said prints what a command did, as text or as an object.
func (a *app) said(text string, object map[string]any) error {
	if a.json {
		a.printJSON(object)
		return nil
	}
	_, err := fmt.Fprintln(a.stdout, text)
	return err
}

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel ID",
		Short: "End a claimed task: it is blocked, and its records stay",
		Long: `cancel ends a task now. Where an instance runs it is asked to: it looks before
each step, and within a second in a wait.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.cancel(cmd.Context(), args[0]) },
	}
}

func (a *app) cancel(ctx context.Context, id string) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	h, err := a.history(id)
	if err != nil {
		return err
	}
	if h.State.Decision.Ends() {
		return fmt.Errorf("%w under way: %q has ended already: looprun show %s", errNoTask, id, id)
	}
	err = a.inLoop(func(dir *fsx.Dir) error { return record.Cancel(dir, id, a.now()) })
	if err != nil {
		return err
	}
	p := a.newProgress()
	defer p.close()
	l, err := loop.Open(ctx, loop.Options{Config: cfg, Environ: a.environ, Observer: p, Now: a.now, Patience: 100 * time.Millisecond})
	if errors.Is(err, record.ErrBusy) {
		return a.said(id+": the instance that runs was asked to end it", map[string]any{"task_id": id, "cancelled": "asked"})
	}
	if err != nil {
		return asSignal(ctx, err)
	}
	result, err := l.Cancel(ctx, id)
	a.printPass(result)
	return asSignal(ctx, errors.Join(err, l.Close()))
}
