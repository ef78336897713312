package extract

import (
	"slices"
	"strings"
)

// A goCase is one test.
type goCase struct {
	name    string
	result  string // FAIL, PASS, SKIP
	message []string
}

type goFailure struct{ test, class, detail string }

func (g *goReader) test(name string) *goCase {
	if t := g.byName[name]; t != nil {
		return t
	}
	if g.byName == nil {
		g.byName = map[string]*goCase{}
	}
	t := &goCase{name: name}
	g.byName[name] = t
	g.tests = append(g.tests, t)
	return t
}

// endPackage reports the tests of the package whose line is i.
func (g *goReader) endPackage(name string, i int) {
	raced := slices.ContainsFunc(g.extra, func(x goFailure) bool { return x.class == "DATA RACE" })
	for _, x := range g.extra {
		if x.class == "panic" && x.test != "" {
			g.test(x.test).result = "PANIC"
		}
		g.found.fail(place(name, x.test), x.class, x.detail)
	}
	parents := g.parents()
	for _, t := range g.tests {
		g.count(name, t)
		if t.result == "FAIL" {
			g.fail(name, t, parents[t.name], raced)
		}
	}
	g.tests, g.byName, g.extra, g.current = nil, nil, nil, ""
	g.start = i + 1
}

// count counts a test if the passed ones are named as well, as with -v.
func (g *goReader) count(name string, t *goCase) {
	if !g.every {
		return
	}
	switch t.result {
	case "PASS":
		g.found.test(place(name, t.name), true)
	case "FAIL", "PANIC":
		g.found.test(place(name, t.name), false)
	case "SKIP":
		g.found.tally.skip()
	}
}

// fail reports a failed test, unless it only repeats the failure of a subtest
// or that a race was found.
func (g *goReader) fail(name string, t *goCase, parent, raced bool) {
	detail := reason(t.message)
	switch {
	case raced && detail == "race detected during execution of test":
	case detail != "":
		g.found.fail(place(name, t.name), "fail", detail)
	case !parent:
		g.found.failBare(place(name, t.name), "fail", "")
	}
}

// parents are the tests of which a subtest failed.
func (g *goReader) parents() map[string]bool {
	set := map[string]bool{}
	for _, t := range g.tests {
		if t.result != "FAIL" && t.result != "PANIC" {
			continue
		}
		name := t.name
		for range maxDepth {
			slash := strings.LastIndexByte(name, '/')
			if slash < 0 {
				break
			}
			name = name[:slash]
			set[name] = true
		}
	}
	return set
}
