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
// the candidate left their files alone. A tool that names only the tests that
// fail can't tell: it takes one that names all it ran, now, or on the base and
// nothing at all now.
func Vanished(base, now signature.Tests, changed []string) []signature.Failure {
	if !namesAll(now) && (now.Known || !namesAll(base)) {
		return nil
	}
	ran := map[string]bool{}
	for _, id := range now.Ran {
		ran[signature.Mask(id)] = true
	}
	var list []signature.Failure
	for _, id := range base.Ran {
		if masked := signature.Mask(id); !ran[masked] && !touched(id, changed) {
			list = append(list, signature.Failure{ID: masked, Class: TestsVanished})
		}
	}
	list = signature.Sorted(list)
	return list[:min(len(list), maxVanished)]
}

// namesAll reports a run whose list of ids is whole.
func namesAll(t signature.Tests) bool { return t.Known && t.Run > 0 && len(t.Ran) >= t.Run }

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
		b := base[r.step.n]
		for _, id := range r.Tests.Green {
			if slices.Contains(b.Ran, id) && !slices.Contains(b.Green, id) {
				list = append(list, id)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
