package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"looprun.dev/looprun/engine/temporal/internal/flow"
	"looprun.dev/looprun/engine/temporal/internal/site"
)

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the tasks that run on Temporal",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.connected(cmd.Context(), func(c client.Client, e site.Engine) error { return a.status(cmd.Context(), c, e) })
		},
	}
}

func (a *app) status(ctx context.Context, c client.Client, e site.Engine) error {
	ids, err := running(ctx, c, e)
	if err != nil {
		return err
	}
	slices.Sort(ids)
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, id := range ids {
		s, err := standing(ctx, c, e, id)
		var none *serviceerror.NotFound
		switch {
		case errors.As(err, &none):
			continue // it ended meanwhile
		case err != nil:
			fmt.Fprintf(a.stderr, "looprun: %s: %v\n", id, err)
		case a.json:
			if err := json.NewEncoder(a.stdout).Encode(s); err != nil {
				return err
			}
		default:
			fmt.Fprintf(table, "%s\t%s\tround %d\ttry %d\t%s\t%s\n", id, phase(s), s.Round, s.Tries, s.Worker, s.Problem)
		}
	}
	return table.Flush()
}

func phase(s flow.Status) string {
	switch {
	case s.Cancel:
		return "cancelling"
	case s.Paused:
		return "paused " + string(s.Phase)
	}
	return string(s.Phase)
}

// standing asks a workflow where its task stands.
func standing(ctx context.Context, c client.Client, e site.Engine, id string) (s flow.Status, err error) {
	v, err := c.QueryWorkflow(ctx, e.WorkflowID(id), "", flow.StatusQuery)
	if err != nil {
		return s, err
	}
	return s, v.Get(&s)
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show where a task stands that runs, or what became of it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, id := cmd.Context(), args[0]
			shown := false
			err := a.connected(ctx, func(c client.Client, e site.Engine) error {
				ids, err := running(ctx, c, e)
				if err != nil || !slices.Contains(ids, id) {
					return err
				}
				shown = true
				return a.show(ctx, c, e, id)
			})
			if err != nil || shown {
				return err
			}
			return a.looprun(ctx, "show", id)
		},
	}
}

// show prints where a task stands, and its journal with --json.
func (a *app) show(ctx context.Context, c client.Client, e site.Engine, id string) error {
	if a.json {
		v, err := c.QueryWorkflow(ctx, e.WorkflowID(id), "", flow.JournalQuery)
		var text string
		if err == nil {
			err = v.Get(&text)
		}
		if err == nil {
			_, err = fmt.Fprint(a.stdout, text)
		}
		return err
	}
	s, err := standing(ctx, c, e, id)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s  %s  round %d  %d starts\n", id, phase(s), s.Round, s.Tries)
	if s.Reason != "" {
		fmt.Fprintf(a.stdout, "last decision: %s: %s\n", s.Decision, s.Reason)
	}
	if s.Worker != "" {
		fmt.Fprintf(a.stdout, "its tree is on %s\n", s.Worker)
	}
	if s.Problem != "" {
		fmt.Fprintf(a.stdout, "repeating %s\n", s.Problem)
	}
	return nil
}
