package verify

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/signature"
)

// maxVanished bounds the tests that are named; one is enough to fail a check.
const maxVanished = 100

// Vanished lists the tests that ran on the base and do not run now, although
// the candidate left their files alone. Both sides must name their tests: a
// tool that names only those that fail says nothing of one that passes now. Of
// a tool that counts without naming, fewer tests are told as such.
func Vanished(base, now signature.Tests, changed []string) []signature.Failure {
	switch {
	case len(base.Ran) == 0:
		return nil
	case names(now), !now.Known && names(base):
		return missing(base, now, changed)
	case now.Known && names(base) && now.Run < base.Run && !slices.ContainsFunc(changed, isTestName):
		return []signature.Failure{{Class: TestsVanished, Detail: "fewer tests ran than on the base"}}
	}
	return nil
}

// names reports whether the tool gave the ids of all tests, some of which may
// have one name.
func names(t signature.Tests) bool { return t.Known && t.Run > 0 && 10*len(t.Ran) >= 9*t.Run }

func missing(base, now signature.Tests, changed []string) []signature.Failure {
	ran, green, before := indexOf(now.Ran), indexOf(base.Green), indexOf(base.Ran)
	grown := map[string]bool{} // suites that have a new test
	for _, id := range now.Ran {
		if suite := suiteOf(id); suite != "" && !before.has(id) {
			grown[suite] = true
		}
	}
	var list []signature.Failure
	for _, id := range base.Ran {
		real := green.has(id) || isTest(id) && !grown[suiteOf(id)]
		if real && !ran.has(id) && !touched(id, changed) {
			list = append(list, signature.Failure{ID: signature.Mask(id), Class: TestsVanished})
		}
	}
	list = signature.Sorted(list)
	return list[:min(len(list), maxVanished)]
}

// isTest reports whether what failed under an id was a test, not a file that
// did not load or a hook.
func isTest(id string) bool { return withoutFile(id) != "" && !standIn.MatchString(id) }

// standIn knows what tools report as a failed test in the place of those that
// could not even start. It is gone once they can.
var standIn = regexp.MustCompile(`(?i)\bhook\b|_FailedTest|\bfailed to (?:run|load|start)\b|\b(?:set|tear)_?(?:up|down)(?:class|module)?\b`)

// suiteOf is all of an id but its last part, and its file.
func suiteOf(id string) string {
	id = withoutFile(id)
	return id[:max(0, strings.LastIndex(id, " > "))]
}

// An index finds tests by their ids. Some tools name the file of a test only
// where it fails, so an id with a file is the same as one without; two ids with
// different files are not.
type index struct {
	whole map[string]bool
	bare  map[string]bool // without the file
}

func indexOf(ids []string) index {
	x := index{map[string]bool{}, map[string]bool{}}
	for _, id := range ids {
		id = signature.Mask(id)
		x.whole[id] = true
		x.bare[withoutFile(id)] = true
	}
	return x
}

func (x index) has(id string) bool {
	id = signature.Mask(id)
	bare := withoutFile(id)
	return x.whole[id] || bare != id && x.whole[bare] || bare == id && x.bare[id]
}

// withoutFile drops the first part of an id if it is the path of a file; of a
// file that failed as a whole nothing is left.
func withoutFile(id string) string {
	file, rest, _ := strings.Cut(id, " > ")
	if namesFile.FindString(file) == file {
		return rest
	}
	return id
}

// touched reports whether the candidate changed the file that a test stands
// in, as far as its id tells: by a path, by the name of a test's module or
// class, by the package of a Go test. Where an id names nothing of the kind
// any changed test may be its own.
func touched(id string, changed []string) bool {
	nameless := !namesFile.MatchString(id) && !imported.MatchString(id)
	for _, p := range changed {
		switch {
		case strings.Contains(id, p):
			return true
		case !isTestName(p):
		case nameless, strings.Contains(id, path.Base(p)), hasWord(id, strings.TrimSuffix(path.Base(p), path.Ext(p))):
			return true
		case strings.HasSuffix(p, "_test.go") && inPackage(id, path.Dir(p)):
			return true
		}
	}
	return false
}

var (
	namesFile = regexp.MustCompile(`^[\w./@-]+\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|cs|bats|t|sh|cc|cpp|ex|exs|swift)\b`)
	imported  = regexp.MustCompile(`^[\w.~-]+(?:/[\w.~-]+)+`)
	wordSigns = regexp.MustCompile(`[^\w-]+`)
)

// hasWord finds the name of a module among the parts of an id.
func hasWord(id, name string) bool { return slices.Contains(wordSigns.Split(id, -1), name) }

// inPackage compares the folder of a Go file with the import path that an id
// begins with. The root of a module has no folder to compare.
func inPackage(id, folder string) bool {
	pkg := imported.FindString(id)
	return pkg != "" && (folder == "." || pkg == folder || strings.HasSuffix(pkg, "/"+folder))
}

// redToGreen lists the tests that ran on the base without passing and pass
// now, over all visible checks.
func redToGreen(base []signature.Tests, results []result) []string {
	var list []string
	for _, r := range results {
		if r.Hidden || r.step.n >= len(base) {
			continue
		}
		ran, green := indexOf(base[r.step.n].Ran), indexOf(base[r.step.n].Green)
		for _, id := range r.Tests.Green {
			if ran.has(id) && !green.has(id) {
				list = append(list, id)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
