package plan

import (
	"fmt"
	"strings"
)

// A Brief is all that a prompt is made of.
type Brief struct {
	ID, Title, Goal string
	Context         []string   // paths to read first
	Checks          [][]string // argv of each check that will judge the result
	Allow, Protect  []string
	Plan            *Plan  // nil in the first round
	Answer          string // a person's, of a follow-up task
	Inject          string // the last block: a reminder, or how to go on
	Shorter         bool   // ask for less output
	Limit           int    // bytes that each input is cut to; 0: no cut
}

// Prompt is the text that the generator is given on stdin. The same brief
// makes the same bytes: it holds no time, try or run id.
func Prompt(b Brief) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Task %s", b.ID)
	if b.Title != "" {
		fmt.Fprintf(&w, ": %s", oneLine(b.Title))
	}
	section(&w, "Goal", cut(b.Goal, b.Limit))
	section(&w, "Read first", bullets(b.Context))
	section(&w, "Answer to the question asked before", cut(b.Answer, b.Limit))
	if b.Plan != nil {
		planSections(&w, *b.Plan, b.Limit)
	}
	section(&w, "Limits", limits(b))
	section(&w, "How the result is judged", judged(b.Checks))
	if b.Shorter {
		section(&w, "Length", "Keep your answer short: change the files, say only what is needed.")
	}
	section(&w, "Now", b.Inject)
	return w.String()
}

// section writes one part of the prompt, or nothing where it would be empty.
func section(w *strings.Builder, title, body string) {
	if body = strings.TrimSpace(body); body != "" {
		fmt.Fprintf(w, "\n\n## %s\n\n%s", title, body)
	}
	if title == "Now" {
		w.WriteString("\n")
	}
}

func planSections(w *strings.Builder, p Plan, limit int) {
	section(w, fmt.Sprintf("What round %d showed", p.BasedOn), cut(evidence(p.NewEvidence), limit))
	section(w, "What is to be different", p.Hypothesis)
	section(w, "Tried before without success", cut(previous(p.Previous), limit))
	section(w, "Do not repeat", cut(bullets(p.DoNotRepeat), limit))
}

func evidence(e Evidence) string {
	var w strings.Builder
	for _, b := range e.BoundaryErrors {
		fmt.Fprintf(&w, "- %s %s\n", b.Code, b.Path)
	}
	for _, c := range e.FailedCommands {
		fmt.Fprintf(&w, "- `%s` ended with %s\n", strings.Join(c.Argv, " "), c.ended())
		for _, f := range c.Failures {
			fmt.Fprintf(&w, "  - %s\n", f)
		}
	}
	for _, g := range e.GeneratorFailures {
		fmt.Fprintf(&w, "- try %d: %s: %s\n", g.Try, g.Category, oneLine(g.Detail))
	}
	return w.String()
}

func (c FailedCommand) ended() string {
	if c.Signal != "" {
		return "signal " + c.Signal
	}
	return fmt.Sprintf("exit code %d", c.ExitCode)
}

// String is the failure on one line.
func (f Failure) String() string {
	var parts []string
	for _, s := range []string{f.ID, f.Class, f.Detail} {
		if s = oneLine(s); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

func previous(list []Previous) string {
	var w strings.Builder
	for _, p := range list {
		fmt.Fprintf(&w, "- round %d: %s (failure %s)\n", p.Round, oneLine(p.Approach), p.Signature)
	}
	return w.String()
}

func limits(b Brief) string {
	var w strings.Builder
	if len(b.Allow) > 0 {
		fmt.Fprintf(&w, "Change only files that match:\n%s\n", bullets(b.Allow))
	}
	if len(b.Protect) > 0 {
		fmt.Fprintf(&w, "Never change files that match:\n%s\n", bullets(b.Protect))
	}
	return w.String()
}

func judged(checks [][]string) string {
	if len(checks) == 0 {
		return ""
	}
	var w strings.Builder
	w.WriteString("These commands run on a clean copy after you end; only their result counts:\n")
	for _, argv := range checks {
		fmt.Fprintf(&w, "- `%s`\n", strings.Join(argv, " "))
	}
	return w.String()
}

func bullets(list []string) string {
	var w strings.Builder
	for _, s := range list {
		fmt.Fprintf(&w, "- %s\n", oneLine(s))
	}
	return w.String()
}

// oneLine keeps text from outside from starting a section of its own.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut keeps the head and the tail of s where it is longer than limit bytes.
func cut(s string, limit int) string {
	if limit <= 0 || len(s) <= limit {
		return s
	}
	head, tail := limit*2/3, limit/3
	left := len(s) - head - tail
	return strings.ToValidUTF8(s[:head], "") +
		fmt.Sprintf("\n[... %d bytes left out ...]\n", left) +
		strings.ToValidUTF8(s[len(s)-tail:], "")
}
