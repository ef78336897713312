package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"looprun.dev/looprun/engine/temporal/internal/flow"
	"looprun.dev/looprun/engine/temporal/internal/site"
)

func (a *app) pauseCommand() *cobra.Command {
	var now bool
	cmd := &cobra.Command{
		Use:   "pause [ID...]",
		Short: "Start nothing new of the tasks named, or of all, until resume",
		Long: `pause lets the step under way end first, as looprun pause does. With --now the
generator under way is ended; its start stays counted.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.order(cmd.Context(), args, flow.Order{Verb: flow.PauseVerb, Now: now})
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "end the generator under way")
	return cmd
}

func (a *app) resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resume [ID...]",
		Short: "Let the tasks named, or all, go on",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.order(cmd.Context(), args, flow.Order{Verb: flow.ResumeVerb})
		},
	}
}

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel ID...",
		Short: "End tasks: the generator under way is ended with all its processes",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.order(cmd.Context(), args, flow.Order{Verb: flow.CancelVerb})
		},
	}
}

// connected does something with the cluster of this repository.
func (a *app) connected(ctx context.Context, do func(client.Client, site.Engine) error) error {
	_, engine, err := a.load(a.dir)
	if err != nil {
		return err
	}
	c, err := a.dial(ctx, engine, slog.LevelError)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c, engine)
}

// order gives the tasks named, or all that run, an order.
func (a *app) order(ctx context.Context, ids []string, o flow.Order) error {
	return a.connected(ctx, func(c client.Client, e site.Engine) (err error) {
		if len(ids) == 0 {
			if ids, err = running(ctx, c, e); err != nil {
				return err
			}
		}
		for _, id := range ids {
			err := c.SignalWorkflow(ctx, e.WorkflowID(id), "", flow.OrderSignal, o)
			var none *serviceerror.NotFound
			if errors.As(err, &none) {
				return &coded{exitNoTask, fmt.Errorf("%s does not run on Temporal", id)}
			}
			if err != nil {
				return fmt.Errorf("%s %s: %w", o.Verb, id, err)
			}
			fmt.Fprintf(a.stdout, "%s  %s\n", id, o.Verb)
		}
		return nil
	})
}

// running lists the tasks of this repository that have not ended.
func running(ctx context.Context, c client.Client, e site.Engine) (ids []string, err error) {
	query := fmt.Sprintf("ExecutionStatus = 'Running' AND WorkflowType = '%s' AND TaskQueue = '%s'", flow.Name, flow.Queue(e.Name))
	var page []byte
	for {
		list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, NextPageToken: page})
		if err != nil {
			return nil, fmt.Errorf("list the tasks of %s: %w", e.Name, err)
		}
		for _, x := range list.GetExecutions() {
			ids = append(ids, strings.TrimPrefix(x.GetExecution().GetWorkflowId(), e.Name+"/"))
		}
		if page = list.GetNextPageToken(); len(page) == 0 {
			return ids, nil
		}
	}
}
