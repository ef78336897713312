package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/record"
)

func (a *app) breakerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "breaker",
		Short: "Look at what is held for all tasks, and let go of it",
		Long: `A breaker stands for what every start depends on: an account, a model, a command, a
profile on a base. While it is open nothing is started that depends on it. It heals
by itself: when its time is over, one start shows whether the target works.`,
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "list",
		Short: "List the targets that have failed, with why and how long they are held",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.listBreakers() },
	}, &cobra.Command{
		Use:   "reset TARGET",
		Short: "Let go of a target now, as after a login, and forget its failures",
		Long:  `reset takes a target as breaker list shows it, in one argument, or the name of its file.`,
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return a.resetBreaker(args[0]) },
	})
	return cmd
}

// A held target is what breaker list --json prints, a line each.
type circuit struct {
	record.Circuit
	Phase string `json:"phase"` // closed, open, half_open
	File  string `json:"file"`
}

func (a *app) listBreakers() error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	if look.reader == nil {
		return nil
	}
	all, damaged, err := look.reader.Breakers().List()
	if err != nil {
		return err
	}
	for _, name := range damaged {
		a.warn(fmt.Sprintf(".loop/breakers/%s can't be read: it counts as closed, and is set aside when it is needed", name))
	}
	w, now := columns(a.stdout), a.now()
	for _, c := range all {
		if a.json {
			a.printJSON(circuit{Circuit: c, Phase: c.Phase(now), File: c.Of().Stem() + ".json"})
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Target, c.Phase(now), a.describe(c, now))
	}
	return w.Flush()
}

// describe says why a target is held, or what it is charged with.
func (a *app) describe(c record.Circuit, now time.Time) string {
	switch c.Phase(now) {
	case record.PhaseOpen:
		return fmt.Sprintf("%s, until %s%s", c.Reason, a.local(c.Until), colon(c.Detail))
	case record.PhaseHalfOpen:
		return fmt.Sprintf("%s: the next start shows whether it works%s", c.Reason, colon(c.Detail))
	}
	switch {
	case c.InARow > 0:
		return fmt.Sprintf("failed %s in a row, %d retries", times(c.InARow), len(c.Retries))
	case len(c.Retries) > 0:
		return fmt.Sprintf("%d retries", len(c.Retries))
	}
	return ""
}

func colon(detail string) string {
	if detail == "" {
		return ""
	}
	return ": " + oneLine(detail)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

var errNoBreaker = errors.New("no such target")

func (a *app) resetBreaker(name string) error {
	path, err := a.loopDir()
	if err != nil {
		return err
	}
	loop, err := fsx.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return withCode(exitNoTask, fmt.Errorf("%w: %q: looprun never ran here", errNoBreaker, name))
	}
	if err != nil {
		return err
	}
	defer loop.Close()
	b := record.NewBreakers(loop)
	b.Warn = a.warn
	found, err := b.Reset(name)
	switch {
	case err != nil:
		return err
	case !found:
		return withCode(exitNoTask, fmt.Errorf("%w: %q: looprun breaker list shows those that there are", errNoBreaker, name))
	}
	fmt.Fprintf(a.stdout, "%s: let go; looprun run goes on\n", name)
	return nil
}
