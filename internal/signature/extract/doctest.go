package extract

import (
	"strings"
)

// doctest reads the C++ test framework of that name.
var doctest = tool{
	name:  "doctest",
	marks: []string{"[doctest] ", "TEST CASE:  "},
	read:  readDoctest,
}

var (
	doctestFailure = pattern(`^(.+?)(?::\d+|\(\d+\)): ((?:FATAL )?ERROR: .*)$`)
	doctestTotal   = pattern(`^\[doctest\] test cases: *(\d+) *\| *(\d+) passed *\| *(\d+) failed *\| *(\d+) skipped`)
)

func readDoctest(p *page, f *found) {
	for _, lines := range p.streams {
		d := doctestReader{lines: lines, found: f}
		for i := 0; i < len(lines); {
			i = d.line(i)
		}
	}
}

type doctestReader struct {
	lines       []string
	found       *found
	suite, test string
	subcases    []string
}

func (d *doctestReader) line(i int) int {
	line := d.lines[i]
	switch {
	case isRule(line, '='):
		d.suite, d.test, d.subcases = "", "", nil
	case strings.HasPrefix(line, "TEST SUITE: "):
		d.suite = strings.TrimSpace(line[len("TEST SUITE: "):])
	case strings.HasPrefix(line, "TEST CASE:  "):
		d.test = strings.TrimSpace(line[len("TEST CASE:  "):])
		below := until(d.lines, i+1, func(l string) bool { return !strings.HasPrefix(l, "  ") })
		for _, s := range below[:min(len(below), maxDepth)] {
			d.subcases = append(d.subcases, strings.TrimSpace(s))
		}
		return i + 1 + len(below)
	case strings.HasPrefix(line, "[doctest] test cases:"):
		d.sum(line)
	case d.test != "" && strings.Contains(line, "ERROR: "):
		return d.failure(i)
	}
	return i + 1
}

// failure reads the assertion, the values and what was logged.
func (d *doctestReader) failure(i int) int {
	m := doctestFailure().FindStringSubmatch(d.lines[i])
	if m == nil {
		return i + 1
	}
	body := until(d.lines, i+1, func(l string) bool { return strings.TrimSpace(l) == "" || isRule(l, '=') })
	parts := append([]string{m[1], d.suite, d.test}, d.subcases...)
	class := "fail"
	switch {
	case strings.Contains(m[2], "THREW exception"):
		class = "exception"
	case strings.Contains(m[2], "CRASHED: "):
		class = "crash"
	}
	d.found.fail(place(parts...), class, reason(append([]string{m[2]}, body...)))
	return i + 1 + len(body)
}

func (d *doctestReader) sum(line string) {
	if m := doctestTotal().FindStringSubmatch(line); m != nil {
		run, _ := wholeNumber(m[1])
		passed, _ := wholeNumber(m[2])
		skipped, _ := wholeNumber(m[4])
		d.found.tally.sum(run, passed, skipped)
	}
}
