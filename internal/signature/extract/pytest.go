package extract

import (
	"strings"
)

// pytest reads the sections FAILURES and ERRORS. The short summary only gives
// the ids: it cuts messages at the width of the terminal.
var pytest = tool{
	name: "pytest",
	marks: []string{
		"= FAILURES =", "= ERRORS =", "= test session starts =", "= short test summary info =", "= 9 ", "= no tests ran",
		"9 failed", "9 passed", "9 error", "9 skipped", "no tests ran", "ImportError while loading conftest", "INTERNALERROR>",
		"ERROR: usage: ", "ERROR: file or directory not found: ", "ERROR: not found: ", "ERROR: found no collectors for ",
	},
	read: readPytest,
}

var (
	pytestSection = pattern(`^=+ (.+?) =+$`)
	pytestHeader  = pattern(`^_+ (.*[^_ ].*?) _+$`)
	pytestPhase   = pattern(`^ERROR (collecting|at setup of|at teardown of) (.+)$`)
	pytestPlace   = pattern(`^(\S[^:]*):\d+: ?(.*)$`)
	pytestSummary = pattern(`^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$`)
	pytestTotal   = pattern(`^(?:=+ )?((?:\d+ \w+|no tests ran)[\w ,]*) in [\d.]+s(?: \(.*\))?(?: =+)?$`)
	pytestUsage   = pattern(`^ERROR: (?:usage|file or directory not found|not found|found no collectors for)\b`)
)

func readPytest(p *page, f *found) {
	for _, lines := range p.streams {
		r := pytestReader{lines: lines, found: f, ids: map[string][]string{}}
		r.read()
	}
}

type pytestReader struct {
	lines   []string
	found   *found
	section string
	failed  []pytestFailure
	ids     map[string][]string // of the short summary, by the name in a header
	named   []string            // the same in their order
}

type pytestFailure struct {
	name, phase string
	body        pytestBody
}

func (r *pytestReader) read() {
	for i := 0; i < len(r.lines); {
		i = r.line(i)
	}
	for k, x := range r.failed {
		if x.name == "" && len(r.failed) == len(r.named) { // --tb=line names no test, but keeps the order
			_, x.name, _ = strings.Cut(r.named[k], "::")
		}
		r.report(x)
	}
	if len(r.failed) == 0 {
		for _, id := range r.named {
			r.found.failBare(pytestID(id), "fail", "")
		}
	}
}

func (r *pytestReader) line(i int) int {
	line := r.lines[i]
	if line == "" {
		return i + 1
	}
	switch line[0] {
	case '=':
		r.rule(line)
	case '_':
		if m := pytestHeader().FindStringSubmatch(line); m != nil && r.failing() {
			return r.failure(i+1, m[1])
		}
	case 'F', 'E', 'I':
		return r.capital(i)
	case 'n', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if m := pytestTotal().FindStringSubmatch(line); m != nil {
			r.total(m[1])
		}
	}
	r.verbose(line)
	if r.section == "FAILURES" {
		r.oneLine(line)
	}
	return i + 1
}

func (r *pytestReader) failing() bool { return r.section == "FAILURES" || r.section == "ERRORS" }

func (r *pytestReader) rule(line string) {
	if m := pytestTotal().FindStringSubmatch(line); m != nil {
		r.total(m[1])
	} else if m := pytestSection().FindStringSubmatch(line); m != nil {
		r.section = m[1]
	}
}

// capital handles the lines of the short summary and of pytest's own errors.
func (r *pytestReader) capital(i int) int {
	line := r.lines[i]
	switch {
	case r.section == "short test summary info":
		if m := pytestSummary().FindStringSubmatch(line); m != nil {
			_, name, _ := strings.Cut(m[1], "::")
			name = strings.ReplaceAll(name, "::", ".")
			r.ids[name] = append(r.ids[name], m[1])
			r.named = append(r.named, m[1])
		}
	case strings.HasPrefix(line, "ImportError while loading conftest"):
		return r.conftest(i + 1)
	case strings.HasPrefix(line, "INTERNALERROR> "):
		return r.internal(i)
	case pytestUsage().MatchString(line):
		r.found.fail("", "usage", strings.TrimPrefix(line, "ERROR: "))
	default:
		r.verbose(line)
	}
	return i + 1
}

// verbose takes a result of -v: "file::test PASSED  [ 42%]", or the other way
// round under xdist.
func (r *pytestReader) verbose(line string) {
	if !strings.Contains(line, ".py::") {
		return
	}
	text := strings.TrimSpace(line)
	if at := strings.LastIndexByte(text, '['); at > 0 && strings.HasSuffix(text, "%]") {
		text = strings.TrimSpace(text[:at])
	}
	if strings.HasPrefix(text, "[gw") {
		if at := strings.Index(text, "%] "); at > 0 {
			text = text[at+len("%] "):]
		}
	}
	word, id, _ := strings.Cut(text, " ")
	if at := strings.LastIndexByte(text, ' '); strings.Contains(word, ".py::") {
		id, word = text[:max(at, 0)], text[at+1:]
	}
	if !strings.Contains(id, ".py::") {
		return
	}
	switch word {
	case "PASSED", "XFAIL":
		r.found.named(pytestID(id), true)
	case "FAILED", "ERROR", "XPASS":
		r.found.named(pytestID(id), false)
	}
}

// pytestID writes a node id as the other ids are written.
func pytestID(id string) string { return strings.ReplaceAll(id, "::", " > ") }

// total reads the last line: "1 failed, 3 passed, 1 skipped in 0.11s".
func (r *pytestReader) total(text string) {
	n := numbered(text)
	passed := n["passed"] + n["xfailed"] + n["xpassed"]
	r.found.tally.sum(passed+n["failed"]+n["error"], passed, n["skipped"])
	r.section = ""
}

// oneLine reads a failure of --tb=line.
func (r *pytestReader) oneLine(line string) {
	m := pytestPlace().FindStringSubmatch(line)
	if m == nil || !sourceName(m[1]) {
		return
	}
	class, detail := "fail", m[2]
	if e := pyRaised().FindStringSubmatch(m[2]); e != nil {
		class, detail = e[1], e[2]
	} else if strings.HasPrefix(detail, "assert ") {
		class = "AssertionError"
	}
	r.failed = append(r.failed, pytestFailure{phase: "call", body: pytestBody{file: m[1], class: class, detail: detail}})
}

// failure reads one failure from the line after its header on.
func (r *pytestReader) failure(i int, header string) int {
	body := until(r.lines, i, func(l string) bool {
		return strings.HasPrefix(l, "=") && pytestSection().MatchString(l) || strings.HasPrefix(l, "_") && pytestHeader().MatchString(l)
	})
	x := pytestFailure{name: header, phase: "call", body: readPytestBody(body)}
	if m := pytestPhase().FindStringSubmatch(header); m != nil {
		x.name = m[2]
		x.phase = map[string]string{"collecting": "collect", "at setup of": "setup", "at teardown of": "teardown"}[m[1]]
	}
	r.failed = append(r.failed, x)
	return i + len(body)
}

// report gives the failure the id of the short summary that has its name, or
// one made of the file where it happened.
func (r *pytestReader) report(x pytestFailure) {
	id := place(x.body.file, x.name)
	if x.phase == "collect" {
		id = x.name
	}
	if full := r.ids[x.name]; len(full) > 0 {
		id = pytestID(full[0])
		if len(full) > 1 {
			r.ids[x.name] = full[1:]
		}
	}
	class := x.body.class
	if class != xpassed {
		class = x.phase + "/" + class
	}
	if x.body.detail == "" {
		r.found.failBare(id, class, "")
		return
	}
	r.found.fail(id, class, x.body.detail)
}

func (r *pytestReader) conftest(i int) int {
	body := until(r.lines, i, func(l string) bool { return strings.TrimSpace(l) == "" })
	b := readPytestBody(body)
	r.found.fail(place(b.file, "conftest"), "collect/"+b.class, b.detail)
	return i + len(body)
}

func (r *pytestReader) internal(i int) int {
	body := until(r.lines, i, func(l string) bool { return !strings.HasPrefix(l, "INTERNALERROR>") })
	lines := make([]string, len(body))
	for k, l := range body {
		lines[k] = strings.TrimPrefix(strings.TrimPrefix(l, "INTERNALERROR>"), " ")
	}
	t, _ := readTrace(lines, 0)
	r.found.fail(t.file, "internal/"+t.class, t.detail())
	return i + len(body)
}
