package verify

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// testFiles are names by which the usual tools find tests.
var testFiles = []string{
	"x_test.go", "x.test.js", "x.test.mjs", "x.test.cjs", "x.test.ts", "x.test.tsx", "x.test.jsx", "x.spec.js", "x.spec.ts",
	"test_x.py", "x_test.py", "test.py", "tests.py", "x_spec.rb", "x_test.rb", "XTest.java", "XTests.cs", "XTest.php", "x.bats", "x.t", "x_test.cc", "tests.rs", "x.rs",
}

// testFolders are directories below which every file may be a test.
var testFolders = []string{"", "test", "tests", "spec", "acceptance", "__tests__", "t"}

// anyTestFile tries the usual names of tests in and below every folder that
// the rules of allow name.
func anyTestFile(rules Rules, allow []string) bool {
	for _, rule := range allow {
		for _, r := range alternatives(rule) {
			if holdsTests(rules, r) {
				return true
			}
		}
	}
	return false
}

func holdsTests(rules Rules, rule string) bool {
	// Tests of Rust stand in the file that they test.
	if (isTestName(rule) || path.Ext(rule) == ".rs") && rules.MayChange(sample(rule)) {
		return true
	}
	for _, below := range foldersOf(rule) {
		for _, folder := range testFolders {
			for _, file := range testFiles {
				if rules.MayChange(path.Join(below, folder, file)) {
					return true
				}
			}
		}
	}
	return false
}

// foldersOf are the folders in which a rule may allow new files. One that
// names a single file allows none beside it.
func foldersOf(rule string) []string {
	p := sample(rule)
	if !strings.ContainsAny(rule, "*?[") && path.Ext(p) != "" {
		return nil
	}
	return []string{p, path.Dir(p)}
}

// alternatives takes the first few braces of a rule apart.
func alternatives(rule string) []string {
	list := []string{rule}
	for range 3 {
		var next []string
		for _, r := range list {
			head, rest, ok := strings.Cut(r, "{")
			body, tail, closed := strings.Cut(rest, "}")
			if !ok || !closed {
				next = append(next, r)
				continue
			}
			for alt := range strings.SplitSeq(body, ",") {
				next = append(next, head+alt+tail)
			}
		}
		list = next[:min(len(next), 100)]
	}
	return list
}

var set = regexp.MustCompile(`\[[!^]?([^\]])[^\]]*\]`)

// sample is a path that a rule without braces matches, or the folder of such.
func sample(rule string) string {
	rule = set.ReplaceAllString(strings.TrimPrefix(strings.ReplaceAll(rule, `\`, "/"), "./"), "$1")
	parts := slices.DeleteFunc(strings.Split(rule, "/"), func(p string) bool { return p == "**" || p == "" })
	return strings.NewReplacer("*", "x", "?", "x").Replace(strings.Join(parts, "/"))
}

var testName = regexp.MustCompile(`(?i)(?:^|[/_.-])(?:tests?|specs?|acceptance|__tests__)(?:[/_.-]|$)|Tests?\.[a-z]+$`)

// isTestName reports whether a path looks like that of a test.
func isTestName(p string) bool { return testName.MatchString(p) }
