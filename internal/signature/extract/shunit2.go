package extract

import (
	"strings"
)

// shunit2 reads the shell test framework of that name: the name of each test
// on a line of its own, then its failed assertions.
var shunit2 = tool{
	name:  "shunit2",
	marks: []string{"ASSERT:", "shunit2:", "Ran 9 test"},
	read:  readShunit2,
}

var (
	shunitTest = pattern(`^test\w*$`)
	shunitRan  = pattern(`^Ran (\d+) tests?\.$`)
)

func readShunit2(p *page, f *found) {
	for _, lines := range p.streams {
		s := shunitReader{found: f}
		for i, line := range lines {
			s.line(line, lines[i+1:])
		}
		s.end()
	}
}

type shunitReader struct {
	found  *found
	test   string
	passed map[string]bool
	ran    int
	summed bool
}

func (s *shunitReader) line(line string, after []string) {
	switch {
	case strings.HasPrefix(line, "ASSERT:") && s.test != "":
		s.passed[s.test] = false
		s.found.fail(s.test, "fail", strings.TrimPrefix(line, "ASSERT:")+shunitMore(line, after))
	case strings.HasPrefix(line, "test") && shunitTest().MatchString(line):
		s.test = line
		if s.passed == nil {
			s.passed = map[string]bool{}
		}
		s.passed[line] = true
	case strings.HasPrefix(line, "Ran "):
		if m := shunitRan().FindStringSubmatch(line); m != nil {
			s.summed = true
			s.ran, _ = wholeNumber(m[1])
		}
	}
}

// shunitMore gives the further lines of an assertion about texts of several
// lines: up to the bracket that closes the second.
func shunitMore(line string, after []string) string {
	was := strings.Contains(line, "but was:<")
	if !strings.Contains(line, "expected:<") || was && strings.HasSuffix(line, ">") {
		return ""
	}
	for i, l := range after[:min(len(after), 100)] {
		was = was || strings.Contains(l, "but was:<")
		if was && strings.HasSuffix(l, ">") {
			return "\n" + strings.Join(after[:i+1], "\n")
		}
		if strings.HasPrefix(l, "ASSERT:") {
			break
		}
	}
	return ""
}

func (s *shunitReader) end() {
	if !s.summed {
		return
	}
	failed := 0
	for test, passed := range s.passed {
		s.found.named(test, passed)
		if !passed {
			failed++
		}
	}
	s.found.tally.sum(s.ran, s.ran-failed, 0)
}
