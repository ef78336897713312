package command

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/engine/temporal/internal/site"
	"looprun.dev/looprun/internal/round"
)

func (a *app) workerCommand() *cobra.Command {
	var name, control string
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Do the steps of tasks until a signal ends it",
		Long: `worker does the steps of tasks in trees of its own: it runs generators, checks and
landings, for as many tasks at once as queue.concurrency says. Its folder is any
clone of the repository, with the same loop.yaml. The worker that has the control
repository, or the path of it in --control, keeps the records there.

The first signal ends the generators under way and tells what came of them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, engine, err := a.load(a.dir)
			if err != nil {
				return err
			}
			w := site.Worker{Config: cfg, Environ: a.environ, Name: name, Warn: teller{a}}
			if w.Control, err = a.controlOf(engine, control); err != nil {
				return err
			}
			c, err := a.dial(cmd.Context(), engine, slog.LevelWarn)
			if err != nil {
				return err
			}
			defer c.Close()
			fmt.Fprintf(a.stderr, "looprun: worker %s serves %s at %s\n", name, engine.Name, engine.Address)
			return w.Run(cmd.Context(), c, engine)
		},
	}
	cmd.Flags().StringVar(&name, "name", "1", "`NAME` that tells workers on one clone apart")
	cmd.Flags().StringVar(&control, "control", "", "keep the records of tasks in the repository at `DIR`; default: this one, if engine.temporal.remote is not set")
	return cmd
}

// controlOf is the repository whose records the worker keeps, nil for none.
func (a *app) controlOf(engine site.Engine, dir string) (*site.Control, error) {
	if dir == "" {
		if engine.Remote != "" {
			return nil, nil
		}
		dir = a.dir
	}
	c, of, err := a.control(dir)
	if err == nil && of.Name != engine.Name {
		err = &coded{exitConfig, fmt.Errorf("--control %q is of repository %q, not %q: set engine.temporal.name in both", dir, of.Name, engine.Name)}
	}
	return &c, err
}

// A teller prints what a person should know.
type teller struct{ *app }

// Recorded implements loop.Observer.
func (teller) Recorded(round.State, round.Event) {}

// Quarantined implements loop.Observer.
func (t teller) Quarantined(name, as string, faults []string) {
	for _, fault := range faults {
		fmt.Fprintf(t.stderr, "looprun: %s is no task and is blocked/%s now: %s\n", name, as, fault)
	}
}

// Warn implements loop.Observer.
func (t teller) Warn(text string) { fmt.Fprintln(t.stderr, "looprun: warning: "+text) }
