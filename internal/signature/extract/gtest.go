package extract

import (
	"strings"
)

// gtest reads GoogleTest.
var gtest = tool{
	name:  "gtest",
	marks: []string{"[ RUN      ]", "[==========]", "[  FAILED  ]"},
	read:  readGTest,
}

var (
	gtestPlace = pattern(`^(.+?)(?:(?::\d+)?: Failure|\(\d+\): error: (.*))$`)
	gtestEnd   = pattern(`^\[  (FAILED |     OK|SKIPPED) ?\] ([^\s,]+)(?:, where .*)? \(\d+ ms\)$`)
	gtestTotal = pattern(`^\[==========\] (\d+) tests? from \d+ test (?:suite|case)s? ran`)
	gtestCount = pattern(`^\[  (PASSED|SKIPPED) *\] (\d+) tests?[.,]`)
)

func readGTest(p *page, f *found) {
	for _, lines := range p.streams {
		g := gtestReader{found: f}
		for _, line := range lines {
			g.line(line)
		}
		g.crashed()
		if g.summed {
			f.tally.sum(g.run-g.skipped, g.passed, g.skipped)
		}
	}
}

type gtestReader struct {
	found  *found
	test   string
	file   string
	said   []string // the failures of the test so far
	taking bool     // lines belong to a failure

	run, passed, skipped int
	summed               bool
}

func (g *gtestReader) line(line string) {
	switch {
	case strings.HasPrefix(line, "[ RUN      ] "):
		g.crashed()
		g.test = strings.TrimSpace(strings.TrimPrefix(line, "[ RUN      ] "))
		g.file, g.said, g.taking = "", nil, false
	case strings.HasPrefix(line, "[  ") && g.test != "" && gtestEnd().MatchString(line):
		g.ended(gtestEnd().FindStringSubmatch(line)[1])
	case strings.HasPrefix(line, "["):
		g.summary(line)
	case g.test == "":
	default:
		g.output(line)
	}
}

func (g *gtestReader) output(line string) {
	if m := gtestFailure(line); m != nil {
		g.taking = true
		if g.file == "" {
			g.file = m[1]
		}
		if m[2] != "" {
			g.said = append(g.said, m[2])
		}
		return
	}
	if g.taking && len(g.said) < maxBody {
		g.said = append(g.said, line)
	}
}

func gtestFailure(line string) []string {
	if !strings.HasSuffix(line, ": Failure") && !strings.Contains(line, "): error: ") {
		return nil
	}
	return gtestPlace().FindStringSubmatch(line)
}

func (g *gtestReader) ended(how string) {
	switch strings.TrimSpace(how) {
	case "OK":
		g.found.named(g.test, true)
	case "FAILED":
		g.found.named(g.test, false)
		detail := reason(g.said)
		switch {
		case detail == "":
			g.found.failBare(place(g.file, g.test), "fail", "")
		case strings.HasPrefix(detail, "C++ exception"):
			g.found.fail(place(g.file, g.test), "exception", detail)
		default:
			g.found.fail(place(g.file, g.test), "fail", detail)
		}
	}
	g.test = ""
}

// crashed: the process died inside a test.
func (g *gtestReader) crashed() {
	if g.test != "" {
		g.found.fail(place(g.file, g.test), "crash", strings.TrimSpace("did not end\n"+reason(g.said)))
	}
	g.test = ""
}

func (g *gtestReader) summary(line string) {
	if m := gtestTotal().FindStringSubmatch(line); m != nil {
		g.summed = true
		g.run, _ = wholeNumber(m[1])
	}
	if m := gtestCount().FindStringSubmatch(line); m != nil {
		n, _ := wholeNumber(m[2])
		if m[1] == "PASSED" {
			g.passed = n
		} else {
			g.skipped = n
		}
	}
}
