package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/workspace"
)

func (a *app) gcCommand() *cobra.Command {
	var apply, unlanded bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "List what looprun keeps of ended tasks in the repository, and drop it",
		Long: `gc goes through refs/looprun and the candidates of tasks that have ended. It only
lists unless --apply is given. What no branch or tag of yours contains is kept, and
told as not landed, unless --unlanded is given too.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.gc(cmd.Context(), apply, unlanded) },
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "drop what is listed as dropped")
	cmd.Flags().BoolVar(&unlanded, "unlanded", false, "also drop what was never landed: it can't be had back")
	return cmd
}

func (a *app) gc(ctx context.Context, apply, unlanded bool) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	l, err := loop.Open(ctx, loop.Options{Config: cfg, Environ: a.environ, Now: a.now})
	if err != nil {
		return err
	}
	all, err := l.GC(ctx, workspace.Sweep{DryRun: !apply, Unlanded: unlanded})
	if err = errors.Join(err, l.Close()); err != nil {
		return err
	}
	return a.printGarbage(all, apply)
}

func (a *app) printGarbage(all []workspace.Garbage, applied bool) error {
	w := columns(a.stdout)
	drop := 0
	for _, g := range all {
		what := "keep"
		switch {
		case g.Drop && applied:
			what = "dropped"
		case g.Drop:
			what = "drop"
		case g.Active:
			what = "keep, active"
		case !g.Landed:
			what = "keep, not landed"
		}
		if g.Drop {
			drop++
		}
		if a.json {
			a.printJSON(map[string]any{"action": what, "kind": g.Kind, "task": g.Task, "ref": g.Ref, "commit": g.Commit, "landed": g.Landed})
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.12s\n", what, g.Task, g.Ref, g.Commit)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if drop > 0 && !applied {
		a.hint("looprun gc --apply drops what is marked drop")
	}
	return nil
}
