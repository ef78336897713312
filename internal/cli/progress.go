package cli

import (
	"fmt"
	"strings"
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// progress tells on stderr what happens while it happens, a line an event, and
// on a terminal shows below them how the tasks under way stand.
type progress struct {
	*app
	live *live
}

// newProgress must be closed.
func (a *app) newProgress() *progress { return &progress{a, a.newLive()} }

func (p *progress) close() { p.live.close() }

// Recorded implements loop.Observer.
func (p *progress) Recorded(s round.State, e round.Event) {
	line := p.line(s, e)
	p.live.note(s, e, afterColon(line))
	if line != "" {
		p.print(s.Task.ID + " " + line)
	}
}

// afterColon is a line without its round and try, which have columns of their
// own.
func afterColon(line string) string {
	if _, rest, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(line, "round ") {
		return rest
	}
	return line
}

// Quarantined implements loop.Observer.
func (p *progress) Quarantined(name, as string, faults []string) {
	for _, f := range faults {
		p.print(f)
	}
	p.print(fmt.Sprintf("%q is no task and was moved to tasks/blocked/%s: looprun show %s", name, as, strings.TrimSuffix(as, ".json")))
}

// Warn implements loop.Observer.
func (p *progress) Warn(text string) { p.print("warning: " + text) }

func (p *progress) print(line string) {
	p.live.above(func() { p.tell(oneLine(line)) })
}

// line is what an event means, and what comes next.
func (p *progress) line(s round.State, e round.Event) string {
	try := fmt.Sprintf("round %d try %d: ", s.Round, s.Tries)
	switch e.Kind {
	case round.Claim:
		if s.Next == round.Preflight {
			return "claimed: first its checks run on the base"
		}
		return "claimed"
	case round.Preflight:
		return preflown(*e.Preflight)
	case round.Start:
		return try + "generator started"
	case round.Generate:
		return try + generated(*e.Try, s.Next)
	case round.Verify:
		return try + verdict(*e.Evidence)
	case round.Decide:
		return p.decided(s, *e.Decision)
	case round.Land:
		return landed(*e.Landed)
	}
	return ""
}

func preflown(r round.PreflightResult) string {
	if r.Reason != "" {
		return "the checks can't be trusted: " + r.Detail
	}
	line := "the checks can be trusted on this base"
	if len(r.AlreadyPassing) > 0 {
		line += "; already passing: " + strings.Join(r.AlreadyPassing, ", ")
	}
	return line
}

func generated(t round.Try, next round.Kind) string {
	line := "generator ended: "
	switch {
	case t.Failure.Category != recovery.None && t.Failure.Category != "":
		line += string(t.Failure.Category)
	case len(t.Candidate.Changed) == 0:
		line += "nothing changed"
	default:
		line += fmt.Sprintf("%s changed", files(len(t.Candidate.Changed)))
	}
	if next == round.Verify {
		line += ", checks started"
	}
	return line
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

func verdict(e round.Evidence) string {
	if len(e.Boundary) > 0 && len(e.Checks) == 0 {
		b := e.Boundary[0]
		return fmt.Sprintf("out of bounds: %s %s", b.Code, b.Path)
	}
	var red []string
	for _, c := range e.Checks {
		if !c.Passed {
			red = append(red, c.Profile)
		}
	}
	if len(red) == 0 {
		return "all checks passed"
	}
	return "checks failed: " + strings.Join(red, ", ")
}

// decided is the one line that every use of a strategy gets. A decision that
// ends the task is told by the result.
func (p *progress) decided(s round.State, d round.Decision) string {
	n := s.Round
	if d.NewRound {
		n--
	}
	line := fmt.Sprintf("round %d try %d: ", n, s.Tries)
	switch d.Kind {
	case task.Retry:
		line += fmt.Sprintf("%s: %s", d.Strategy, d.Category)
		if d.Delay > 0 {
			line += ", waits " + d.Delay.String()
		}
		return line
	case task.Held:
		return fmt.Sprintf("held: %s, until %s", d.Reason, p.local(d.NotBefore))
	case task.Observe, task.Compensate:
		return line + fmt.Sprintf("%s %s: %s", d.Kind, d.Op, d.Reason)
	}
	return ""
}

func landed(l round.Landed) string {
	switch {
	case l.Reason != "":
		return "not handed over: " + l.Detail
	case l.Merged != nil:
		return "the base moved: the checks run on the merge"
	case l.Branch != "":
		return "handed over as branch " + l.Branch
	}
	return "handed over: " + l.Mode
}

// local is a time for people.
func (a *app) local(t time.Time) string { return t.Local().Format(time.DateTime) }

// localTime is a time of a record for people.
func localTime(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.Local().Format(time.DateTime)
}
