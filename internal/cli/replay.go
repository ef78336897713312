package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

func (a *app) replayCommand() *cobra.Command {
	var head string
	var checks bool
	cmd := &cobra.Command{
		Use:   "replay ID",
		Short: "Derive every decision of a task anew from its journal and compare",
		Long: `replay reads the journal, checks that each line follows from the one before it, and
derives every decision anew from the events before it. With --expect-head it also
says whether a digest that was kept elsewhere is one of the journal's: so it shows
when lines were cut off or rewritten. With --checks the recorded checks run again on
the recorded commit.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.replay(args[0], head)
			if err != nil || !checks {
				return err
			}
			h, err := a.history(args[0])
			if err != nil {
				return err
			}
			return a.recheck(cmd.Context(), args[0], h.State.Evidence)
		},
	}
	cmd.Flags().BoolVar(&checks, "checks", false, "also run the recorded checks on the recorded commit")
	cmd.Flags().StringVar(&head, "expect-head", "", "chain_head `H` of a result or pass that was kept elsewhere")
	return cmd
}

// A replayed is what replay --json prints.
type replayed struct {
	TaskID      string   `json:"task_id"`
	Lines       int      `json:"lines"`
	Decisions   int      `json:"decisions"`
	Head        string   `json:"chain_head"`
	Anchored    string   `json:"anchored"` // yes, no, not anchored
	Torn        bool     `json:"torn"`
	Differences []string `json:"differences"`
	Damage      string   `json:"damage,omitempty"`
}

func (a *app) replay(id, expect string) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	h, err := look.history(id)
	switch {
	case errors.Is(err, errNoTask) && expect != "":
		return fmt.Errorf("the journal of %q is gone, although its head was kept", id)
	case err != nil && !errors.Is(err, record.ErrDamaged):
		return err
	}
	r := newReplayed(id, h, expect)
	if err != nil {
		r.Damage = err.Error()
	}
	return a.printReplayed(r)
}

func newReplayed(id string, h record.History, expect string) replayed {
	r := replayed{TaskID: id, Lines: len(h.Lines), Head: h.Head, Torn: h.Torn, Anchored: "not anchored", Differences: []string{}}
	var events []round.Event
	for _, l := range h.Lines {
		events = append(events, l.Event)
		if l.Kind == round.Decide {
			r.Decisions++
		}
	}
	r.Differences = append(r.Differences, round.Replay(events)...)
	if expect != "" {
		r.Anchored = "no"
		if h.Contains(expect) {
			r.Anchored = "yes"
		}
	}
	return r
}

func (a *app) printReplayed(r replayed) error {
	if a.json {
		a.printJSON(r)
	} else {
		fmt.Fprintf(a.stdout, "%s  %d lines  %d decisions  head %s  %s\n", r.TaskID, r.Lines, r.Decisions, r.Head, anchored(r.Anchored))
		for _, d := range r.Differences {
			fmt.Fprintln(a.stdout, "  "+d)
		}
		if r.Torn {
			fmt.Fprintln(a.stdout, "  a crash cut off the line after these; the next run goes on without it")
		}
	}
	switch {
	case r.Damage != "":
		return withCode(exitFailed, errors.New(r.Damage+": the journal was altered"))
	case len(r.Differences) > 0:
		return withCode(exitFailed, errors.New("a recorded decision is not the one that its events lead to: the journal was altered, or comes from another version"))
	case r.Anchored == "no":
		return withCode(exitFailed, errors.New("the expected head is none of this journal's: lines were cut off or rewritten"))
	}
	return nil
}

func anchored(word string) string {
	if word == "yes" {
		return "anchored"
	}
	return "not anchored"
}
