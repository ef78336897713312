package extract

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/signature"
)

// maxKept bounds the distinct failures that are looked at: what comes after so
// many is only counted.
const maxKept = 5000

// found gathers what tools find.
type found struct {
	masks    []signature.Masker
	failures map[signature.Failure]int // how often each
	excess   int                       // failures beyond maxKept
	bare     bool                      // a failure is named without a reason
	told     bool                      // another one with a reason
	unbuilt  bool                      // a runner says that something did not build
	loose    bool                      // a trace that need not be of the process that died
	tally    tally
}

// fail adds one failure. Both texts are masked, places in source files lose
// their numbers, and a long detail is cut.
func (f *found) fail(id, class, detail string) {
	f.told = true
	f.record(id, class, detail)
}

// failBare adds a failure for which its tool gives no reason.
func (f *found) failBare(id, class, detail string) {
	f.bare = true
	f.record(id, class, detail)
}

func (f *found) record(id, class, detail string) {
	if len(f.failures) >= maxKept {
		f.excess++
		return
	}
	if class == "" {
		class = "fail"
	}
	id = capped(f.mask(id), maxID)
	detail = f.mask(withoutPlaces(strings.TrimSpace(limited(detail))))
	if kind := infraKind(class, detail); kind != "" {
		class = infraPrefix + kind
	}
	f.put(signature.Failure{ID: id, Class: class, Detail: capped(detail, maxDetail)}, 1)
}

func (f *found) put(r signature.Failure, times int) {
	if f.failures == nil {
		f.failures = map[signature.Failure]int{}
	}
	if _, known := f.failures[r]; !known && len(f.failures) >= maxKept {
		f.excess++
		return
	}
	f.failures[r] += times
}

// counted marks failures that were given several times: for a tool that
// reports each place once, fewer of the same kind are progress.
func (f *found) counted() {
	for r, n := range f.failures {
		if n > 1 {
			delete(f.failures, r)
			r.Detail = strings.TrimSpace(fmt.Sprintf("%s (%d times)", r.Detail, n))
			f.failures[r] = 1
		}
	}
}

func (f *found) add(g *found) {
	for r, n := range g.failures {
		f.put(r, n)
	}
	f.excess += g.excess
	f.bare = f.bare || g.bare
	f.told = f.told || g.told
	f.unbuilt = f.unbuilt || g.unbuilt
	f.loose = f.loose || g.loose
	f.tally.join(g.tally)
}

// silent reports failures of which none says anything of its reason.
func (f *found) silent() bool {
	for r := range f.failures {
		if r.Detail != "" {
			return false
		}
	}
	return f.bare && !f.told
}

func (f *found) none() bool { return len(f.failures) == 0 }

func (f *found) distinct() int { return len(f.failures) }

// list gives the failures sorted, at most maxFailures, and the number of those
// left out.
func (f *found) list() (list []signature.Failure, dropped int) {
	list = make([]signature.Failure, 0, len(f.failures))
	for r := range f.failures {
		list = append(list, r)
	}
	slices.SortFunc(list, signature.Compare)
	if len(list) > maxFailures {
		dropped = len(list) - maxFailures
		list = list[:maxFailures:maxFailures]
	}
	return list, dropped + f.excess
}

func (f *found) mask(s string) string { return signature.Mask(s, f.masks...) }

// limited bounds what is masked of one detail.
func limited(s string) string {
	if len(s) > 8*maxDetail {
		s = strings.ToValidUTF8(s[:8*maxDetail], "")
	}
	return s
}

// capped cuts a text that is too long. A hash of what is cut off stands for
// it, so that texts that differ late stay different.
func capped(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = len(" [more: 0123456789abcdef]")
	keep := strings.ToValidUTF8(s[:limit-mark], "")
	sum := sha256.Sum256([]byte(s[len(keep):]))
	return fmt.Sprintf("%s [more: %x]", keep, sum[:8])
}

// test counts a test that ended.
func (f *found) test(id string, passed bool) {
	f.tally.count(passed)
	f.named(id, passed)
}

// named keeps the id of a test that ended, for a tool that counts by itself.
func (f *found) named(id string, passed bool) {
	if f.tally.ids++; f.tally.ids <= maxIDs {
		f.tally.id(capped(f.mask(id), maxID), passed)
	}
}

// infra reports whether the environment is at fault: every failure that gives
// a reason gives one of those. A process that ran out of memory aborts, or is
// killed.
func (f *found) infra() bool {
	kinds, ends := map[string]bool{}, map[string]bool{}
	for r := range f.failures {
		switch kind, ok := strings.CutPrefix(r.Class, infraPrefix); {
		case ok:
			kinds[kind] = true
		case isEnd(r.Class) && r.Detail == "":
			ends[r.Class] = true
		case r.Detail != "":
			return false
		}
	}
	if kinds["out_of_memory"] {
		delete(ends, "signal:ABRT")
		delete(ends, "signal:KILL")
	}
	return len(kinds) > 0 && len(ends) == 0 && f.excess == 0
}
