package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a task: where it stands, its rounds, and why they ended as they did",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return a.show(args[0]) },
	}
}

// A detail is what show --json prints.
type detail struct {
	State    record.StateView     `json:"state"`
	Attempts []record.AttemptView `json:"attempts"`
	Result   *record.ResultView   `json:"result"`
}

func (a *app) show(id string) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	if look.reader == nil {
		return a.showUnclaimed(look.queue, id)
	}
	h, err := look.reader.Task(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a.showUnclaimed(look.queue, id)
	case err != nil:
		return withCode(exitFailed, fmt.Errorf("%w\nthe lines before it are untouched; looprun replay %s shows them", err, id))
	}
	d := newDetail(h)
	if a.json {
		a.printJSON(d)
		return nil
	}
	return a.printDetail(h, d)
}

func newDetail(h record.History) detail {
	d := detail{State: record.NewStateView(h.State, h.Head), Attempts: []record.AttemptView{}}
	for _, r := range h.State.Rounds {
		if len(r.Tries) > 0 {
			d.Attempts = append(d.Attempts, record.NewAttemptView(h.State, r))
		}
	}
	if h.State.Next == round.End {
		r := record.NewResultView(h.State, h.Lines, h.Head)
		d.Result = &r
	}
	return d
}

// showUnclaimed tells of a task that has no record yet.
func (a *app) showUnclaimed(q *queue.Queue, id string) error {
	for _, stage := range task.Stages {
		cards, err := q.List(stage)
		if err != nil {
			return err
		}
		for _, c := range cards {
			if c.ID() != id {
				continue
			}
			if c.Quarantined {
				return a.showQuarantined(q, c)
			}
			fmt.Fprintf(a.stdout, "%s is in %s and was not started yet\n", id, stage)
			return nil
		}
	}
	return fmt.Errorf("%w: %q: looprun list shows those that there are", errNoTask, id)
}

func (a *app) showQuarantined(q *queue.Queue, c queue.Card) error {
	reason, err := q.Reason(c.Name)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s is no task and stands in blocked\n", c.Name)
	for _, f := range reason.Faults {
		fmt.Fprintf(a.stdout, "  %s\n", f)
	}
	fmt.Fprintln(a.stdout, reason.Hint)
	return nil
}

func (a *app) printDetail(h record.History, d detail) error {
	s, v := h.State, d.State
	w := columns(a.stdout)
	fmt.Fprintf(w, "%s\t%s\n", v.TaskID, strings.TrimSpace(s.Task.Title))
	fmt.Fprintf(w, "status\t%s\n", standing(v, s))
	if s.Decision.Reason != "" {
		fmt.Fprintf(w, "last decision\t%s, %s (rule %s)\n", s.Decision.Kind, s.Decision.Reason, s.Decision.Rule)
	}
	for _, line := range [][2]string{
		{"detail", s.Decision.Detail}, {"asks", s.Decision.Request}, {"advice", string(s.Decision.Advice)},
		{"branch", s.Landed.Branch}, {"commit", s.Landed.Commit}, {"note", s.Landed.Note},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", line[0], line[1])
		}
	}
	fmt.Fprintf(w, "rounds\t%d of %d\n", v.Spent.Rounds, v.Limits.Rounds)
	fmt.Fprintf(w, "tries\t%d of %d\n", v.Spent.Tries, v.Limits.Tries)
	fmt.Fprintf(w, "time\t%s of %s\n", v.Spent.WallClock.Std().Round(1e9), v.Limits.WallClock)
	fmt.Fprintf(w, "cost\t%s\n", cost(v))
	fmt.Fprintf(w, "records\t%s\n", filepath.Join(loop.LoopDir, "tasks", v.TaskID))
	if err := w.Flush(); err != nil {
		return err
	}
	return a.printRounds(d.Attempts)
}

func standing(v record.StateView, s round.State) string {
	text := v.Status
	if v.Phase != "finished" {
		text += ", " + v.Phase
	}
	if v.WaitingFor != "" {
		text += ", waiting for " + v.WaitingFor
	}
	if v.NotBefore != nil {
		text += ", until " + v.NotBefore.Local().Format("2006-01-02 15:04:05")
	}
	return text
}

func cost(v record.StateView) string {
	text := fmt.Sprintf("%s of %s USD", v.Spent.Cost, v.Limits.Cost)
	if n := v.Spent.UnknownCost; n > 0 {
		text += fmt.Sprintf(", %d of %d tries of unknown cost", n, v.Tries)
	}
	return text
}

// printRounds is a table of the rounds, and below it the failures of the last.
func (a *app) printRounds(all []record.AttemptView) error {
	if len(all) == 0 {
		return nil
	}
	fmt.Fprintln(a.stdout)
	w := columns(a.stdout)
	fmt.Fprintln(w, "round\ttries\tchanged\tdecision\treason\tsignature\ttrend")
	for _, r := range all {
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\t%s\n", r.Round, len(r.Tries), files(len(r.Candidate.ChangedFiles)), r.Decision, r.Reason, r.Signature, r.Trend)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	last := all[len(all)-1]
	if last.Verified == nil {
		return nil
	}
	for _, b := range last.Verified.BoundaryErrors {
		fmt.Fprintf(a.stdout, "  %s %s\n", b.Code, b.Path)
	}
	for _, c := range last.Verified.Checks {
		for _, f := range c.Failures {
			fmt.Fprintf(a.stdout, "  %s\n", strings.Join(strings.Fields(strings.Join([]string{f.ID, f.Class, f.Detail}, " ")), " "))
		}
	}
	return nil
}
