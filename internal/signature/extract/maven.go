package extract

import (
	"strings"
)

// maven reads what Surefire and Failsafe print of failed tests, and the
// compiler's errors as Maven shows them.
var maven = tool{
	name:  "maven",
	marks: []string{"[ERROR] ", "[INFO] ", "Tests run: 9"},
	read:  readMaven,
}

var (
	mavenHead    = pattern(`^(?:\[ERROR\] )?(\S.*?)(?: --)? +Time elapsed: .* <<< (FAILURE|ERROR)!`)
	mavenOld     = pattern(`^(.+?)\(([\w.$]+)\)$`)
	mavenTotal   = pattern(`^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$`)
	mavenCompile = pattern(`^\[ERROR\] (\S+\.(?:java|kt|scala|groovy)):(?:\[\d+,\d+\]|\d+:) (.*)$`)
	mavenGoal    = pattern(`^\[ERROR\] ((?:Failed to execute goal|The build could not read|Non-resolvable|Plugin|Could not resolve) .*)$`)
	javaThrown   = pattern(`^(?:Caused by: )?((?:[\w$]+\.)+[\w$]+)(?::(?: (.*))?)?$`)
)

func readMaven(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i < len(lines); {
			i = mavenLine(lines, i, f)
		}
	}
	if f.none() {
		mavenGoals(p, f)
	}
}

func mavenLine(lines []string, i int, f *found) int {
	line := lines[i]
	switch {
	case strings.Contains(line, " <<< "):
		if m := mavenHead().FindStringSubmatch(line); m != nil && !strings.Contains(line, "Tests run:") {
			return mavenFailure(lines, i+1, m[1], f)
		}
	case strings.Contains(line, "Tests run: "):
		if m := mavenTotal().FindStringSubmatch(line); m != nil {
			var n [4]int
			for k := range n {
				n[k], _ = wholeNumber(m[k+1])
			}
			f.tally.sum(n[0]-n[3], n[0]-n[1]-n[2]-n[3], n[3])
		}
	case strings.HasPrefix(line, "[ERROR] "):
		if m := mavenCompile().FindStringSubmatch(line); m != nil {
			more := until(lines, i+1, func(l string) bool { return !strings.HasPrefix(l, "  ") && !strings.HasPrefix(l, "[ERROR]   ") })
			f.fail(m[1], "javac", reason(append([]string{m[2]}, withoutPrefix(more, "[ERROR]")...)))
			return i + 1 + len(more)
		}
	}
	return i + 1
}

func withoutPrefix(lines []string, prefix string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimPrefix(l, prefix)
	}
	return out
}

// mavenFailure reads the exception under the head of a failed test.
func mavenFailure(lines []string, i int, test string, f *found) int {
	if m := mavenOld().FindStringSubmatch(test); m != nil {
		test = m[2] + "." + m[1]
	}
	body := javaBody(lines, i, func(l string) bool { return strings.HasPrefix(l, "[") || strings.Contains(l, " <<< ") })
	class, detail := javaReason(body)
	f.named(test, false)
	f.fail(test, class, detail)
	return i + len(body)
}

// javaBody gives the lines of an exception: a message, which may hold blank
// lines, then a stack and its causes up to the first line that is none of it.
func javaBody(lines []string, i int, stop func(string) bool) []string {
	stack := false
	return until(lines, i, func(l string) bool {
		if isFrame(strings.TrimSpace(l)) {
			stack = true
			return false
		}
		return stop(l) || stack && !strings.HasPrefix(l, "Caused by: ") && !strings.HasPrefix(l, "\t")
	})
}

// javaReason reads a Java exception: its class, its message, and the causes.
func javaReason(body []string) (class, detail string) {
	class = "fail"
	var kept []string
	for i, line := range body {
		if m := javaThrown().FindStringSubmatch(strings.TrimSpace(line)); m != nil && i == 0 {
			class = m[1]
			kept = append(kept, m[2])
			continue
		}
		kept = append(kept, line)
	}
	return class, reason(kept)
}

// mavenGoals takes the sentence with which a build ends that failed for
// another reason.
func mavenGoals(p *page, f *found) {
	for _, lines := range p.streams {
		for _, line := range lines {
			if strings.HasPrefix(line, "[ERROR] ") {
				if m := mavenGoal().FindStringSubmatch(line); m != nil {
					f.fail("", "maven", m[1])
				}
			}
		}
	}
}
