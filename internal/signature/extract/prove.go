package extract

import (
	"strings"
)

// prove reads Perl's test harness: the diagnostics of Test::More, and the
// summary for what they do not tell.
var prove = tool{
	name:  "prove",
	marks: []string{"#   Failed test", "Test Summary Report", "All tests successful.", "Files=9, Tests=9"},
	read:  readProve,
}

var (
	perlFailed = pattern(`^(\s*)#   Failed test(?: '(.*)')?(?: at (\S+) line \d+\.)?$`)
	perlPlace  = pattern(`^at (\S+) line \d+\.$`)
	perlDied   = pattern(`^([^#\s].*) at (\S+) line \d+(?:\.$|, (?:near ".*|at .*|<\w+> line \d+\.)$)`)
	perlReport = pattern(`^(\S+)\s+\(Wstat: (\d+)(?: \((.+)\))? Tests: (\d+) Failed: (\d+)\)$`)
	perlFiles  = pattern(`^Files=\d+, Tests=(\d+),`)
)

func readProve(p *page, f *found) {
	r := perlReader{found: f}
	for _, lines := range p.streams {
		r.pending = nil
		for i := 0; i < len(lines); {
			i = r.line(lines, i)
		}
		r.flush()
	}
	r.finish()
}

// A perlTest is a failed assertion; those of subtests stand before their
// parent, further to the right.
type perlTest struct {
	indent int
	file   string
	names  []string // innermost first
	detail string
	adopts bool // it only repeats that a subtest failed
}

type perlReader struct {
	found   *found
	pending []perlTest
	died    []reading
	silent  []reading // files that failed without a failed test
	failed  int
	total   int
	known   bool
}

func (r *perlReader) line(lines []string, i int) int {
	line := lines[i]
	switch {
	case strings.Contains(line, "#   Failed test"):
		if m := perlFailed().FindStringSubmatch(line); m != nil {
			return r.diagnostic(lines, i, m)
		}
	case strings.Contains(line, "(Wstat: "):
		if m := perlReport().FindStringSubmatch(line); m != nil {
			return r.report(lines, i+1, m)
		}
	case strings.HasPrefix(line, "Files="):
		if m := perlFiles().FindStringSubmatch(line); m != nil {
			r.total, _ = wholeNumber(m[1])
			r.known = true
		}
	case strings.Contains(line, " line "):
		if m := perlDied().FindStringSubmatch(line); m != nil && len(r.died) < maxFailures {
			r.died = append(r.died, reading{id: m[2], class: "die", detail: line})
		}
	}
	return i + 1
}

// diagnostic reads the comments after "Failed test".
func (r *perlReader) diagnostic(lines []string, i int, m []string) int {
	t := perlTest{indent: len(m[1]), names: []string{m[2]}, file: m[3]}
	var kept []string
	end := i + 1
	for ; end < len(lines) && end-i < maxBody && indent(lines[end]) == t.indent; end++ {
		text, ok := strings.CutPrefix(strings.TrimSpace(lines[end]), "#")
		text = strings.TrimSpace(text)
		if !ok || strings.HasPrefix(text, "Failed test") || strings.HasPrefix(text, "Looks like you") {
			break
		}
		if at := perlPlace().FindStringSubmatch(text); at != nil {
			t.file = at[1]
			continue
		}
		kept = append(kept, text)
	}
	t.detail = reason(kept)
	r.adopt(&t)
	r.pending = append(r.pending, t)
	if t.indent == 0 {
		r.flush()
	}
	return end
}

func (r *perlReader) adopt(parent *perlTest) {
	for k := len(r.pending) - 1; k >= 0 && r.pending[k].indent > parent.indent; k-- {
		child := &r.pending[k]
		child.indent = parent.indent
		if len(child.names) < maxDepth {
			child.names = append(child.names, parent.names[0])
		}
		parent.adopts = true
	}
}

func (r *perlReader) flush() {
	for _, t := range r.pending {
		if t.adopts && t.detail == "" {
			continue
		}
		parts := []string{t.file}
		for k := len(t.names) - 1; k >= 0; k-- {
			parts = append(parts, t.names[k])
		}
		if t.detail == "" {
			r.found.failBare(place(parts...), "fail", "")
		} else {
			r.found.fail(place(parts...), "fail", t.detail)
		}
	}
	r.pending = r.pending[:0]
}

// report reads one file of the summary.
func (r *perlReader) report(lines []string, i int, m []string) int {
	body := until(lines, i, func(l string) bool { return !strings.HasPrefix(l, "  ") })
	failed, _ := wholeNumber(m[5])
	r.failed += failed
	if failed > 0 {
		return i + len(body)
	}
	var kept []string
	for _, line := range body {
		if !strings.HasPrefix(strings.TrimSpace(line), "Failed test") {
			kept = append(kept, line)
		}
	}
	r.silent = append(r.silent, reading{id: m[1], class: "fail", detail: reason(kept)})
	return i + len(body)
}

// finish adds the files that died: with what Perl said as it did.
func (r *perlReader) finish() {
	for _, s := range r.silent {
		r.found.fail(s.id, s.class, s.detail)
	}
	if len(r.silent) > 0 {
		for _, d := range r.died {
			r.found.fail(d.id, d.class, d.detail)
		}
	}
	if r.known {
		r.found.tally.sum(r.total, r.total-r.failed, 0)
	}
}
