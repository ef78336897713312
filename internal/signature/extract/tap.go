package extract

import (
	"fmt"
	"strings"
)

// tap reads the Test Anything Protocol, versions 12 to 14, as node, tape,
// node-tap, mocha, ava, bats, Perl and many others write it.
var tap = tool{
	name:  "tap",
	marks: []string{"TAP version 9", "1..9", "not ok 9", "ok 9"},
	read:  readTAP,
}

func readTAP(p *page, f *found) {
	for _, lines := range p.streams {
		if isTAP(lines) {
			t := tapReader{lines: lines, found: f}
			t.read()
		}
	}
}

// isTAP asks for a plan or a version and for a test point: a line that begins
// with "ok" alone can be anything.
func isTAP(lines []string) bool {
	plan, point := false, false
	for _, line := range lines {
		switch {
		case plan && point:
			return true
		case strings.HasPrefix(line, "TAP version "), isPlan(line):
			plan = true
		case !point:
			_, point = pointOf(strings.TrimSpace(line))
		}
	}
	return plan && point || plan && contains(lines, "Bail out!")
}

func contains(lines []string, start string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

func isPlan(line string) bool {
	_, ok := planOf(line)
	return ok
}

// planOf reads "1..4", perhaps with a comment.
func planOf(line string) (planned int, ok bool) {
	rest, ok := strings.CutPrefix(line, "1..")
	n := countDigits(rest)
	if !ok || n == 0 {
		return 0, false
	}
	planned, ok = wholeNumber(rest[:n])
	rest = strings.TrimSpace(rest[n:])
	return planned, ok && (rest == "" || rest[0] == '#')
}

// A tapReader reads one stream. A test's subtests stand before it, further to
// the right; they wait in pending until the name of their parent is known.
type tapReader struct {
	lines   []string
	found   *found
	pending []tapPoint
	heading string
	last    int // indent of the point before
	summary map[string]int
	open    []tapPoint // subtests in braces that are not closed
	headed  bool       // tests are named by comments above their points, as tape does
	planned int        // by the plan of the whole
	points  int        // of the whole, without subtests
}

// maxDepth bounds how deep tests may be nested before outer names are left out.
const maxDepth = 32

func (t *tapReader) read() {
	t.headed = isHeaded(t.lines)
	for i := 0; i < len(t.lines); {
		line := strings.TrimSpace(t.lines[i])
		p, ok := pointOf(line)
		switch {
		case ok:
			p.indent = indent(t.lines[i])
			i = t.body(i+1, &p)
			t.begin(p)
			continue
		case isPlan(t.lines[i]):
			t.planned, _ = planOf(t.lines[i])
		case line == "}":
			t.end(indent(t.lines[i]))
		case strings.HasPrefix(line, "Bail out!"):
			t.found.fail("", "bail out", strings.TrimSpace(strings.TrimPrefix(line, "Bail out!")))
		case strings.HasPrefix(line, "# "):
			t.comment(line)
		}
		i++
	}
	for len(t.open) > 0 {
		t.end(t.open[len(t.open)-1].indent)
	}
	t.flush()
	t.sum()
	if t.found.none() && t.planned > 0 && t.points != t.planned {
		t.found.fail("", "plan", fmt.Sprintf("planned %d tests, ran %d", t.planned, t.points))
	}
}

// begin takes a point. One that ends with a brace stands before its subtests:
// it waits for the brace that closes it.
func (t *tapReader) begin(p tapPoint) {
	name, opens := strings.CutSuffix(p.name, "{")
	if !opens || len(t.open) >= maxDepth {
		t.point(p)
		return
	}
	p.setName(strings.TrimSpace(name))
	t.open = append(t.open, p)
}

func (t *tapReader) end(indent int) {
	if n := len(t.open); n > 0 && t.open[n-1].indent == indent {
		p := t.open[n-1]
		t.open = t.open[:n-1]
		t.point(p)
	}
}

// isHeaded recognises tape: comments name the tests, and none is a Subtest.
func isHeaded(lines []string) bool {
	heads := false
	for _, line := range lines {
		if strings.HasPrefix(line, "# Subtest") {
			return false
		}
		heads = heads || len(line) > 2 && strings.HasPrefix(line, "# ") && line[2] != ' ' && !isSummary(line)
	}
	return heads
}

func (t *tapReader) comment(line string) {
	word, n, ok := tapSummary(line)
	if !ok {
		t.heading = strings.TrimPrefix(line, "# ")
		return
	}
	if t.summary == nil {
		t.summary = map[string]int{}
	}
	t.summary[word] = n
}

var tapCounts = setOf("tests pass fail skipped skip todo cancelled suites ok failing passing duration_ms")

// tapSummary reads a comment such as "# pass  3".
func tapSummary(line string) (word string, n int, ok bool) {
	word, number, _ := strings.Cut(strings.TrimPrefix(line, "# "), " ")
	if !tapCounts[word] {
		return "", 0, false
	}
	number = strings.TrimSpace(number)
	n, ok = wholeNumber(number)
	return word, n, ok || number == "" || word == "duration_ms"
}

// sum takes the numbers that many producers append as comments.
func (t *tapReader) sum() {
	tests, ok := t.summary["tests"]
	if !ok {
		return
	}
	skipped := t.summary["skipped"] + t.summary["skip"]
	t.found.tally.sum(tests-skipped-t.summary["todo"], t.summary["pass"], skipped)
}

// body reads what belongs to the point before line i and returns the line that
// does not.
func (t *tapReader) body(i int, p *tapPoint) int {
	if t.headed {
		p.heading = t.heading
	}
	if strings.HasSuffix(p.name, "{") {
		return i // its subtests follow
	}
	for ; i < len(t.lines); i++ {
		line := strings.TrimSpace(t.lines[i])
		in := indent(t.lines[i])
		if _, next := pointOf(line); next {
			return i
		}
		switch {
		case line == "---" && in > p.indent:
			if p.ok {
				return yamlEnd(t.lines, i+1, in)
			}
			i = p.yaml.read(t.lines, i+1, in)
			p.yaml.locate()
			return i
		case line == "":
		case strings.HasPrefix(line, "#"):
			if p.ok || in != p.indent || isHeading(line) {
				return i
			}
			p.comments = append(p.comments, strings.TrimPrefix(line, "#"))
		case in > p.indent && !isPlan(line):
			p.text = append(p.text, line)
		default:
			return i
		}
		if len(p.comments)+len(p.text) > maxBody {
			return i + 1
		}
	}
	return i
}

func isSummary(line string) bool {
	_, _, ok := tapSummary(line)
	return ok
}

func isHeading(line string) bool {
	return strings.HasPrefix(line, "# Subtest") || isSummary(line)
}

// point puts p behind those that wait, after it gave its name to the subtests
// before it. A parent that only repeats that a subtest failed is left out.
func (t *tapReader) point(p tapPoint) {
	parent := t.last > p.indent && len(t.pending) > 0
	failing := false
	for k := len(t.pending) - 1; parent && k >= 0 && t.pending[k].indent > p.indent; k-- {
		child := &t.pending[k]
		child.indent = p.indent
		if len(child.path) < maxDepth {
			child.path = append(child.path, p.name)
		}
		failing = failing || !child.ok
	}
	t.last = p.indent
	if !parent || !p.ok && !p.todo && (!failing || p.hasOwnReason()) {
		t.pending = append(t.pending, p)
	}
	if p.indent == 0 {
		t.points++
	}
	if p.indent == 0 || len(t.pending) > maxKept {
		t.flush()
	}
}

func (t *tapReader) flush() {
	for _, p := range t.pending {
		t.report(p)
	}
	t.pending = t.pending[:0]
}

// report counts a test by its names alone: only failed ones tell their file.
func (t *tapReader) report(p tapPoint) {
	r, id := p.reading(), place(p.names("")...)
	switch {
	case p.skip || p.todo:
		t.found.tally.skip()
	case p.ok:
		t.found.test(id, true)
	default:
		t.found.test(id, false)
		if r.detail == "" && len(p.yaml.values) == 0 || strings.HasPrefix(r.detail, fileFailed) {
			t.found.failBare(r.id, r.class, r.detail)
			return
		}
		t.found.fail(r.id, r.class, r.detail)
	}
}
