package extract

import (
	"strings"
)

// A runner of many commands puts the name of one before each of its lines:
// "test-1  | " as Docker Compose does, "calc:test: " as Turborepo.
var runnerPrefix = pattern(`^(?:[\w.-]+ +\| |[@\w./-]+:[a-z][\w-]*: )`)

// minPrefixed is how many lines must bear a prefix before it is taken for one.
const minPrefixed = 4

// unprefixed takes the names of runners away, so that the commands' own tools
// recognise what they print.
func unprefixed(text string) string {
	if !strings.Contains(text, " | ") && !strings.Contains(text, ": ") {
		return text
	}
	count := map[string]int{}
	for line := range strings.Lines(text) {
		if p := runnerPrefix().FindString(line); p != "" && len(count) < maxPrefixes {
			count[p]++
		}
	}
	for p, n := range count {
		if n < minPrefixed {
			delete(count, p)
		}
	}
	if len(count) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		if p := runnerPrefix().FindString(line); count[p] > 0 {
			line = line[len(p):]
		}
		b.WriteString(line)
	}
	return b.String()
}

// maxPrefixes bounds the different prefixes that are counted.
const maxPrefixes = 1000
