package round

import (
	"fmt"
	"strings"

	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
)

// inject is the last block of the next prompt: how to go on after the failure
// that d answers. It is made once, so that a plain retry says the same again.
func (s State) inject(d Decision) string {
	switch d.Strategy {
	case recovery.Continue:
		return recovery.ContinueText + "\n\nDone so far:\n" + s.doneList()
	case recovery.Compact, recovery.Summarize:
		return recovery.SummaryHeading + "\n\n" + s.digest()
	case recovery.Remind:
		if d.Step.Text != "" {
			return d.Step.Text
		}
		return recovery.Reminder(d.Category, d.Detail)
	case recovery.FallbackModel:
		return "Another model worked on this before you. What it left behind was thrown away.\n\n" + s.digest()
	}
	return ""
}

// doneList is what the tree holds already, in the manner of a diff's statistics.
func (s State) doneList() string {
	var w strings.Builder
	for _, c := range s.Try.Candidate.Changed {
		fmt.Fprintf(&w, "- %s (+%d -%d)\n", c.Path, c.Added, c.Deleted)
	}
	if w.Len() == 0 {
		return "- nothing was changed yet\n"
	}
	return w.String()
}

// digest sums up what a session that is not resumed knew.
func (s State) digest() string {
	var w strings.Builder
	fmt.Fprintf(&w, "Goal: %s\n\nChanged so far:\n%s\nTried so far, and what was decided:\n", oneLine(s.Task.Goal), s.doneList())
	for _, r := range s.Rounds {
		for _, p := range r.Tries {
			said := clip(or(p.Try.Summary, p.Try.Failure.Detail, "ended by "+p.Try.Ended))
			fmt.Fprintf(&w, "- round %d, try %d: %s%s\n", r.N, p.Try.N, said, p.Decision.inShort())
		}
	}
	open := s.stillOpen()
	fmt.Fprintf(&w, "\nOpen:\n%s\nNext step: %s\n", open, nextStep(open))
	return w.String()
}

// inShort is what was decided after a try, behind what the try said.
func (d Decision) inShort() string {
	if d.Kind == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", or(string(d.Strategy), string(d.Reason)))
}

// stillOpen lists what the visible checks found wrong last, "" before any ran.
func (s State) stillOpen() string {
	if !s.round().Judged {
		return ""
	}
	var w strings.Builder
	for _, f := range s.round().Evidence.failures() {
		fmt.Fprintf(&w, "- %s\n", clip(plan.Failure(f).String()))
	}
	return w.String()
}

func nextStep(open string) string {
	if open == "" {
		return "do what is missing of the goal."
	}
	return "mend what is open, then do what is missing of the goal."
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
