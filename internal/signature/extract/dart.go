package extract

import (
	"strings"
)

// dart reads the reporter of Dart and Flutter: each event begins with a clock
// and how many tests passed, were skipped and failed so far.
var dart = tool{
	name:  "dart",
	marks: []string{"9:9 +9", "══╡ EXCEPTION CAUGHT BY"},
	read:  readDart,
}

var (
	dartEvent = pattern(`^\d+:\d\d \+(\d+)(?: ~(\d+))?(?: -(\d+))?: (.*)$`)
	dartEnd   = pattern(`^(?:Some tests failed\.|All tests passed!|All tests skipped\.|No tests ran\.)$`)
)

func readDart(p *page, f *found) {
	for _, lines := range p.streams {
		var thrown []string
		for i, line := range lines {
			if strings.HasPrefix(line, "══╡ EXCEPTION CAUGHT BY") {
				thrown = until(lines, i+1, func(l string) bool {
					return strings.HasPrefix(l, "When the exception was thrown") || strings.HasPrefix(l, "════")
				})
				continue
			}
			m := dartEvent().FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if name, failed := strings.CutSuffix(m[4], " [E]"); failed {
				dartFailure(strings.TrimPrefix(name, "./"), lines[i+1:], thrown, f)
				thrown = nil
			}
			if dartEnd().MatchString(m[4]) {
				passed, _ := wholeNumber(m[1])
				skipped, _ := wholeNumber("0" + m[2])
				failed, _ := wholeNumber("0" + m[3])
				f.tally.sum(passed+failed, passed, skipped)
			}
		}
	}
}

// dartFailure reads what stands under a failed test; Flutter tells it in a
// frame of its own above.
func dartFailure(name string, below, thrown []string, f *found) {
	body := until(below, 0, func(l string) bool {
		return dartEvent().MatchString(l) || strings.HasPrefix(l, "To run this test again")
	})
	if len(thrown) > 0 {
		body = thrown
	}
	var kept []string
	class := "fail"
	for _, line := range body {
		text := strings.TrimSpace(line)
		if dartFrame().MatchString(text) {
			break
		}
		if m := dartThrown().FindStringSubmatch(text); m != nil {
			class = m[1]
		}
		kept = append(kept, text)
	}
	if detail := reason(kept); detail != "" {
		f.fail(name, class, detail)
		return
	}
	f.failBare(name, class, "")
}

var (
	dartFrame  = pattern(`^(?:#\d+ |(?:package|dart):\S+ .*|\S+\.dart \d+:\d+ )`)
	dartThrown = pattern(`^The following (\S+) was thrown `)
)
