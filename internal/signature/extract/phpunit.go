package extract

import (
	"strings"
)

// phpunit reads the numbered lists of PHPUnit and its testdox form.
var phpunit = tool{
	name:  "phpunit",
	marks: []string{"PHPUnit 9"},
	read:  readPHPUnit,
}

var (
	phpSection = pattern(`^There (?:was|were) \d+ (failure|error|risky test|warning|skipped test|incomplete test|.*(?:deprecation|notice|warning))s?:$`)
	phpNumber  = pattern(`^\d+\) (\S+::.+)$`)
	phpOK      = pattern(`^OK \((\d+) tests?, \d+ assertions?\)`)
	phpPlace   = pattern(`^(\S+\.(?:php|phpt|inc)):\d+$`)
	phpClass   = pattern(`^((?:\w+\\)*\w+): (.*)$`)
	phpDox     = pattern(`^ ✘ (.+?)(?: \[[\d.]+ ?ms\])?$`)
)

func readPHPUnit(p *page, f *found) {
	for _, lines := range p.streams {
		r := phpReader{lines: lines, found: f}
		for i := 0; i < len(lines); {
			i = r.line(i)
		}
	}
}

type phpReader struct {
	lines   []string
	found   *found
	section string
	subject string // the class of the testdox form
}

func (r *phpReader) line(i int) int {
	line := r.lines[i]
	switch {
	case strings.HasPrefix(line, "There "):
		if m := phpSection().FindStringSubmatch(line); m != nil {
			r.section = m[1]
		}
	case (r.section == "failure" || r.section == "error") && phpNumber().MatchString(line):
		return r.failure(i)
	case strings.HasPrefix(line, "Tests: "):
		r.sum(line)
	case strings.HasPrefix(line, "OK ("):
		if m := phpOK().FindStringSubmatch(line); m != nil {
			n, _ := wholeNumber(m[1])
			r.found.tally.sum(n, n, 0)
		}
	case strings.HasPrefix(line, "No tests executed!"):
		r.found.tally.sum(0, 0, 0)
	case strings.HasPrefix(line, " ✘ "):
		return r.testdox(i)
	case line != "" && line[0] >= 'A' && line[0] <= 'Z':
		r.subject = line
	}
	return i + 1
}

func (r *phpReader) sum(line string) {
	n := labelled(line)
	skipped := n["skipped"] + n["incomplete"]
	run := n["test"] - skipped
	r.found.tally.sum(run, run-n["failure"]-n["error"], skipped)
}

func (r *phpReader) failure(i int) int {
	id := phpNumber().FindStringSubmatch(r.lines[i])[1]
	body := until(r.lines, i+1, func(l string) bool { return phpNumber().MatchString(l) || l == "--" || phpEnd(l) })
	class, detail := phpReason(body)
	r.found.fail(strings.Replace(id, "::", " > ", 1), class, detail)
	return i + 1 + len(body)
}

func phpEnd(line string) bool {
	return line == "FAILURES!" || line == "ERRORS!" || strings.HasPrefix(line, "Tests: ") || phpSection().MatchString(line)
}

// phpReason reads the message up to the places. An error begins with the name
// of its class, a failed assertion does not.
func phpReason(body []string) (class, detail string) {
	var kept []string
	for _, line := range body {
		if !phpPlace().MatchString(strings.TrimSpace(line)) {
			kept = append(kept, line)
		}
	}
	head := firstLine(kept)
	if m := phpClass().FindStringSubmatch(head); m != nil && errorName().MatchString(m[1]) {
		return m[1], strings.TrimPrefix(reason(kept), m[1]+": ")
	}
	return "PHPUnit\\Framework\\ExpectationFailedException", reason(kept)
}

// testdox reads a failure of the form that shows tests as sentences, where
// newer versions print the reason; older ones list it again.
func (r *phpReader) testdox(i int) int {
	m := phpDox().FindStringSubmatch(r.lines[i])
	body := until(r.lines, i+1, func(l string) bool { return !strings.HasPrefix(l, "   ") })
	if m == nil || len(body) == 0 {
		return i + 1
	}
	lines := make([]string, len(body))
	for k, l := range body {
		lines[k] = strings.TrimLeft(strings.TrimSpace(l), "│┐├┊┴╵╷ ")
	}
	class, detail := phpReason(lines)
	r.found.fail(place(r.subject, m[1]), class, detail)
	return i + 1 + len(body)
}
