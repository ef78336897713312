package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
)

func (a *app) repairCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "repair [ID]",
		Short: "Render the views of tasks anew where they are not as the journals say",
		Long: `repair compares what stands in .loop with the journals. A file that is missing is
made, one that differs is set aside and made anew. A journal is never touched.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.repair(cmd.Context(), args) },
	}
}

func (a *app) repair(ctx context.Context, ids []string) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := a.history(id); err != nil {
			return err
		}
	}
	l, err := loop.Open(ctx, loop.Options{Config: cfg, Environ: a.environ, Now: a.now})
	if err != nil {
		return asSignal(ctx, err)
	}
	repaired, err := l.Repair(slices.Clone(ids))
	if err = errors.Join(err, l.Close()); err != nil {
		return err
	}
	for _, r := range repaired {
		if a.json {
			a.printJSON(map[string]string{"task_id": r.TaskID, "path": r.Path, "set_aside": r.Aside})
			continue
		}
		text := "made anew"
		if r.Aside != "" {
			text += ", what stood there is " + a.short(r.Aside) + " now"
		}
		fmt.Fprintf(a.stdout, "%s  %s: %s\n", r.TaskID, a.short(r.Path), text)
	}
	if len(repaired) == 0 && !a.json {
		fmt.Fprintln(a.stdout, "every view is as its journal says")
	}
	return nil
}
