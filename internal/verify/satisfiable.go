package verify

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// The codes of what SatisfiableWarnings finds.
const (
	TestsNotAllowed = "tests_not_allowed" // the goal wants tests, and no test file may be changed
	PathOutOfReach  = "path_out_of_reach" // the goal wants a file changed that may not be
	AllowIsEmpty    = "allow_is_empty"    // a rule of the task's list can allow nothing
)

// SatisfiableWarnings tells what a task asks for and its own boundary can
// never accept, as far as its words show. Better a warning at once than the
// same refusal in every round.
func SatisfiableWarnings(t task.Task, b round.Boundary, builtin Builtin) []task.Fault {
	b.TaskAllow, b.TaskProtect = t.Allow, t.Protect
	rules := NewRules(b, builtin)
	var faults []task.Fault
	add := func(field, code, format string, args ...any) {
		faults = append(faults, task.Fault{Field: field, Code: code, Msg: fmt.Sprintf(format, args...)})
	}
	for i, a := range t.Allow {
		if why := deadRule(a, b.Allow, rules); why != "" {
			add(fmt.Sprintf("allow[%d]", i), AllowIsEmpty, "%q allows nothing: %s", a, why)
		}
	}
	words := t.Title + "\n" + t.Goal
	if wantsTests(words) && !anyTestFile(rules, append(slices.Clone(t.Allow), b.Allow...)) {
		add("goal", TestsNotAllowed, "it asks for tests, but no test file may be changed: widen allow, or lift the protection")
	}
	for _, p := range wantedPaths(words) {
		switch {
		case rules.Protected(p):
			add("goal", PathOutOfReach, "it asks for a change of %q, which is protected", p)
		case !rules.Allowed(p):
			add("goal", PathOutOfReach, "it asks for a change of %q, which allow does not cover", p)
		}
	}
	return faults
}

// deadRule says why a task's rule can allow nothing, "" where it may.
func deadRule(rule string, loop []string, rules Rules) string {
	if !strings.ContainsAny(rule, "*?[{") && rules.Protected(rule) {
		return "it is protected"
	}
	for _, l := range loop {
		if mayMeet(stem(rule), stem(l)) {
			return ""
		}
	}
	return "loop.yaml allows nothing there"
}

// stem is the part of a rule that every path which it matches begins with.
func stem(rule string) string {
	rule = strings.TrimPrefix(strings.ReplaceAll(rule, `\`, "/"), "./")
	if i := strings.IndexAny(rule, "*?[{"); i >= 0 {
		return rule[:i]
	}
	return rule
}

func mayMeet(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

var (
	wantedTests = regexp.MustCompile(`(?i)\b(?:add|cover|create|extend|improve|include|provide|update|write)\b((?:\s+[\w"'-]+){0,6}?)\s+tests?\b|\bwith (?:unit |integration |new |more )?tests\b|\btest coverage\b`)
	// otherwise are words after which the tests are what decides, not what is wanted.
	otherwise    = regexp.MustCompile(`(?i)\b(?:as|because|for|if|make|makes|or|so|that|to|until|when|which|without)\b`)
	wantedChange = regexp.MustCompile("(?i)\\b(?:add|adjust|change|create|delete|edit|extend|fix|implement|move|refactor|remove|rename|repair|replace|rewrite|update|write)" +
		"\\s+(?:(?:the|a|an|file|files|to|in|of|function|new)\\s+){0,3}[`\"']?([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+)")
)

// wantsTests reports whether a text asks for tests to be written.
func wantsTests(text string) bool {
	for _, m := range wantedTests.FindAllStringSubmatch(text, -1) {
		if !otherwise.MatchString(m[1]) {
			return true
		}
	}
	return false
}

// wantedPaths are the paths that stand right behind a word asking for a change.
// A path elsewhere in the text may be there to be read only.
func wantedPaths(text string) []string {
	var list []string
	for _, m := range wantedChange.FindAllStringSubmatch(text, -1) {
		if p := strings.TrimRight(path.Clean(m[1]), "."); path.Ext(p) != "" && !strings.HasPrefix(p, "..") {
			list = append(list, p)
		}
	}
	return list
}
