package extract

import (
	"strings"
)

// nodeSpec reads the spec reporter of node --test: a tree of tests while they
// run, then the failed ones once more with the file of each.
var nodeSpec = tool{
	name:  "node",
	marks: []string{"✖ failing tests:", "ℹ tests 9", "ℹ fail 9", "ℹ pass 9"},
	read:  readNodeSpec,
}

var (
	specAt      = pattern(`^test at (.+?):\d+:\d+$`)
	specNumbers = pattern(`^ℹ (tests|pass|fail|skipped|todo|cancelled) (\d+)$`)
)

func readNodeSpec(p *page, f *found) {
	for _, lines := range p.streams {
		if contains(lines, "ℹ tests ") {
			s := specReader{lines: lines, found: f, numbers: map[string]int{}}
			s.read()
		}
	}
}

// A specTest is one failed test of the tree or of the list.
type specTest struct {
	file  string // only in the list
	suite []string
	name  string
	body  []string
}

type specReader struct {
	lines   []string
	found   *found
	suites  []string // names by depth
	tree    []specTest
	list    []specTest
	numbers map[string]int
}

func (s *specReader) read() {
	listing, file := false, ""
	for i := 0; i < len(s.lines); i++ {
		line := strings.TrimSpace(s.lines[i])
		switch {
		case line == "✖ failing tests:":
			listing = true
		case strings.HasPrefix(line, "✖ ") && listing:
			s.list = append(s.list, specTest{file: file, name: specName(line), body: s.body(i)})
		case strings.HasPrefix(line, "ℹ "):
			if m := specNumbers().FindStringSubmatch(line); m != nil {
				s.numbers[m[1]], _ = wholeNumber(m[2])
			}
		case listing && strings.HasPrefix(line, "test at "):
			if m := specAt().FindStringSubmatch(line); m != nil {
				file = m[1]
			}
		case !listing:
			s.treeLine(i, line)
		}
	}
	s.report()
}

func (s *specReader) treeLine(i int, line string) {
	depth := indent(s.lines[i]) / 2
	switch {
	case strings.HasPrefix(line, "▶ "):
		if depth <= len(s.suites) && depth < maxDepth {
			s.suites = append(s.suites[:depth:depth], specName(line))
		}
	case s.endsSuite(depth, line):
		s.suites = s.suites[:depth]
	case strings.HasPrefix(line, "✖ "):
		suite := s.suites[:min(depth, len(s.suites)):len(s.suites)]
		s.tree = append(s.tree, specTest{suite: suite, name: specName(line), body: s.body(i)})
	case strings.HasPrefix(line, "✔ "):
		suite := s.suites[:min(depth, len(s.suites))]
		s.found.test(place(append(suite[:len(suite):len(suite)], specName(line))...), true)
	}
}

// endsSuite: a suite is named once more after its tests.
func (s *specReader) endsSuite(depth int, line string) bool {
	return depth < len(s.suites) && strings.HasPrefix(line, "✔ ") && s.suites[depth] == specName(line)
}

func (s *specReader) body(i int) []string { return block(s.lines, i+1, indent(s.lines[i])+2) }

func specName(line string) string {
	_, name, _ := strings.Cut(line, " ")
	if at := strings.LastIndex(name, ") # "); at > 0 {
		name = name[:at+1] // a directive
	}
	return untimed(name)
}

// report takes the failures of the list, with the suites that the tree has for
// them; newer versions give the reasons only there, older ones no list.
func (s *specReader) report() {
	failed := s.list
	if len(failed) == 0 {
		failed = s.tree
	}
	inFile := map[string]bool{} // files with a failure besides "test failed"
	byName := map[string][]specTest{}
	for _, t := range s.tree {
		byName[t.name] = append(byName[t.name], t)
	}
	for i := range failed {
		t := &failed[i]
		if same := byName[t.name]; len(same) > 0 {
			t.suite, byName[t.name] = same[0].suite, same[1:]
			if len(t.body) == 0 {
				t.body = same[0].body
			}
		}
		inFile[t.file] = inFile[t.file] || !t.isFile()
	}
	for _, t := range failed {
		s.fail(t, inFile[t.file])
	}
	if tests, ok := s.numbers["tests"]; ok {
		s.found.tally.sum(tests-s.numbers["skipped"]-s.numbers["todo"], s.numbers["pass"], s.numbers["skipped"])
	}
}

// isFile: the failure of a file as a whole, which says nothing of its own.
func (t *specTest) isFile() bool {
	return len(t.body) == 1 && strings.TrimSpace(t.body[0]) == "'test failed'"
}

func (s *specReader) fail(t specTest, others bool) {
	if t.isFile() {
		if !others {
			s.found.failBare(t.name, "fail", fileFailed)
		}
		return
	}
	class, detail := jsError(t.body)
	if subtestsFailed().MatchString(strings.Trim(detail, "'")) {
		return
	}
	id := place(append(append([]string{t.file}, t.suite...), t.name)...)
	s.found.test(place(append(t.suite[:len(t.suite):len(t.suite)], t.name)...), false)
	if detail == "" {
		s.found.failBare(id, class, "")
		return
	}
	s.found.fail(id, class, detail)
}
