package cli

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/web"
)

// A past is a flag that takes a time that was: how long ago, a day, or a time of
// one.
type past struct {
	now  func() time.Time
	time time.Time
}

func (p *past) Type() string { return "time" }

func (p *past) String() string {
	if p.time.IsZero() {
		return ""
	}
	return p.time.Format(time.RFC3339)
}

func (p *past) Set(text string) error {
	now := p.now()
	if d, err := web.ParseLength(text); err == nil {
		p.time = now.Add(-d)
		return nil
	}
	if at, ok := parseDay(text, now); ok {
		p.time = at
		return nil
	}
	return errors.New("give how long ago, as 24h or 7d, or a time as 2026-01-31, 2026-01-31 08:30 or RFC 3339")
}

func (a *app) reportCommand() *cobra.Command {
	since, until := past{now: a.now}, past{now: a.now}
	var file string
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Write what happened in a period as one HTML file",
		Long: `report writes one HTML file that needs nothing beside it: how tasks ended, what that
took and cost, which failures there were, what helped, and what waits for a person.
It reads the journals and changes nothing. Without --since it tells of seven days.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.report(cmd.Context(), since.time, until.time, file)
		},
	}
	cmd.Flags().Var(&since, "since", "from `TIME` on, as 24h, 7d, 2026-01-31 or 2026-01-31 08:30")
	cmd.Flags().Var(&until, "until", "before `TIME`; without it, now")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write `FILE`, not standard output")
	return cmd
}

// lately is how far back a report looks that nobody told.
const lately = 7 * 24 * time.Hour

func (a *app) report(ctx context.Context, since, until time.Time, file string) error {
	home, err := a.home()
	if err != nil {
		return err
	}
	if until.IsZero() {
		until = a.now().Add(time.Nanosecond)
	}
	if since.IsZero() {
		since = until.Add(-lately)
	}
	if !since.Before(until) {
		return withCode(exitUsage, errors.New("--since is not before --until: there is no time between"))
	}
	o := web.Options{Loop: filepath.Join(home, loop.LoopDir), Tasks: filepath.Join(home, loop.TasksDir), Name: filepath.Base(home), Now: a.now}
	rep, err := web.NewReport(&desk{app: a, ctx: ctx, tasks: o.Tasks}, o, web.Period{Since: since, Until: until})
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := web.WriteReport(&page, rep); err != nil {
		return err
	}
	if file == "" {
		_, err = a.raw.Write(page.Bytes())
		return err
	}
	path := a.path(file)
	if err := fsx.Scratch(filepath.Dir(path)).WriteFile(filepath.Base(path), page.Bytes()); err != nil {
		return err
	}
	return a.said(file, map[string]any{"file": file})
}
