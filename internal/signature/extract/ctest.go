package extract

import (
	"regexp"
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
	ctestFailed = regexp.MustCompile(`^\s+\d+ - (\S.*?) \(([^()]+)\)`)
	ctestTotal  = regexp.MustCompile(`^\d+% tests passed, (\d+) tests? failed out of (\d+)$`)
	ctestResult = regexp.MustCompile(`^ *\d+/\d+ Test +#\d+: (\S+) \.+ *(\*\*\*\S|Passed)`)
)

func readCTest(p *page, f *found) {
	for _, lines := range p.streams {
		listing := false
		for _, line := range lines {
			switch {
			case line == "The following tests FAILED:":
				listing = true
			case listing:
				if m := ctestFailed.FindStringSubmatch(line); m != nil {
					f.failCTest(m[1], m[2])
				} else {
					listing = false
				}
			case strings.Contains(line, " tests passed, "):
				if m := ctestTotal.FindStringSubmatch(line); m != nil {
					failed, _ := wholeNumber(m[1])
					run, _ := wholeNumber(m[2])
					f.tally.sum(run, run-failed, 0)
				}
			case strings.Contains(line, " Test "):
				if m := ctestResult.FindStringSubmatch(line); m != nil {
					f.tally.id(f.mask(m[1]), m[2] == "Passed")
				}
			}
		}
		if contains(lines, "No tests were found!!!") {
			f.tally.sum(0, 0, 0)
		}
	}
}

func (f *found) failCTest(name, how string) {
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
