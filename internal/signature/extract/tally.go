package extract

import (
	"slices"

	"looprun.dev/looprun/internal/signature"
)

// maxIDs bounds the ids of tests kept; beyond it none are given, since half a
// list would make tests look as if they had vanished.
const maxIDs = 20_000

// A tally counts tests: one by one as the tool tells their ends, and by the
// tool's own summary, which wins.
type tally struct {
	known   bool
	counted counts
	summary *counts
	ran     map[string]bool // by id: did it pass
	ids     int             // how often an id was told
}

type counts struct{ run, passed, skipped int }

// sum takes the numbers of a summary; those of several runs add up.
func (t *tally) sum(run, passed, skipped int) {
	t.known = true
	if t.summary == nil {
		t.summary = &counts{}
	}
	t.summary.add(counts{run: max(run, 0), passed: max(passed, 0), skipped: max(skipped, 0)})
}

func (c *counts) add(d counts) {
	c.run += d.run
	c.passed += d.passed
	c.skipped += d.skipped
}

// count counts one test that ended.
func (t *tally) count(passed bool) {
	t.known = true
	t.counted.run++
	if passed {
		t.counted.passed++
	}
}

func (t *tally) skip() {
	t.known = true
	t.counted.skipped++
}

func (t *tally) id(id string, passed bool) {
	if t.ran == nil {
		t.ran = map[string]bool{}
	}
	t.ran[id] = passed
}

func (t *tally) join(u tally) {
	if !u.known {
		return
	}
	t.known = true
	n := u.numbers()
	if t.summary != nil {
		t.summary.add(n)
	} else {
		t.counted.add(n)
	}
	t.ids += u.ids
	for id, passed := range u.ran {
		t.id(id, passed)
	}
}

func (t *tally) numbers() counts {
	if t.summary != nil {
		return *t.summary
	}
	return t.counted
}

func (t *tally) tests() signature.Tests {
	n := t.numbers()
	tests := signature.Tests{Known: t.known, Run: n.run, Passed: n.passed, Skipped: n.skipped}
	if !t.known || t.ids > maxIDs || t.summary != nil && len(t.ran) != n.run {
		return tests // some went unnamed, or were hidden by what the tests print
	}
	for id, passed := range t.ran {
		tests.Ran = append(tests.Ran, id)
		if passed {
			tests.Green = append(tests.Green, id)
		}
	}
	slices.Sort(tests.Ran)
	slices.Sort(tests.Green)
	return tests
}
