package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/record"
)

func (a *app) pauseCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "pause",
		Short: "Start nothing new until resume; the step under way ends first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.flag(func(loop *fsx.Dir) (string, error) {
				set, err := record.SetPause(loop, record.Pause{Since: a.now().UTC(), Reason: reason})
				if set {
					return "paused", err
				}
				return "paused already", err
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "what status shows")
	return cmd
}

func (a *app) resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resume",
		Short: "Take the pause back; the next run goes on",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.flag(func(loop *fsx.Dir) (string, error) {
				cleared, err := record.ClearPause(loop, a.now())
				if cleared {
					return "resumed: looprun run goes on", err
				}
				return "was not paused", err
			})
		},
	}
}

// flag changes a flag file in .loop, which is made if looprun never ran.
func (a *app) flag(change func(*fsx.Dir) (string, error)) error {
	if _, err := a.load(); err != nil {
		return err
	}
	path, err := a.loopDir()
	if err != nil {
		return err
	}
	loop, err := fsx.MkdirAll(path)
	if err != nil {
		return err
	}
	defer loop.Close()
	said, err := change(loop)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, said)
	return nil
}

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel ID",
		Short: "End a claimed task: it is blocked, and its records stay",
		Long:  `cancel leaves a request. An instance that runs sees it before its next step and within a second in a wait; otherwise the next run does.`,
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return a.cancel(args[0]) },
	}
}

func (a *app) cancel(id string) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	if look.reader == nil {
		return fmt.Errorf("%w: %q was never claimed", errNoTask, id)
	}
	h, err := look.reader.Task(id)
	if err != nil {
		return withCode(exitNoTask, fmt.Errorf("%w: %q was never claimed: %w", errNoTask, id, err))
	}
	if h.State.Decision.Ends() {
		return withCode(exitNoTask, fmt.Errorf("%w: %q has ended already", errNoTask, id))
	}
	return a.flag(func(loop *fsx.Dir) (string, error) {
		return id + ": asked to end; the next step of looprun run does it", record.Cancel(loop, id, a.now())
	})
}
