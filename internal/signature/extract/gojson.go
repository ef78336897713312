package extract

import (
	"encoding/json"
	"slices"
	"strings"
)

// goEvent is one line of go test -json.
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	OutputType  string // from Go 1.27 on: error, error-continue, frame
	FailedBuild string
}

// isGoJSON recognises the events by their first keys.
func isGoJSON(text string) bool {
	for _, start := range []string{`{"Time":"`, `{"Action":"`, `{"ImportPath":"`} {
		at := strings.Index(text, start)
		if at < 0 || at > 0 && text[at-1] != '\n' {
			continue
		}
		line, _, _ := strings.Cut(text[at:], "\n")
		var e goEvent
		if json.Unmarshal([]byte(line), &e) == nil && e.Action != "" && (e.Package != "" || e.ImportPath != "") {
			return true
		}
	}
	return false
}

// readGoJSON puts the output of each test together again and reads it as the
// text that it is.
func readGoJSON(text string, f *found) bool {
	if !isGoJSON(text) {
		return false
	}
	j := goJSON{found: f, packages: map[string]*goOutput{}, typed: strings.Contains(text, `"OutputType":"error`)}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "{") {
			j.line(line)
		}
	}
	for _, p := range j.order {
		p.end(f, j.typed)
	}
	if j.build.Len() > 0 {
		readGoBuild(pageOf(j.build.String()), f)
	}
	if j.tested == 0 && j.ended > 0 && f.none() {
		f.tally.sum(0, 0, 0)
	}
	return true
}

type goJSON struct {
	found    *found
	packages map[string]*goOutput
	order    []*goOutput
	build    strings.Builder
	typed    bool // errors are told from logs
	ended    int  // packages that ended
	tested   int  // tests that ended
}

// line keeps output as it stands: most of it is of tests that pass, and need
// not be decoded.
func (j *goJSON) line(line string) {
	switch field(line, "Action") {
	case "output":
		pkg, test, ok := owner(line)
		if ok {
			t := j.of(pkg).test(test)
			t.lines = append(t.lines, line)
		}
	case "run", "start", "pause", "cont", "bench":
	case "pass", "skip":
		if strings.IndexByte(line, '\\') < 0 {
			j.end(goEvent{Action: field(line, "Action"), Package: field(line, "Package"), Test: field(line, "Test")})
			return
		}
		fallthrough
	default:
		var e goEvent
		if json.Unmarshal([]byte(line), &e) == nil {
			j.event(e)
		}
	}
}

func (j *goJSON) event(e goEvent) {
	switch e.Action {
	case "build-output":
		j.build.WriteString(e.Output)
	case "output":
		if line, err := json.Marshal(e); err == nil {
			t := j.of(e.Package).test(e.Test)
			t.lines = append(t.lines, string(line))
		}
	case "pass", "fail", "skip":
		j.end(e)
	}
}

// field takes a string out of a line without decoding it; "" if it is not
// there or holds an escape. Keys stand before the output, in which quotes are
// escaped.
func field(line, key string) string {
	_, rest, ok := strings.Cut(line, `"`+key+`":"`)
	end := strings.IndexByte(rest, '"')
	if !ok || end < 0 || strings.IndexByte(rest[:end], '\\') >= 0 {
		return ""
	}
	return rest[:end]
}

// owner tells whose output a line is.
func owner(line string) (pkg, test string, ok bool) {
	head, _, _ := strings.Cut(line, `"Output":`)
	if strings.IndexByte(head, '\\') < 0 {
		return field(head, "Package"), field(head, "Test"), true
	}
	var e goEvent
	err := json.Unmarshal([]byte(line), &e)
	return e.Package, e.Test, err == nil
}

func (j *goJSON) of(name string) *goOutput {
	p := j.packages[name]
	if p == nil {
		p = &goOutput{name: name, tests: map[string]*goTestOutput{}}
		j.packages[name] = p
		j.order = append(j.order, p)
	}
	return p
}

func (j *goJSON) end(e goEvent) {
	p := j.of(e.Package)
	if e.Test == "" {
		j.ended++
		p.failed = e.Action == "fail"
		j.found.unbuilt = j.found.unbuilt || e.FailedBuild != ""
		return
	}
	j.tested++
	switch e.Action {
	case "pass":
		j.found.test(place(e.Package, e.Test), true)
		p.test(e.Test).lines = nil // of no interest any more
	case "fail":
		j.found.test(place(e.Package, e.Test), false)
		p.test(e.Test).failed = true
	case "skip":
		j.found.tally.skip()
	}
}

// goOutput is what one package printed, by test.
type goOutput struct {
	name   string
	tests  map[string]*goTestOutput
	order  []*goTestOutput
	failed bool
}

// goTestOutput is what one test printed: the events as they stand.
type goTestOutput struct {
	name   string
	lines  []string
	failed bool
}

func (p *goOutput) test(name string) *goTestOutput {
	t := p.tests[name]
	if t == nil {
		t = &goTestOutput{name: name}
		p.tests[name] = t
		p.order = append(p.order, t)
	}
	return t
}

// text decodes the output. Where errors are told from logs, logs are left out.
func (t *goTestOutput) text(typed bool) string {
	var b strings.Builder
	for _, line := range t.lines {
		var e goEvent
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		if typed && e.OutputType == "" && isGoMessage(strings.TrimSuffix(e.Output, "\n")) {
			continue
		}
		b.WriteString(e.Output)
	}
	return b.String()
}

// end reads the package's text: first that of each failed test, then its own.
func (p *goOutput) end(f *found, typed bool) {
	if !p.failed && !slices.ContainsFunc(p.order, func(t *goTestOutput) bool { return t.failed }) {
		return
	}
	g := goReader{found: &found{masks: f.masks}}
	for _, t := range p.order {
		if t.name != "" && (t.failed || t.died()) {
			g.current = t.name
			g.test(t.name).result = "FAIL"
			g.feed(t.text(typed))
		}
	}
	g.current, g.start = "", 0
	g.lines = nil
	if own := p.tests[""]; own != nil {
		g.feed(own.text(typed))
	}
	g.endPackage(p.name, len(g.lines))
	g.found.tally = tally{}
	f.add(g.found)
}

// died: a test that panicked has no end of its own.
func (t *goTestOutput) died() bool {
	for _, line := range t.lines {
		if strings.Contains(line, `"Output":"panic: `) || strings.Contains(line, `"Output":"fatal error: `) {
			return true
		}
	}
	return false
}

// feed reads the lines of a text into what is known of a package.
func (g *goReader) feed(text string) {
	g.lines = linesOf(text)
	for i := 0; i < len(g.lines); {
		i = g.line(i)
	}
}
