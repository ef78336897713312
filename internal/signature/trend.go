package signature

import "strings"

// The trends: how the failures of a round compare to those of the rounds
// before it.
const (
	First       = "first"       // there is no round before
	Unchanged   = "same"        // the failures of the round before
	Shrinking   = "shrinking"   // some of them are gone, no other test fails
	Growing     = "growing"     // all of them are still there, and new ones
	Moved       = "moved"       // others
	Oscillating = "oscillating" // the failures of an earlier round are back
)

// Trend compares the last of the sets, each the failures of one round in
// order, to those before it. A test that still fails but in another way does
// not keep a set from shrinking: what counts then is which tests fail.
func Trend(sets ...[]Failure) string {
	if len(sets) < 2 {
		return First
	}
	rounds := make([]failing, len(sets))
	for i, set := range sets {
		rounds[i] = failingOf(set)
	}
	last, before := rounds[len(rounds)-1], rounds[len(rounds)-2]
	switch {
	case last.records.equal(before.records):
		return Unchanged
	case returns(rounds):
		return Oscillating
	case last.below(before):
		return Shrinking
	case before.below(last):
		return Growing
	}
	return Moved
}

// Failing gathers all failures of a verification into one set for Trend:
// those of every check, told apart by the command, and the boundary errors.
func (ev Evidence) Failing() []Failure {
	var all []Failure
	for _, e := range ev.BoundaryErrors {
		all = append(all, Failure{ID: e.Path, Class: "boundary:" + e.Code})
	}
	for _, c := range ev.Checks {
		command := strings.Join(c.Argv, " ") + ": "
		for _, f := range c.Failures {
			all = append(all, Failure{ID: command + f.ID, Class: f.Class, Detail: f.Detail})
		}
	}
	return Sorted(all)
}

type set[T comparable] map[T]struct{}

func (s set[T]) within(t set[T]) bool {
	for v := range s {
		if _, ok := t[v]; !ok {
			return false
		}
	}
	return true
}

func (s set[T]) equal(t set[T]) bool { return len(s) == len(t) && s.within(t) }

func (s set[T]) below(t set[T]) bool { return len(s) < len(t) && s.within(t) }

// failing is a round's failures once in full and once by test alone.
type failing struct {
	records set[Failure]
	ids     set[string]
}

func failingOf(list []Failure) failing {
	f := failing{records: set[Failure]{}, ids: set[string]{}}
	for _, r := range list {
		f.records[r] = struct{}{}
		f.ids[r.ID] = struct{}{}
	}
	return f
}

func (f failing) below(g failing) bool {
	return f.records.below(g.records) || f.ids.below(g.ids) && len(f.records) < len(g.records)
}

// returns reports whether the last round fails as one before the last but one.
func returns(rounds []failing) bool {
	last := rounds[len(rounds)-1]
	for _, r := range rounds[:len(rounds)-2] {
		if last.records.equal(r.records) {
			return true
		}
	}
	return false
}
