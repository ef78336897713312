package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// printPass prints a line a task: what came of it, and where to look next.
func (a *app) printPass(p loop.Pass) {
	if a.json {
		for _, r := range p.Ended {
			a.printJSON(r)
		}
		for _, l := range p.Left {
			a.printJSON(l)
		}
		return
	}
	w := columns(a.stdout)
	for _, r := range p.Ended {
		fmt.Fprintln(w, strings.Join(append([]string{r.TaskID, ending(r.Decision), rounds(r.Round), string(r.Reason)}, where(r)...), "\t"))
	}
	for _, l := range p.Left {
		fmt.Fprintln(w, strings.Join(append([]string{l.TaskID, string(l.Decision), rounds(l.CompletedRound), string(l.Reason)}, next(l)...), "\t"))
	}
	_ = w.Flush() // nobody may read stdout any more: the task's fate stands
	a.hints(p)
}

// columns lines up fields that tabs separate.
func columns(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

func (a *app) printJSON(v any) {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}

// ending is a decision in the word of the folder that its task went to.
func ending(d task.Decision) string {
	if d == task.Completed {
		return "done"
	}
	return strings.ReplaceAll(string(d), "_", "-")
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}

// where is the place to look at next: the branch, or what to do.
func where(r record.ResultView) []string {
	switch {
	case r.Branch != "":
		return []string{r.Branch}
	case r.Advice != "":
		return []string{string(r.Advice)}
	}
	return nil
}

func next(l record.PassView) []string {
	switch {
	case l.Plan != "":
		return []string{l.Plan}
	case l.NotBefore != "":
		return []string{"until " + l.NotBefore}
	case l.Detail != "":
		return []string{l.Detail}
	}
	return nil
}

// hints say what to do next about what a person should look at.
func (a *app) hints(p loop.Pass) {
	for _, r := range p.Ended {
		switch {
		case r.Decision == task.Completed && r.Branch != "":
			a.hint("git diff HEAD...%s shows what was accepted, looprun show %s how it came about", r.Branch, r.TaskID)
		case r.Decision == task.NeedsInput:
			a.hint("%s asks: %s", r.TaskID, r.Request)
		case r.Decision == task.Blocked:
			a.hint("looprun show %s tells why it was blocked", r.TaskID)
		}
	}
	switch p.Reason {
	case task.PausedAfterReplan:
		a.hint("looprun run goes on with the plan")
	case task.PauseFlag:
		a.hint("looprun is paused: looprun resume lets it go on")
	}
	if len(p.Ended)+len(p.Left)+p.Quarantined == 0 && p.Reason == "" && len(p.Waiting) == 0 {
		fmt.Fprintln(a.stderr, "looprun: nothing to do: tasks/inbox is empty")
	}
	for _, w := range p.Waiting {
		fmt.Fprintf(a.stderr, "looprun: %s waits: %s%s\n", w.Name, strings.ReplaceAll(w.Why, "_", " "), waitsFor(w.For, w.Until.IsZero(), a.local(w.Until)))
	}
}

func waitsFor(names []string, noTime bool, until string) string {
	if len(names) > 0 {
		return " " + strings.Join(names, ", ")
	}
	if noTime {
		return ""
	}
	return ", until " + until
}
