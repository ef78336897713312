package plan

import (
	"fmt"
	"slices"
	"strings"
)

// A Brief is all that a prompt is made of.
type Brief struct {
	ID, Title, Goal string
	Context         []string   // paths to read first
	Checks          [][]string // argv of each check that will judge the result
	Allow, Protect  []string
	Plan            *Plan   // nil in the first round
	Answer          string  // a person's, of a follow-up task
	Inject          string  // the last block: a reminder, or how to go on
	Share           float64 // what each input is cut to, for a model that it is too much for; 0: no cut
	Floor           int     // bytes that are left of each at least
}

// Prompt is the text that the generator is given on stdin. The same brief
// makes the same bytes: it holds no time, try or run id.
func Prompt(b Brief) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Task %s", b.ID)
	if b.Title != "" {
		fmt.Fprintf(&w, ": %s", oneLine(b.Title))
	}
	section(&w, "Goal", b.cut(b.Goal))
	section(&w, "Read first", bullets(b.Context))
	section(&w, "Answer to the question asked before", b.cut(b.Answer))
	if b.Plan != nil {
		b.planSections(&w, *b.Plan)
	}
	section(&w, "Limits", limits(b))
	section(&w, "How the result is judged", judged(b.Checks))
	if b.Share > 0 {
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

// planSections tells what earlier rounds showed. Where that is cut, the newest
// of them comes first: the head is what is kept most of.
func (b Brief) planSections(w *strings.Builder, p Plan) {
	if b.Share > 0 {
		p.Previous, p.DoNotRepeat = slices.Clone(p.Previous), slices.Clone(p.DoNotRepeat)
		slices.Reverse(p.Previous)
		slices.Reverse(p.DoNotRepeat)
	}
	section(w, fmt.Sprintf("What round %d showed", p.BasedOn), b.cut(evidence(p.NewEvidence)))
	section(w, "What is to be different", p.Hypothesis)
	section(w, "Tried before without success", b.cut(previous(p.Previous)))
	section(w, "Do not repeat", b.cut(bullets(p.DoNotRepeat)))
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

// cut keeps the head and the tail of s, its share of the bytes in all.
func (b Brief) cut(s string) string {
	limit := max(int(float64(len(s))*b.Share), b.Floor)
	if b.Share <= 0 || len(s) <= limit {
		return s
	}
	head, tail := limit*2/3, limit/3
	left := len(s) - head - tail
	return strings.ToValidUTF8(s[:head], "") +
		fmt.Sprintf("\n[... %d bytes left out ...]\n", left) +
		strings.ToValidUTF8(s[len(s)-tail:], "")
}
