package extract

import (
	"strings"
)

// jest reads jest's default and verbose reporters. "FAIL path" alone is not
// its mark: others print that too; the bullet before a failed test is.
var jest = tool{
	name:  "jest",
	marks: []string{"● ", "Test Suites: "},
	read:  readJest,
}

var (
	jestFile = pattern(`^ ?(FAIL|PASS) +(?:\S+ )*?(\S+)(?: \([\d.]+ m?s\))?$`)
)

// jestAside are blocks with the bullet of a failure that are none.
var jestAside = setOf("Console Deprecation Validation Multiple")

func readJest(p *page, f *found) {
	for _, lines := range p.streams {
		j := jestReader{lines: lines, found: f}
		j.read()
	}
}

type jestReader struct {
	lines  []string
	found  *found
	file   string
	suites []string // describe blocks by depth, of the tree under a file
}

func (j *jestReader) read() {
	for i := 0; i < len(j.lines); i++ {
		line := j.lines[i]
		switch {
		case strings.HasPrefix(line, "  ● "):
			i = j.failure(i)
		case strings.HasPrefix(line, "● "):
			i = j.complaint(i)
		case strings.HasPrefix(line, "Tests: "):
			n := numbered(line)
			j.found.tally.sum(n["passed"]+n["failed"], n["passed"], n["skipped"]+n["todo"])
		case strings.HasPrefix(line, "FAIL ") || strings.HasPrefix(line, "PASS ") || strings.HasPrefix(line, " FAIL ") || strings.HasPrefix(line, " PASS "):
			if m := jestFile().FindStringSubmatch(line); m != nil {
				j.file, j.suites = m[2], nil
			}
		case strings.HasPrefix(line, "  ") && j.file != "":
			j.tree(line)
		default:
			j.suites = nil
		}
	}
}

// tree follows the results under a file: describe blocks by indent, tests by
// their marks.
func (j *jestReader) tree(line string) {
	depth := indent(line)/2 - 1
	text := strings.TrimSpace(line)
	mark, name, _ := strings.Cut(text, " ")
	switch mark {
	case "✓", "√":
		j.found.named(j.id(depth, name), true)
	case "✕", "×":
		j.found.named(j.id(depth, name), false)
	case "○", "✎":
	default:
		if depth <= len(j.suites) && depth < maxDepth {
			j.suites = append(j.suites[:depth:depth], text)
		}
	}
}

func (j *jestReader) id(depth int, name string) string {
	parts := append([]string{j.file}, j.suites[:min(depth, len(j.suites))]...)
	return place(append(parts, untimed(name))...)
}

// failure reads one block from its bullet on.
func (j *jestReader) failure(i int) int {
	title := strings.TrimPrefix(j.lines[i], "  ● ")
	body := jestBody(j.lines, i+1)
	word, _, _ := strings.Cut(title, " ")
	if j.file == "" || jestAside[word] && !strings.Contains(title, " › ") {
		return i + len(body)
	}
	id := place(append([]string{j.file}, strings.Split(title, " › ")...)...)
	class, detail := jestReason(body)
	if detail == "" {
		j.found.failBare(id, class, "")
	} else {
		j.found.fail(id, class, detail)
	}
	return i + len(body)
}

// jestBody gives the lines of a block: those that are indented by four at
// least.
func jestBody(lines []string, i int) []string { return block(lines, i, 4) }

// complaint reads what jest says of its configuration.
func (j *jestReader) complaint(i int) int {
	title := strings.TrimPrefix(j.lines[i], "● ")
	body := until(j.lines, i+1, func(l string) bool { return l != "" && !strings.HasPrefix(l, "  ") })
	if strings.HasSuffix(title, "Error:") {
		j.found.fail("", strings.TrimSuffix(title, ":"), reason(body))
	}
	return i + len(body)
}

// jestReason reads the message of a block and adds the line of code that it
// points at. A matcher names no error; its own line is the message.
func jestReason(body []string) (class, detail string) {
	message := body
	for i, line := range body {
		text := strings.TrimSpace(line)
		if text == "Details:" {
			message = body[i+1:]
		}
	}
	end := 0
	for end < len(message) && !jestCode(message[end]) && !isFrame(strings.TrimSpace(message[end])) {
		end++
	}
	code := pointedAt(message[end:])
	message = message[:end]
	head := strings.TrimPrefix(strings.TrimSpace(firstLine(message)), "Error: ")
	if strings.HasPrefix(head, "expect(") {
		message = append([]string{head}, afterFirst(message)...)
	} else {
		head = strings.TrimSpace(firstLine(message))
	}
	switch _, _, _, ok := errorOf(head); {
	case strings.HasPrefix(head, "expect("):
		class, detail = "assertion", reason(message)
	case ok:
		class, detail = jsError(message)
	default:
		class, detail = "Error", reason(message)
	}
	if code != "" && detail != "" {
		detail += "\n" + code
	}
	return class, detail
}

func jestCode(line string) bool {
	text := strings.TrimSpace(line)
	return isCode(text) && indent(line) >= 4
}

// afterFirst gives the lines after the first that is not blank.
func afterFirst(lines []string) []string {
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			return lines[i+1:]
		}
	}
	return nil
}

func firstLine(lines []string) string {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return l
		}
	}
	return ""
}
