package extract

import (
	"slices"

	"looprun.dev/looprun/internal/signature"
)

// maxIDs bounds the ids of tests kept; of more none are given.
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

// join adds what another tool counted.
func (t *tally) join(u tally) {
	if !u.known {
		return
	}
	t.known = true
	n, ran := u.result()
	if t.summary != nil {
		t.summary.add(n)
	} else {
		t.counted.add(n)
	}
	if ran == nil && u.ids > 0 {
		t.ids = maxIDs + 1 // unknown for one is unknown for all
	}
	t.ids += len(ran)
	for id, passed := range ran {
		t.id(id, passed)
	}
}

// result gives the numbers and, where every test was named, the ids: some may
// be hidden by what the tests print, and with half a list the others would
// look as if they had vanished.
func (t *tally) result() (counts, map[string]bool) {
	n := t.counted
	if t.summary != nil {
		n = *t.summary
	}
	if t.ids > maxIDs || t.summary != nil && len(t.ran) != n.run {
		return n, nil
	}
	return n, t.ran
}

func (t *tally) tests() signature.Tests {
	if !t.known {
		return signature.Tests{}
	}
	n, ran := t.result()
	tests := signature.Tests{Known: true, Run: n.run, Passed: n.passed, Skipped: n.skipped}
	for id, passed := range ran {
		tests.Ran = append(tests.Ran, id)
		if passed {
			tests.Green = append(tests.Green, id)
		}
	}
	slices.Sort(tests.Ran)
	slices.Sort(tests.Green)
	return tests
}
