package extract

import (
	"strings"
)

// cargo reads the output of Rust's test harness.
var cargo = tool{
	name:  "cargo",
	marks: []string{"test result: ", "failures:", "running 9 test", "error: could not compile", "error: test failed"},
	read:  readCargo,
}

var (
	cargoSection = pattern(`^---- (.+) (?:stdout|stderr) ----$`)
	cargoTotal   = pattern(`^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;`)
	cargoLine    = pattern(` \(line \d+\)`)
	cargoSignal  = pattern(`\(signal: (\d+), SIG(\w+)`)
	rustPanic    = pattern(`^thread '(.*)'(?: \(\d+\))? panicked at (.+)$`)
	rustOldPanic = pattern(`^(?:'(.*)', )?(\S+?):\d+(?::\d+)?:?$`)
	rustOldStart = pattern(`^'(.*)$`)
	rustOldEnd   = pattern(`^(.*)', (\S+?):\d+:\d+$`)
)

func readCargo(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i < len(lines); {
			i = cargoStep(lines, i, f)
		}
	}
}

func cargoStep(lines []string, i int, f *found) int {
	line := lines[i]
	switch {
	case strings.HasPrefix(line, "---- "):
		if m := cargoSection().FindStringSubmatch(line); m != nil {
			return cargoFailure(lines, i+1, cargoName(m[1]), f)
		}
	case strings.HasPrefix(line, "test result: "):
		if m := cargoTotal().FindStringSubmatch(line); m != nil {
			passed, _ := wholeNumber(m[1])
			failed, _ := wholeNumber(m[2])
			ignored, _ := wholeNumber(m[3])
			f.tally.sum(passed+failed, passed, ignored)
		}
	case strings.HasPrefix(line, "test "):
		cargoResult(line, f)
	case strings.HasPrefix(line, "error: could not compile"):
		f.unbuilt = true
	case strings.HasPrefix(line, "  process didn't exit successfully"):
		if m := cargoSignal().FindStringSubmatch(line); m != nil {
			f.fail("", "signal:"+m[2], "")
		}
	}
	return i + 1
}

// cargoResult reads "test NAME ... ok".
func cargoResult(line string, f *found) {
	at := strings.LastIndex(line, " ... ")
	if at < len("test ") {
		return
	}
	name, word := cargoName(strings.TrimSuffix(line[len("test "):at], " - should panic")), line[at+len(" ... "):]
	if word == "FAILED" || word == "ok" || strings.HasPrefix(word, "ok ") {
		f.named(name, word != "FAILED")
	}
}

// cargoName drops the line from the name of a documentation test.
func cargoName(name string) string {
	if strings.Contains(name, "(line ") {
		return cargoLine().ReplaceAllString(name, "")
	}
	return name
}

// cargoFailure reads what a failed test printed: its panics, or else what
// looks like an error.
func cargoFailure(lines []string, i int, name string, f *found) int {
	body := until(lines, i, func(l string) bool { return l == "failures:" || cargoSection().MatchString(l) })
	panics := rustPanics(body, rustPanicEnd)
	if len(panics) == 0 {
		if detail := strings.Join(errorLines(body, f.masks), "\n"); detail != "" {
			f.fail(name, "fail", detail)
		} else {
			f.failBare(name, "fail", "")
		}
		return i + len(body)
	}
	var details []string
	for _, p := range panics {
		details = append(details, p.detail())
	}
	f.fail(name, panics[0].class(), strings.Join(details, "\n"))
	return i + len(body)
}

// A rustDeath is one panic: the file where it happened and what was said.
type rustDeath struct {
	thread, file string
	message      []string
}

func (p rustDeath) class() string {
	if len(p.message) > 0 && strings.HasPrefix(p.message[0], "assertion ") {
		return "assertion"
	}
	return "panic"
}

func (p rustDeath) detail() string { return strings.TrimSpace(p.file + "\n" + reason(p.message)) }

// rustPanics finds the panics in lines, of all versions: since 1.73 the
// message stands under the place, up to the line that end accepts; before that
// it stood in front of it.
func rustPanics(lines []string, end func(string) bool) (list []rustDeath) {
	for i := 0; i < len(lines); i++ {
		m := rustPanic().FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		p := rustDeath{thread: m[1]}
		if old := rustOldPanic().FindStringSubmatch(m[2]); old != nil && old[1] == "" {
			p.file = old[2]
			p.message = until(lines, i+1, end)
			i += len(p.message)
		} else if old != nil {
			p.message, p.file = []string{old[1]}, old[2]
		} else if start := rustOldStart().FindStringSubmatch(m[2]); start != nil {
			i = p.oldMessage(lines, i, start[1])
		}
		list = append(list, p)
	}
	return list
}

// maxOldMessage bounds the lines between a panic and its place.
const maxOldMessage = 100

// oldMessage reads a message of several lines in front of its place.
func (p *rustDeath) oldMessage(lines []string, i int, first string) int {
	p.message = []string{first}
	for k := i + 1; k < len(lines) && k-i < maxOldMessage && !strings.HasPrefix(lines[k], "thread '"); k++ {
		if end := rustOldEnd().FindStringSubmatch(lines[k]); end != nil {
			p.message = append(p.message, end[1])
			p.file = end[2]
			return k
		}
		p.message = append(p.message, lines[k])
	}
	return i
}

func rustPanicEnd(line string) bool {
	return strings.HasPrefix(line, "note: ") || strings.HasPrefix(line, "stack backtrace:") || rustPanic().MatchString(line)
}
