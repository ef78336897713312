package extract

import (
	"strings"
)

// vitest reads the list of failed tests that all of its reporters end with.
var vitest = tool{
	name:  "vitest",
	marks: []string{"⎯", "Test Files ", "RUN  v", "No test files found"},
	read:  readVitest,
}

var (
	vitestHead    = pattern(`^ ?(?:❯ )?FAIL  (.+)$`)
	vitestSuite   = pattern(`^(.+?) \[ .* \]$`)
	vitestProject = pattern(`^\|[^|]*\| `)
	vitestRule    = pattern(`^ ?⎯{3,}`)
	vitestTotal   = pattern(`^\s+Tests  (.*)$`)
	vitestLoose   = pattern(`⎯ Unhandled (.+?) ⎯`)
)

func readVitest(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i < len(lines); {
			i = vitestLine(lines, i, f)
		}
	}
}

func vitestLine(lines []string, i int, f *found) int {
	line := lines[i]
	switch {
	case strings.HasPrefix(line, " FAIL  ") || strings.HasPrefix(line, " ❯ FAIL  "):
		return vitestFailure(lines, i, f)
	case strings.Contains(line, "⎯ Unhandled "):
		if m := vitestLoose().FindStringSubmatch(line); m != nil && m[1] != "Errors" {
			return vitestUnhandled(lines, i, m[1], f)
		}
	case strings.HasPrefix(line, "No test files found"):
		f.tally.sum(0, 0, 0)
		f.fail("", "no tests", "No test files found")
	case strings.Contains(line, "Tests  "):
		if m := vitestTotal().FindStringSubmatch(line); m != nil {
			n := numbered(m[1])
			f.tally.sum(n["passed"]+n["failed"], n["passed"], n["skipped"]+n["todo"])
		}
	case strings.Contains(line, " > "):
		mark, name, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		if mark == "✓" || mark == "×" {
			f.named(untimed(name), mark == "✓")
		}
	}
	return i + 1
}

// vitestFailure reads the heads that share one error, and the error.
func vitestFailure(lines []string, i int, f *found) int {
	var ids []string
	for ; i < len(lines); i++ {
		m := vitestHead().FindStringSubmatch(lines[i])
		if m == nil {
			break
		}
		id := vitestProject().ReplaceAllString(m[1], "")
		if s := vitestSuite().FindStringSubmatch(id); s != nil {
			id = s[1]
		}
		ids = append(ids, id)
	}
	body := until(lines, i, func(l string) bool { return vitestRule().MatchString(l) || vitestHead().MatchString(l) })
	class, detail := vitestReason(body)
	for _, id := range ids {
		f.fail(id, class, detail)
	}
	return i + len(body)
}

func vitestUnhandled(lines []string, i int, what string, f *found) int {
	body := until(lines, i+1, func(l string) bool { return vitestRule().MatchString(l) || vitestHead().MatchString(l) })
	class, detail := vitestReason(body)
	f.fail("unhandled "+strings.ToLower(what), class, detail)
	return i + 1 + len(body)
}

// vitestReason reads an error up to its first frame and adds the line of code
// under it that the caret points at.
func vitestReason(body []string) (class, detail string) {
	end := 0
	for end < len(body) && !vitestFrame(body[end]) {
		end++
	}
	class, detail = jsError(withoutListing(body[:end]))
	if code := pointedAt(body[end:]); code != "" {
		detail += "\n" + code
	}
	return class, detail
}

func vitestFrame(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "❯ ") }

var listed = pattern(`^\s*\d+: `)

// withoutListing leaves out the lines of a numbered listing of code, "3: x = 1",
// if a caret shows that it is one; the line that the caret points at stays.
func withoutListing(lines []string) []string {
	caret := -1
	for i, line := range lines {
		if i > 0 && isCaret(strings.TrimSpace(line)) && listed().MatchString(lines[i-1]) {
			caret = i
		}
	}
	if caret < 0 {
		return lines
	}
	var kept []string
	for i, line := range lines {
		if at := listed().FindString(line); at != "" {
			if i != caret-1 {
				continue
			}
			line = line[len(at):]
		}
		kept = append(kept, line)
	}
	return kept
}
