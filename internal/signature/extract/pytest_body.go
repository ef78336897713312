package extract

import (
	"strings"
)

// pytestBody is what the text of one failure comes to.
type pytestBody struct{ file, class, detail string }

const xpassed = "XPASS(strict)"

var (
	pytestCapture = pattern(`^-{3,} ?Captured .*-$|^-+ (?:live log|generated|coverage)`)
	pytestXPass   = pattern(`^\[XPASS\(strict\)\] ?(.*)$`)
)

// isPytest reports whether a text is the body of a failure as pytest writes
// it, in a report too.
func isPytest(lines []string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, "E   ") || strings.HasPrefix(line, "E  ") {
			return true
		}
	}
	return false
}

// readPytestBody takes the lines marked ">", which hold the failing statement,
// and those marked "E", which hold the exception. In the short form the
// statement stands unmarked under the place.
func readPytestBody(lines []string) (b pytestBody) {
	lines = until(lines, 0, pytestCapture().MatchString)
	var marked, raised, others []string
	last, code := "", ""
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "E ") || line == "E":
			raised = append(raised, line[1:])
		case strings.HasPrefix(line, ">"):
			marked = append(marked, strings.TrimSpace(line[1:]))
		case b.at(line, &last):
			code = ""
		default:
			if code == "" && strings.HasPrefix(last, "in ") {
				code = strings.TrimSpace(line)
			}
			others = append(others, line)
		}
	}
	switch {
	case len(marked) > 1: // the test's own statement and the one that raised
		marked = []string{marked[0], marked[len(marked)-1]}
	case len(marked) == 0 && code != "":
		marked = []string{code}
	}
	if len(raised) == 0 {
		b.plain(last, lines, others)
		return b
	}
	b.class = pytestClass(last, raised)
	b.detail = reason(append(marked, raised...))
	return b
}

// at takes a line that names a place: the first of the work tree is the
// test's, what stands after the last names the exception.
func (b *pytestBody) at(line string, last *string) bool {
	m := pytestPlace().FindStringSubmatch(line)
	if m == nil || !sourceName(m[1]) {
		return false
	}
	if b.file == "" || foreign(b.file) {
		b.file = m[1]
	}
	*last = m[2]
	return true
}

// pytestClass finds the name of the exception: behind the last place, or in
// front of the first message.
func pytestClass(last string, raised []string) string {
	if m := pyRaised().FindStringSubmatch(last); m != nil {
		return m[1]
	}
	for _, line := range raised {
		text := strings.TrimSpace(line)
		if m := pyRaised().FindStringSubmatch(text); m != nil && (m[2] != "" || errorName().MatchString(m[1])) {
			return m[1]
		}
		if strings.HasPrefix(text, "assert ") {
			return "AssertionError"
		}
	}
	return "fail"
}

// plain reads a failure without an exception of its own: one that was expected
// and did not come, a native traceback, a doctest.
func (b *pytestBody) plain(last string, lines, others []string) {
	b.class = "fail"
	for i, line := range lines {
		if m := pytestXPass().FindStringSubmatch(line); m != nil {
			b.class, b.detail = xpassed, m[1]
			if b.detail == "" {
				b.detail = xpassed
			}
			return
		}
		if isTrace(line) {
			t := lastTrace(lines[i:])
			b.class, b.detail = t.class, t.detail()
			return
		}
	}
	if m := pyRaised().FindStringSubmatch(last); m != nil {
		b.class = m[1]
	}
	b.detail = reason(docExample(others))
}

// docExample gives the failing example of a doctest: pytest shows the lines
// before it too, numbered.
func docExample(lines []string) []string {
	for i, line := range lines {
		if strings.HasPrefix(line, "Expected") || strings.HasPrefix(line, "UNEXPECTED EXCEPTION:") {
			example := append([]string{}, lines[max(0, i-1):]...)
			example[0] = strings.TrimLeft(example[0], "0123456789 ")
			return example
		}
	}
	return lines
}
