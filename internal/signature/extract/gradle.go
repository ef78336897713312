package extract

import (
	"strings"
)

// gradle reads the test events that Gradle prints, and what went wrong where
// no test failed.
var gradle = tool{
	name:  "gradle",
	marks: []string{"> Task :", "FAILURE: Build failed", "FAILURE: Build completed", "* What went wrong:"},
	read:  readGradle,
}

var (
	gradleTest  = pattern(`^(\S.* > .+?) (FAILED|PASSED|SKIPPED)$`)
	gradleTotal = pattern(`^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$`)
)

func readGradle(p *page, f *found) {
	wrong := &found{masks: f.masks}
	for _, lines := range p.streams {
		for i, line := range lines {
			switch {
			case line == "* What went wrong:":
				body := until(lines, i+1, func(l string) bool { return l == "" || strings.HasPrefix(l, "* ") })
				wrong.fail("", "gradle", reason(body))
			case strings.Contains(line, " tests completed") || strings.HasPrefix(line, "1 test completed"):
				if m := gradleTotal().FindStringSubmatch(line); m != nil {
					gradleSum(m, f)
				}
			case strings.HasSuffix(line, "ED") && !strings.HasPrefix(line, "> Task "):
				if m := gradleTest().FindStringSubmatch(line); m != nil {
					gradleEvent(lines, i, m, f)
				}
			}
		}
	}
	if f.none() && !wrong.none() {
		f.add(wrong)
		f.unbuilt = true
	}
}

func gradleSum(m []string, f *found) {
	run, _ := wholeNumber(m[1])
	failed, _ := wholeNumber(m[2])
	skipped, _ := wholeNumber(m[3])
	f.tally.sum(run-skipped, run-skipped-failed, skipped)
}

func gradleEvent(lines []string, i int, m []string, f *found) {
	switch m[2] {
	case "PASSED":
		f.named(m[1], true)
	case "FAILED":
		f.named(m[1], false)
		class, detail := javaReason(block(lines, i+1, 4))
		if detail == "" {
			f.failBare(m[1], class, "")
			return
		}
		f.fail(m[1], class, detail)
	}
}
