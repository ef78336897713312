package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"looprun.dev/looprun/engine/temporal/internal/flow"
	"looprun.dev/looprun/engine/temporal/internal/site"
)

func (a *app) startCommand() *cobra.Command {
	var most int
	cmd := &cobra.Command{
		Use:   "start [FILE|DIR...]",
		Short: "Hand the tasks that are ready over to the cluster",
		Long: `start adds the files named, or those of the folders named, to tasks/inbox as looprun
add does, and hands every task over that is ready. Its file stands in processing
until the task ends; looprun run leaves it alone. It bears repeating: a task that
is under way is not started again. Tasks that wait for others or for a time stay in
the inbox: start them later, as from cron.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.add(cmd.Context(), args); err != nil {
				return err
			}
			return a.start(cmd.Context(), most)
		},
	}
	cmd.Flags().IntVar(&most, "max-tasks", 0, "hand over `N` tasks at most")
	return cmd
}

// add puts files into the inbox.
func (a *app) add(ctx context.Context, args []string) error {
	files := []string{"add"}
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return &coded{exitUsage, err}
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		found, err := filepath.Glob(filepath.Join(arg, "*.json"))
		if err != nil {
			return &coded{exitUsage, err}
		}
		files = append(files, found...)
	}
	if len(files) == 1 {
		return nil
	}
	for i, f := range files[1:] {
		abs, err := filepath.Abs(f)
		if err != nil {
			return err
		}
		files[i+1] = abs
	}
	return a.looprun(ctx, files...)
}

func (a *app) start(ctx context.Context, most int) error {
	control, engine, err := a.control(a.dir)
	if err != nil {
		return err
	}
	c, err := a.dial(ctx, engine, slog.LevelError)
	if err != nil {
		return err
	}
	defer c.Close()
	started, left, err := control.Start(ctx, teller{a}, most, func(in flow.Input) error { return begin(ctx, c, control, engine, in) })
	for _, w := range left.Waiting {
		fmt.Fprintf(a.stderr, "looprun: %s stays in the inbox: %s\n", w.Name, w.Why)
	}
	if a.json {
		fmt.Fprintf(a.stdout, "{\"started\":%d,\"waiting\":%d}\n", started, len(left.Waiting))
	} else {
		fmt.Fprintf(a.stdout, "%d tasks are with Temporal\n", started)
	}
	return err
}

// begin starts the workflow of a task, once: one that is or was there counts as
// started. Where the engine has forgotten a task that was accepted, it is not
// made again.
func begin(ctx context.Context, c client.Client, control site.Control, e site.Engine, in flow.Input) error {
	id := e.WorkflowID(in.ID)
	accepted, err := control.Accepted(ctx, in.ID)
	if err != nil {
		return err
	}
	if accepted {
		if _, err := c.DescribeWorkflowExecution(ctx, id, ""); err != nil {
			return fmt.Errorf("%s was accepted before (%s), and the cluster knows nothing of it: %w", in.ID, flow.AcceptedRef(in.ID), err)
		}
		return nil
	}
	_, err = c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: in.Setup.Queue,
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, flow.Name, in)
	var already *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &already) {
		return nil
	}
	return err
}
