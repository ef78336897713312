package extract

import (
	"strings"
)

// ava reads ava's default reporter: marks while the tests run, then each
// failure under its title, set apart by blank lines alone.
var ava = tool{
	name:  "ava",
	marks: []string{"✘ [fail]: ", "✖ [fail]: ", "✘ [", "9 test failed", "9 tests failed", "9 uncaught", "9 tests passed", "9 test passed"},
	read:  readAva,
}

var (
	avaMark  = pattern(`^\s+[✘✖] \[(?:fail|expected fail)\]: (.+)$`)
	avaTotal = pattern(`^  (\d+) tests? (failed|passed|skipped|todo)$`)
	avaLoad  = pattern(`^  (Uncaught exception|Unhandled rejection) in (\S+)$`)
	avaPlace = pattern(`^  (\S+):(\d+)$`)
	avaLine  = pattern(`^\s*(\d+): (.*)$`)
)

func readAva(p *page, f *found) {
	for _, lines := range p.streams {
		a := avaReader{lines: lines, found: f, failed: map[string]bool{}}
		a.read()
	}
}

type avaReader struct {
	lines  []string
	found  *found
	failed map[string]bool // titles as they stand behind the marks
	passed []string
	total  map[string]int
}

func (a *avaReader) read() {
	for i := 0; i < len(a.lines); {
		i = a.line(i)
	}
	if len(a.total) == 0 {
		return
	}
	for _, title := range a.passed {
		a.found.named(title, true)
	}
	passed := max(a.total["passed"], len(a.passed)) // it is told only if all passed
	a.found.tally.sum(passed+a.total["failed"], passed, a.total["skipped"]+a.total["todo"])
}

func (a *avaReader) line(i int) int {
	line := a.lines[i]
	if !strings.HasPrefix(line, "  ") {
		return i + 1
	}
	if m := avaMark().FindStringSubmatch(line); m != nil {
		a.failed[m[1]] = true
		return i + 1
	}
	if name, ok := strings.CutPrefix(line, "  ✔ "); ok {
		a.passed = append(a.passed, untimed(name))
		return i + 1
	}
	if m := avaTotal().FindStringSubmatch(line); m != nil {
		if a.total == nil {
			a.total = map[string]int{}
		}
		a.total[m[2]], _ = wholeNumber(m[1])
		return i + 1
	}
	if m := avaLoad().FindStringSubmatch(line); m != nil {
		return a.loading(i, place(m[2], strings.ToLower(m[1])))
	}
	if i > 0 && strings.TrimSpace(a.lines[i-1]) == "" && a.isTitle(line[2:]) {
		return a.failure(i, line[2:])
	}
	return i + 1
}

// isTitle: the marks name failed tests, perhaps with a message behind the
// title.
func (a *avaReader) isTitle(text string) bool {
	if a.failed[text] {
		return true
	}
	if strings.HasPrefix(text, " ") || len(a.failed) > maxFailures {
		return false
	}
	for title := range a.failed {
		if strings.HasPrefix(title, text+" ") {
			return true
		}
	}
	return false
}

// loading reads an error outside of any test.
func (a *avaReader) loading(i int, id string) int {
	body := until(a.lines, i+1, func(l string) bool {
		text := strings.TrimSpace(l)
		return text == "─" || strings.HasPrefix(text, "✘ ") || avaLoad().MatchString(l)
	})
	class, detail := avaReason(body)
	if _, _, _, ok := errorOf(strings.TrimSpace(firstLine(body))); ok {
		class, detail = jsError(body)
	}
	a.found.fail(id, class, detail)
	return i + 1 + len(body)
}

// failure reads the body from its title on: place, code and message. Three
// blank lines, or the next title, end it.
func (a *avaReader) failure(i int, title string) int {
	end, blank := i+1, 0
	for ; end < len(a.lines) && end-i < maxBody && blank < 2; end++ {
		if strings.TrimSpace(a.lines[end]) == "─" {
			break
		}
		if strings.TrimSpace(a.lines[end]) == "" {
			blank++
		} else {
			blank = 0
		}
	}
	class, detail := avaReason(a.lines[i+1 : end])
	a.found.named(title, false)
	a.found.fail(title, class, detail)
	return end
}

// avaReason keeps the line of code that the place names, then the message. An
// error that was thrown stands there twice; the second time with its name.
func avaReason(body []string) (class, detail string) {
	number, code := "", ""
	var kept []string
	class = "assertion"
	for i, line := range body {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		if m := avaPlace().FindStringSubmatch(line); m != nil && number == "" && sourceName(m[1]) {
			number = m[2]
			continue
		}
		if m := avaLine().FindStringSubmatch(line); m != nil && number != "" && len(kept) == 0 {
			if m[1] == number {
				code = uncut(m[2])
			}
			continue
		}
		if _, _, _, ok := errorOf(text); ok && i+1 < len(body) && isFrame(strings.TrimSpace(body[i+1])) {
			return jsError(body[i:])
		}
		kept = append(kept, text)
	}
	return class, strings.TrimSpace(code + "\n" + reason(kept))
}
