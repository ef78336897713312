package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/verify"
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
	h, err := look.history(id)
	switch {
	case errors.Is(err, errNoTask):
		return a.showUnclaimed(look, id, err)
	case err != nil:
		return fmt.Errorf("%w\nthe lines before it are untouched: looprun replay %s derives them anew", err, id)
	}
	d := newDetail(h)
	if a.json {
		a.printJSON(d)
		return nil
	}
	return a.printDetail(look, h, d)
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

// An unclaimed is what show --json prints for a file that has no record.
type unclaimed struct {
	Stage  task.Stage   `json:"stage"`
	File   string       `json:"file"`
	Faults []task.Fault `json:"faults"` // of a file in quarantine
	Hint   string       `json:"hint,omitempty"`
}

// showUnclaimed tells of a file that waits, or that never was a task; none is
// the error where there is no such file.
func (a *app) showUnclaimed(look *looker, id string, none error) error {
	stage, card, err := look.find(id)
	if err != nil {
		return err
	}
	if stage == "" {
		return none
	}
	u := unclaimed{Stage: stage, File: filepath.Join(loop.TasksDir, string(stage), card.Name), Faults: []task.Fault{}}
	if card.Quarantined {
		reason, err := look.queue.Reason(card.Name)
		if err != nil {
			return err
		}
		u.Faults, u.Hint = reason.Faults, reason.Hint
	}
	if a.json {
		a.printJSON(u)
		return nil
	}
	if !card.Quarantined {
		fmt.Fprintf(a.stdout, "%s is in %s and was not started yet\n", id, stage)
		return nil
	}
	fmt.Fprintf(a.stdout, "%s is no task and was put aside:\n", u.File)
	for _, f := range u.Faults {
		fmt.Fprintf(a.stdout, "  %s\n", f)
	}
	a.hint("%s", u.Hint)
	return nil
}

func (a *app) printDetail(look *looker, h record.History, d detail) error {
	s, v := h.State, d.State
	w := columns(a.stdout)
	fmt.Fprintln(w, strings.TrimRight(v.TaskID+"\t"+oneLine(s.Task.Title), "\t"))
	fmt.Fprintf(w, "status\t%s\n", standing(v, s))
	if s.Decision.Reason != "" {
		fmt.Fprintf(w, "last decision\t%s, %s (rule %s)\n", s.Decision.Kind, s.Decision.Reason, s.Decision.Rule)
	}
	for _, line := range [][2]string{
		{"detail", s.Decision.Detail}, {"asks", s.Decision.Request}, {"advice", advised(s.Decision.Advice)},
		{"branch", s.Landed.Branch}, {"commit", s.Landed.Commit}, {"note", s.Landed.Note},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", line[0], strings.Join(strings.Fields(line[1]), " "))
		}
	}
	fmt.Fprintf(w, "rounds\t%s %d of %d\n", bar(v.Spent.Rounds, v.Limits.Rounds), v.Spent.Rounds, v.Limits.Rounds)
	fmt.Fprintf(w, "tries\t%s %d of %d\n", bar(v.Spent.Tries, v.Limits.Tries), v.Spent.Tries, v.Limits.Tries)
	fmt.Fprintf(w, "time\t%s %s of %s\n", bar(v.Spent.WallClock, v.Limits.WallClock), v.Spent.WallClock.Std().Round(1e9), v.Limits.WallClock)
	fmt.Fprintf(w, "cost\t%s %s\n", bar(v.Spent.Cost, v.Limits.Cost), cost(v))
	if level := confinedTo(d.Attempts); level != "" {
		fmt.Fprintf(w, "sandbox\t%s\n", level)
	}
	fmt.Fprintf(w, "records\t%s\n", filepath.Join(loop.LoopDir, "tasks", v.TaskID))
	if err := w.Flush(); err != nil {
		return err
	}
	if err := a.printRounds(d.Attempts); err != nil {
		return err
	}
	a.printLastWords(look, v)
	a.nextStep(s)
	return nil
}

// advised is an advice with what it means.
func advised(advice task.Advice) string {
	if advice == "" {
		return ""
	}
	return string(advice) + ": " + advice.InWords()
}

// lastWords is how many lines of a generator's output show ends with.
const lastWords = 5

// printLastWords prints the end of the last try's output, of a task that is not
// done.
func (a *app) printLastWords(look *looker, v record.StateView) {
	if v.Status == "done" {
		return
	}
	for _, f := range []logFlags{{}, {stderr: true}} {
		all, err := look.tryLogs(v.TaskID, f)
		if err != nil || len(all) == 0 {
			continue
		}
		last := all[len(all)-1]
		lines := lastLines(last.path, lastWords)
		if len(lines) == 0 {
			continue
		}
		fmt.Fprintf(a.stdout, "\nthe generator's last words, try %d:\n", last.try)
		for _, line := range lines {
			fmt.Fprintf(a.stdout, "  %s\n", oneLine(line))
		}
		return
	}
}

// nextStep hints at the command that goes on with a task that ended otherwise
// than well.
func (a *app) nextStep(s round.State) {
	id := s.Task.ID
	switch {
	case s.Next != round.End:
	case s.Decision.Kind == task.NeedsInput:
		a.hint("looprun answer %s --text '...' goes on with it; looprun explain %s tells why it asks", id, id)
	case s.Decision.Kind == task.Blocked:
		a.hint("looprun retry %s goes on with it; looprun explain %s tells why it ended", id, id)
	case s.Landed.Branch != "":
		a.hint("git diff HEAD...%s shows what was accepted", s.Landed.Branch)
	}
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
		cells := slices.DeleteFunc([]string{b.Code, b.Path, bounds[b.Code]}, func(s string) bool { return s == "" })
		fmt.Fprintf(a.stdout, "  %s\n", strings.Join(cells, "  "))
	}
	for _, c := range last.Verified.Checks {
		for _, f := range c.Failures {
			fmt.Fprintf(a.stdout, "  %s\n", strings.Join(strings.Fields(strings.Join([]string{f.ID, f.Class, f.Detail}, " ")), " "))
		}
	}
	return nil
}

// bounds says where a limit that a candidate broke comes from, and how it can
// be widened.
var bounds = map[string]string{
	verify.ProtectedPath:  `protected by loop.yaml or the task, or built in, as what a check names: "!PATH" in boundary.protect lifts the latter`,
	verify.PathNotAllowed: "not in boundary.allow, or not in the task's allow",
	verify.TooManyFiles:   "boundary.max_changed_files, or the task's limit",
	verify.TooManyLines:   "boundary.max_changed_lines, or the task's limit",
	verify.TooLarge:       "boundary.max_bytes",
	verify.Secret:         "looks like a credential",
}
