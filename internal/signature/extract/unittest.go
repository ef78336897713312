package extract

import (
	"slices"
	"strings"
)

// unittest reads the reports of Python's unittest, and of what is built on it.
var unittest = tool{
	name:  "unittest",
	marks: []string{"Ran 9 test", "FAIL: ", "ERROR: "},
	read:  readUnittest,
}

var (
	unittestHead  = pattern(`^(FAIL|ERROR|UNEXPECTED SUCCESS): (\S+)(?: \(([\w.<>]+)\))?(.*)$`)
	unittestRan   = pattern(`^Ran (\d+) tests? in `)
	unittestEnded = pattern(`^(\S+) \(([\w.<>]+)\)(.*?)(?: \.\.\. (ok|FAIL|ERROR|skipped .*|expected failure|unexpected success))?$`)
	unittestWord  = pattern(` \.\.\. (ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$`)
)

func readUnittest(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i < len(lines); {
			i = unittestLine(lines, i, f)
		}
	}
}

func unittestLine(lines []string, i int, f *found) int {
	line := lines[i]
	switch {
	case isRule(line, '='):
		if i+1 < len(lines) {
			if m := unittestHead().FindStringSubmatch(lines[i+1]); m != nil {
				return unittestFailure(lines, i+2, m, f)
			}
		}
	case strings.HasPrefix(line, "Ran "):
		if m := unittestRan().FindStringSubmatch(line); m != nil {
			unittestSum(lines[i+1:], m[1], f)
		}
	case strings.Contains(line, " ... "):
		unittestVerbose(lines, i, f)
	}
	return i + 1
}

// isRule reports whether a line is a rule of at least ten of c.
func isRule(line string, c byte) bool {
	n := leading(line, c)
	return n >= 10 && strings.TrimSpace(line[n:]) == ""
}

// unittestFailure reads one failure from the line after its head on: perhaps a
// docstring, a line of dashes, then the traceback.
func unittestFailure(lines []string, i int, m []string, f *found) int {
	body := until(lines, i, func(l string) bool { return isRule(l, '=') || unittestRan().MatchString(l) })
	dashes := slices.IndexFunc(body[:min(len(body), 5)], func(l string) bool { return isRule(l, '-') })
	if dashes < 0 {
		return i
	}
	id := unittestID(m[2], m[3]) + m[4]
	t := lastTrace(body[dashes:])
	if t.class == "" {
		f.fail(id, m[1], reason(body[dashes+1:]))
	} else {
		f.fail(id, t.class, t.detail())
	}
	return i + len(body)
}

// unittestID makes one id of the forms of all versions: "name (module.Class)"
// and "name (module.Class.name)".
func unittestID(name, class string) string {
	if class == "" || strings.HasSuffix(class, "."+name) {
		return place(strings.TrimSuffix(class, "."+name), name)
	}
	return place(class, name)
}

// unittestSum reads "FAILED (failures=1, skipped=2)" or "OK" after the number
// of tests.
func unittestSum(lines []string, ran string, f *found) {
	run, _ := wholeNumber(ran)
	bad, skipped := 0, 0
	for _, line := range lines[:min(len(lines), 4)] {
		if !strings.HasPrefix(line, "FAILED (") && !strings.HasPrefix(line, "OK (") {
			continue
		}
		inner := strings.TrimSuffix(line[strings.IndexByte(line, '(')+1:], ")")
		for part := range strings.SplitSeq(inner, ", ") {
			key, value, _ := strings.Cut(part, "=")
			n, _ := wholeNumber(value)
			switch key {
			case "failures", "errors", "unexpected successes":
				bad += n
			case "skipped":
				skipped += n
			}
		}
	}
	f.tally.sum(run-skipped, run-skipped-bad, skipped)
}

// unittestVerbose reads "name (class) ... ok"; a docstring puts the result on
// the next line.
func unittestVerbose(lines []string, i int, f *found) {
	word := unittestWord().FindStringSubmatch(lines[i])
	if word == nil {
		return
	}
	m := unittestEnded().FindStringSubmatch(lines[i])
	if m == nil && i > 0 {
		m = unittestEnded().FindStringSubmatch(lines[i-1])
	}
	if m == nil || strings.HasPrefix(word[1], "skipped") {
		return
	}
	passed := word[1] == "ok" || word[1] == "expected failure"
	f.named(unittestID(m[1], m[2]), passed)
}
