package extract

import (
	"strings"
)

// goTest reads the text of go test: failed tests with what they said, panics,
// races, timeouts, packages that did not build.
var goTest = tool{
	name: "go-test",
	marks: []string{
		"- FAIL: ", "- PASS: ", "= RUN", "= FAIL: ", "FAIL\t", "ok  \t", "?   \t", "panic: test timed out", "WARNING: DATA RACE",
	},
	read: readGoTest,
}

func readGoTest(p *page, f *found) {
	for _, lines := range p.streams {
		g := goReader{lines: lines, found: f}
		g.read()
	}
}

var (
	goPackage = pattern(`^(FAIL|ok  |\?   )\t(\S+)(?:\t| (\[.*\]))?(.*)$`)
)

// A goReader reads the output of one package after the other: the package's
// name comes last.
type goReader struct {
	lines   []string
	found   *found
	current string // the test that writes
	tests   []*goCase
	byName  map[string]*goCase
	extra   []goFailure // panics, races, timeouts
	start   int         // first line of the package

	every bool // all tests are named, not only those that failed
	empty int  // packages without tests
	full  int  // packages with some
}

func (g *goReader) read() {
	for i := 0; i < len(g.lines); {
		i = g.line(i)
	}
	g.endPackage("", len(g.lines))
	if g.empty > 0 && g.full == 0 {
		g.found.tally.sum(0, 0, 0)
	}
}

// line handles line i and returns the next one to look at.
func (g *goReader) line(i int) int {
	line := g.lines[i]
	switch {
	case strings.HasPrefix(line, "=== "):
		g.change(strings.Fields(line))
	case strings.Contains(line, "--- "):
		g.result(line)
	case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
		return g.died(i)
	case line == "WARNING: DATA RACE":
		return g.race(i)
	case strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"):
		return g.message(i)
	case len(line) > 4 && line[4] == '\t':
		if m := goPackage().FindStringSubmatch(line); m != nil {
			g.packageLine(m, i)
		}
	}
	return i + 1
}

// change takes "=== RUN TestX" and the like, by which the output goes over to
// another test; gotestsum prints "=== FAIL: package TestX (0.02s)".
func (g *goReader) change(words []string) {
	switch {
	case len(words) < 3 || words[1] == "PAUSE":
	case words[1] == "FAIL:" && len(words) > 3:
		g.current = place(words[2], words[3])
		g.test(g.current).result = "FAIL"
	case words[1] == "RUN" || words[1] == "CONT" || words[1] == "NAME":
		g.every = true
		g.current = strings.Join(words[2:], " ")
	}
}

// result takes the end of a test: "--- FAIL: TestX (0.02s)". A test's own
// output may stand before it on the line.
func (g *goReader) result(line string) {
	for _, word := range []string{"FAIL", "PASS", "SKIP"} {
		at := strings.Index(line, "--- "+word+": ")
		if at < 0 || word != "FAIL" && strings.TrimSpace(line[:at]) != "" {
			continue
		}
		name, took, _ := strings.Cut(line[at+len("--- FAIL: "):], " ")
		if name == "" || took != "" && !strings.HasPrefix(took, "(") {
			return
		}
		g.test(name).result = word
		g.current = name
		return
	}
}

// message takes what a test said through t.Error, t.Fatal or t.Log, with the
// lines that go on with it. The three look alike: all are kept.
func (g *goReader) message(i int) int {
	text, ok := goMessage(g.lines[i])
	if !ok || g.current == "" {
		return i + 1
	}
	t := g.test(g.current)
	depth := indent(g.lines[i]) + 4
	end := i + 1
	for end < len(g.lines) && end-i < maxBody && indent(g.lines[end]) >= depth && !isGoMessage(g.lines[end]) {
		end++
	}
	if len(t.message) < maxBody {
		t.message = append(t.message, text)
		t.message = append(t.message, withoutTrace(g.lines[i+1:end])...)
	}
	return end
}

// goMessage takes the text behind "    file.go:12: ".
func goMessage(line string) (text string, ok bool) {
	at := strings.Index(line, ".go:")
	if at < 0 || indent(line) == 0 || strings.ContainsAny(strings.TrimLeft(line[:at], " \t"), " \t") {
		return "", false
	}
	rest := line[at+len(".go:"):]
	n := countDigits(rest)
	rest, ok = strings.CutPrefix(rest[n:], ":")
	return strings.TrimPrefix(rest, " "), ok && n > 0
}

func isGoMessage(line string) bool {
	_, ok := goMessage(line)
	return ok
}

// withoutTrace leaves out the stack that testify prints before the reason, and
// the name of the test after it.
func withoutTrace(lines []string) []string {
	var kept []string
	tracing := false
	for _, line := range lines {
		text := strings.TrimSpace(line)
		label, _, _ := strings.Cut(text, ":")
		switch {
		case label == "Error Trace":
			tracing = true
			continue
		case label == "Error" || label == "Messages":
			tracing = false
		case label == "Test" && strings.HasPrefix(text, "Test:       "):
			continue
		}
		if !tracing {
			kept = append(kept, text)
		}
	}
	return kept
}

// packageLine ends a package: FAIL<tab>name<tab>time, or with [build failed].
func (g *goReader) packageLine(m []string, i int) {
	status, name, note := strings.TrimSpace(m[1]), m[2], m[3]+m[4]
	unbuilt := strings.Contains(note, "[build failed]") || strings.Contains(note, "[setup failed]")
	switch {
	case status == "?" || strings.Contains(note, "[no tests to run]") || strings.Contains(note, "[no test files]"):
		g.empty++
	default:
		g.full++
	}
	start, before := g.start, g.found.distinct()
	g.endPackage(name, i)
	switch {
	case status != "FAIL":
	case unbuilt:
		g.found.failBare(name, "build failed", "")
		g.found.unbuilt = true
	case g.found.distinct() == before: // the package failed though none of its tests did
		said := errorLines(g.lines[min(start, i):i], g.found.masks)
		g.found.failBare(name, "fail", strings.Join(said, "\n"))
	}
}
