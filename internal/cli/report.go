package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/queue"
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
		return []string{"until " + localTime(l.NotBefore)}
	case l.Detail != "":
		return []string{oneLine(l.Detail)}
	}
	return nil
}

// hints say what to do next about what a person should look at.
func (a *app) hints(p loop.Pass) {
	told := map[task.Decision]bool{}
	for _, r := range p.Ended {
		switch {
		case told[r.Decision] && r.Decision != task.NeedsInput:
		case r.Decision == task.Completed && r.Branch != "":
			a.hint("git diff HEAD...%s shows what was accepted, looprun show %s how it came about", r.Branch, r.TaskID)
		case r.Decision == task.NeedsInput:
			a.hint("%s asks: %s", r.TaskID, oneLine(r.Request))
		case r.Decision == task.Blocked:
			a.hint("looprun show %s tells why it was blocked", r.TaskID)
		}
		told[r.Decision] = told[r.Decision] || r.Decision != task.Completed || r.Branch != ""
	}
	for _, l := range p.Left {
		if l.Decision == task.Held {
			a.hint("%s is held, not at fault: %s", l.TaskID, oneLine(held(l)))
		}
	}
	switch p.Reason {
	case task.PausedAfterReplan:
		a.hint("looprun run goes on with the plan")
	case task.PauseFlag:
		a.hint("looprun is paused: looprun resume lets it go on")
	}
}

// rest tells of what a pass did not take up, and that there was nothing.
func (a *app) rest(p loop.Pass) {
	if len(p.Ended)+len(p.Left)+p.Quarantined+len(p.Waiting) == 0 && p.Reason == "" && !p.OutOfTime {
		a.tell("nothing to do: tasks/inbox is empty")
	}
	if p.OutOfTime {
		a.hint("the time is over: looprun run goes on with what was begun")
	}
	for _, w := range p.Waiting {
		a.tell(fmt.Sprintf("%s waits: %s", w.Name, a.waits(w)))
	}
}

// held is what keeps a task from going on, and how a person ends that.
func held(l record.PassView) string {
	text := l.Detail
	if text == "" {
		text = fmt.Sprintf("%s: looprun show %s, and the logs below .loop/tasks/%s/attempts", strings.ReplaceAll(string(l.Reason), "_", " "), l.TaskID, l.TaskID)
	}
	switch l.Reason {
	case task.BaselineRed:
		text += ": mend it on the base, or let only the tasks that are to mend it verify it"
	case task.CheckReadsOtherTree:
		text += ": let its output show what it reads, lift the protection of the files that it names (\"!PATH\" in boundary.protect), or give its profile a reason in verification.canary_skip"
	case task.CheckNotInBase:
		text += ": commit it first"
	}
	return text
}

// waits says why a file of inbox is not claimed yet.
func (a *app) waits(w queue.Waiting) string {
	text := strings.ReplaceAll(w.Why, "_", " ")
	switch {
	case len(w.For) > 0:
		text += " " + strings.Join(w.For, ", ")
	case !w.Until.IsZero():
		text += ", until " + a.local(w.Until)
	}
	return text
}
