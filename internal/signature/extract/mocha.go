package extract

import (
	"strings"
)

// mocha reads the reporters of mocha that end with a numbered list of
// failures.
var mocha = tool{
	name:  "mocha",
	marks: []string{"9 passing (", "9 failing", "Exception during run:"},
	read:  readMocha,
}

var (
	mochaNumber   = pattern(`^ {1,4}\d+\) (.*)$`)
	mochaLoadFail = "Exception during run: "
)

func readMocha(p *page, f *found) {
	for _, lines := range p.streams {
		m := mochaReader{lines: lines, found: f}
		for i := 0; i < len(lines); {
			i = m.line(i)
		}
		m.sum()
	}
}

type mochaReader struct {
	lines   []string
	found   *found
	suites  []string
	failing bool // past "N failing"
	passed  int
	pending int
	failed  int
	summary bool
}

func (m *mochaReader) line(i int) int {
	line := m.lines[i]
	if at := strings.Index(line, mochaLoadFail); at >= 0 && strings.TrimSpace(line[:at]) == "" {
		return m.loading(i, line[at+len(mochaLoadFail):])
	}
	if !strings.HasPrefix(line, " ") {
		return i + 1
	}
	switch word, n := mochaCount(line); {
	case word == "passing":
		m.summary, m.passed = true, n
	case word == "pending" && m.summary:
		m.pending = n
	case word == "failing" && m.summary:
		m.failing, m.failed = true, n
	case m.failing && mochaNumber().MatchString(line):
		return m.failure(i)
	case !m.summary:
		m.tree(line)
	}
	return i + 1
}

// mochaCount reads "  3 passing (36ms)".
func mochaCount(line string) (word string, n int) {
	text := strings.TrimLeft(line, " ")
	digits := countDigits(text)
	if digits == 0 || digits > 9 {
		return "", 0
	}
	n, _ = wholeNumber(text[:digits])
	word, time, _ := strings.Cut(strings.TrimPrefix(text[digits:], " "), " ")
	if time != "" && !strings.HasPrefix(time, "(") {
		return "", 0
	}
	return word, n
}

func isMochaTotal(line string) bool {
	word, _ := mochaCount(line)
	return word == "passing"
}

// tree follows the running list: suites by indent, tests by their marks.
func (m *mochaReader) tree(line string) {
	depth := indent(line)/2 - 1
	text := strings.TrimSpace(line)
	mark, name, _ := strings.Cut(text, " ")
	passed := mark == "✔" || mark == "✓" || mark == "√"
	n := countDigits(mark)
	switch {
	case text == "" || depth < 0 || depth >= maxDepth:
	case passed || n > 0 && mark[n:] == ")":
		parts := append(m.suites[:min(depth, len(m.suites)):len(m.suites)], untimed(name))
		m.found.named(place(parts...), passed)
	case depth <= len(m.suites):
		m.suites = append(m.suites[:depth:depth], text)
	}
}

func (m *mochaReader) sum() {
	if m.summary {
		m.found.tally.sum(m.passed+m.failed, m.passed, m.pending)
	}
}

// failure reads one entry: the titles, one line each and each further to the
// right, the last with a colon; then the error.
func (m *mochaReader) failure(i int) int {
	titles := []string{mochaNumber().FindStringSubmatch(m.lines[i])[1]}
	i++
	for depth := indent(m.lines[i-1]); !strings.HasSuffix(titles[len(titles)-1], ":") && i < len(m.lines); i++ {
		if strings.TrimSpace(m.lines[i]) == "" || indent(m.lines[i]) <= depth || len(titles) > maxDepth {
			break
		}
		titles = append(titles, strings.TrimSpace(m.lines[i]))
	}
	titles[len(titles)-1] = strings.TrimSuffix(titles[len(titles)-1], ":")
	body := until(m.lines, i, mochaNumber().MatchString)
	body = body[:mochaEnd(body)]
	class, detail := jsError(body)
	m.found.fail(place(titles...), class, detail)
	return i + len(body)
}

// mochaEnd finds the end of the last error: an unindented line after its
// stack.
func mochaEnd(body []string) int {
	stack := false
	for i, line := range body {
		if isFrame(strings.TrimSpace(line)) {
			stack = true
		} else if stack && line != "" && indent(line) == 0 {
			return i
		}
	}
	return len(body)
}

// loading reads the error of a file that could not be loaded.
func (m *mochaReader) loading(i int, first string) int {
	body := append([]string{first}, until(m.lines, i+1, isMochaTotal)...)
	c := readNodeCrash(body)
	m.found.fail(c.file, c.class, c.detail)
	return i + len(body)
}
