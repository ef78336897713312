package extract

import (
	"strings"
)

// ctest reads CMake's test driver: its list of failed tests. The reasons are
// those of the tests themselves, where their output is shown.
var ctest = tool{
	name:  "ctest",
	marks: []string{"Test project ", "The following tests FAILED:", "9/9 Test "},
	read:  readCTest,
}

var (
	ctestFailed = pattern(`^\s+\d+ - (\S.*?) \(([^()]+)\)`)
	ctestTotal  = pattern(`^\d+% tests passed, (\d+) tests? failed out of (\d+)$`)
	ctestResult = pattern(`^ *\d+/\d+ Test +#\d+: (\S+) \.+ *(\*\*\*\S|Passed)`)
)

func readCTest(p *page, f *found) {
	for _, lines := range p.streams {
		listing := false
		for _, line := range lines {
			if listing {
				m := ctestFailed().FindStringSubmatch(line)
				if listing = m != nil; listing {
					failCTest(m[1], m[2], f)
				}
				continue
			}
			listing = line == "The following tests FAILED:"
			ctestNumbers(line, f)
		}
	}
}

func ctestNumbers(line string, f *found) {
	switch {
	case strings.Contains(line, " tests passed, "):
		if m := ctestTotal().FindStringSubmatch(line); m != nil {
			failed, _ := wholeNumber(m[1])
			run, _ := wholeNumber(m[2])
			f.tally.sum(run, run-failed, 0)
		}
	case strings.Contains(line, " Test "):
		if m := ctestResult().FindStringSubmatch(line); m != nil {
			f.named(m[1], m[2] == "Passed")
		}
	case line == "No tests were found!!!":
		f.tally.sum(0, 0, 0)
	}
}

func failCTest(name, how string, f *found) {
	switch how {
	case "SEGFAULT":
		f.fail(name, "signal:SEGV", "")
	case "Timeout":
		f.fail(name, "timeout", "")
	case "Failed":
		f.failBare(name, "fail", "")
	default:
		f.fail(name, how, "")
	}
}

// withoutTestNumbers takes away what ctest -V puts before each line of a
// test's output, so that the tests' own tools recognise it.
func withoutTestNumbers(text string) string {
	if !strings.Contains(text, "\nConstructing a list of tests\n") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if n := countDigits(line); n > 0 && strings.HasPrefix(line[n:], ": ") {
			line = line[n+2:]
		}
		b.WriteString(line)
	}
	return b.String()
}
