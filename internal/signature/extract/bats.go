package extract

import (
	"strings"
)

// bats reads the pretty form of bats; its TAP form goes through tap and gives
// the same failures.
var bats = tool{
	name:  "bats",
	marks: []string{"✗ ", "✓ "},
	read:  readBats,
}

var (
	batsResult = pattern(`^ ([✗✓-]) (.+?)(?: \[\d+\])?$`)
	batsPlace  = pattern(`in (?:test )?file (\S+), line \d+\)?,?$`)
	batsFailed = pattern("^`(.*)' failed(?: with status (\\d+))?$")
	batsTotal  = pattern(`^(\d+) tests?, (\d+) failures?(?:, (\d+) skipped)?`)
)

func readBats(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i < len(lines); i++ {
			line := lines[i]
			if countDigits(line) > 0 {
				batsSum(line, f)
				continue
			}
			if !strings.HasPrefix(line, " ✗ ") && !strings.HasPrefix(line, " ✓ ") {
				continue
			}
			m := batsResult().FindStringSubmatch(line)
			body := until(lines, i+1, func(l string) bool { return !strings.HasPrefix(l, "   ") })
			if file, detail, ok := batsReason(body); ok && m[1] == "✗" {
				f.fail(place(file, m[2]), "fail", detail)
				i += len(body)
			}
		}
	}
}

func batsSum(line string, f *found) {
	if m := batsTotal().FindStringSubmatch(line); m != nil {
		run, _ := wholeNumber(m[1])
		failed, _ := wholeNumber(m[2])
		skipped, _ := wholeNumber(m[3])
		f.tally.sum(run-skipped, run-skipped-failed, skipped)
	}
}

// batsReason reads what bats says of a failed test: where it failed, the
// command that failed, and what the test printed. Of the last only lines that
// look like errors are kept, and the blocks of bats-assert.
func batsReason(lines []string) (file, detail string, ok bool) {
	var kept []string
	asserted := false
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if m := batsPlace().FindStringSubmatch(line); m != nil && (ok || strings.HasPrefix(line, "(")) {
			file, ok = m[1], true // the last is the test's own file
			continue
		}
		switch {
		case batsFailed().MatchString(line):
			kept = append(kept, line)
		case line == "--":
			asserted = false
		case strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --"):
			asserted = true
			kept = append(kept, line)
		case asserted || looksLikeError(line):
			kept = append(kept, line)
		}
	}
	return strings.TrimPrefix(file, "./"), reason(kept), ok
}
