package extract

import (
	"encoding/json"
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
		if at := strings.Index(text, start); at >= 0 && (at == 0 || text[at-1] == '\n') {
			line, _, _ := strings.Cut(text[at:], "\n")
			var e goEvent
			return json.Unmarshal([]byte(line), &e) == nil && e.Action != "" && (e.Package != "" || e.ImportPath != "")
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
		j.line(line)
	}
	for _, p := range j.order {
		p.end(f)
	}
	j.built()
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

// line looks at what kind of event a line is before it decodes it: most are
// output of tests that pass.
func (j *goJSON) line(line string) {
	if !strings.HasPrefix(line, "{") {
		return
	}
	var e goEvent
	if json.Unmarshal([]byte(line), &e) != nil {
		return
	}
	switch e.Action {
	case "build-output":
		j.build.WriteString(e.Output)
	case "output":
		j.of(e.Package).output(e, j.typed)
	case "pass", "fail", "skip":
		j.end(e)
	}
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
		p.failed, p.unbuilt = e.Action == "fail", e.FailedBuild != ""
		j.found.unbuilt = j.found.unbuilt || p.unbuilt
		return
	}
	j.tested++
	switch e.Action {
	case "pass":
		j.found.test(place(e.Package, e.Test), true)
		delete(p.tests, e.Test) // its output is of no interest any more
	case "fail":
		j.found.test(place(e.Package, e.Test), false)
		p.test(e.Test).failed = true
	case "skip":
		j.found.tally.skip()
	}
}

// built reads the compiler's lines out of the events of a build that failed.
func (j *goJSON) built() {
	if j.build.Len() == 0 {
		return
	}
	readGoBuild(pageOf(j.build.String()), j.found)
}

// goOutput is what one package printed, by test.
type goOutput struct {
	name    string
	tests   map[string]*goTestOutput
	order   []*goTestOutput
	failed  bool
	unbuilt bool
}

type goTestOutput struct {
	name   string
	text   strings.Builder
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

// output keeps a line. Where errors are told from logs, logs are left out.
func (p *goOutput) output(e goEvent, typed bool) {
	if typed && e.OutputType == "" && isGoMessage(strings.TrimSuffix(e.Output, "\n")) {
		return
	}
	p.test(e.Test).text.WriteString(e.Output)
}

// end reads the package's text: first that of each failed test, then its own.
func (p *goOutput) end(f *found) {
	if !p.failed {
		return
	}
	g := goReader{found: &found{masks: f.masks}}
	for _, t := range p.order {
		if t.name == "" || !t.failed && !strings.Contains(t.text.String(), "panic: ") {
			continue
		}
		g.lines, g.current = linesOf(t.text.String()), t.name
		g.test(t.name).result = "FAIL"
		for i := 0; i < len(g.lines); {
			i = g.line(i)
		}
	}
	g.lines, g.current, g.start = nil, "", 0
	if own := p.tests[""]; own != nil {
		g.lines = linesOf(own.text.String())
	}
	for i := 0; i < len(g.lines); {
		i = g.line(i)
	}
	g.endPackage(p.name, len(g.lines))
	g.found.tally = tally{}
	f.add(g.found)
}
