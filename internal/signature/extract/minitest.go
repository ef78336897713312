package extract

import (
	"strings"
)

// minitest reads Minitest and what Rails makes of it.
var minitest = tool{
	name:  "minitest",
	marks: []string{"9 runs, 9 assertion", "9 run, 9 assertion", "9 tests, 9 assertion"},
	read:  readMinitest,
}

var (
	miniNumber = pattern(`^(?: +\d+\) )?(Failure|Error|Skipped):$`)
	miniTest   = pattern(`^(\S.*#\S.*?)(?: \[(.+?)(?::\d+)?\])?:?$`)
	miniTotal  = pattern(`^(\d+) (?:runs?|tests?), \d+ assertions?, (\d+) failures?, (\d+) errors?, (\d+) skips?`)
	miniRan    = pattern(`^(\S+#\S.*) = [\d.]+ s = ([.FES])$`)
	miniEnd    = pattern(`^(?:bin/)?rails test \S+$|^rake test `)
)

func readMinitest(p *page, f *found) {
	for _, lines := range p.streams {
		g := &found{masks: f.masks}
		total := false
		for i := 0; i < len(lines); {
			if m := miniTotal().FindStringSubmatch(lines[i]); m != nil {
				total = true
				miniSum(m, g)
			}
			i = miniLine(lines, i, g)
		}
		if total {
			f.add(g)
		}
	}
}

func miniSum(m []string, f *found) {
	var n [4]int
	for k := range n {
		n[k], _ = wholeNumber(m[k+1])
	}
	f.tally.sum(n[0]-n[3], n[0]-n[1]-n[2]-n[3], n[3])
}

func miniLine(lines []string, i int, f *found) int {
	line := lines[i]
	if strings.Contains(line, " s = ") {
		if m := miniRan().FindStringSubmatch(line); m != nil && m[2] != "S" {
			f.named(m[1], m[2] == ".")
		}
	}
	if !strings.HasSuffix(line, ":") || i+1 >= len(lines) {
		return i + 1
	}
	kind := miniNumber().FindStringSubmatch(line)
	test := miniTest().FindStringSubmatch(lines[i+1])
	if kind == nil || test == nil {
		return i + 1
	}
	body := until(lines, i+2, func(l string) bool {
		return miniNumber().MatchString(l) || miniTotal().MatchString(l) || miniEnd().MatchString(l)
	})
	switch kind[1] {
	case "Failure":
		f.fail(place(test[2], test[1]), "Minitest::Assertion", reason(body))
	case "Error":
		miniError(test[1], body, f)
	}
	return i + 2 + len(body)
}

// miniError reads an exception: its name and message, then perhaps the line of
// code that raised it.
func miniError(test string, body []string, f *found) {
	class, detail := "Error", reason(body)
	if name, rest, ok := strings.Cut(firstLine(body), ": "); ok && !strings.Contains(name, " ") {
		class, detail = name, reason(append([]string{rest}, body[1:]...))
	}
	f.fail(test, class, detail)
}
