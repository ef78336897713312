package extract

import (
	"strings"
)

// What an unknown tool says of a failure stands near the line that names it.
const (
	maxUnder = 8  // lines under a line that looks like an error
	maxNear  = 16 // lines in which values and differences are looked for
)

var (
	// A value is a line that gives one of the two that were compared.
	valueLine = pattern(`(?i)^\W*(?:actual|expected|received|got|found|left|right|want(?:ed)?|but was|returned|passed in|value|result)\b\W*[:=<\x60'"\d]`)
	diffLine  = pattern(`^\s*[-+]\s*[^\s+-]`)

	// What passed says nothing of the failure, and comes and goes.
	passedLine = pattern(`(?i)^\W*(?:ok|pass|passed|skip|skipped)\b|\b(?:ok|passed|skipped)\b(?: *[(\[<].*)?\W*$|^\s*[✓✔√●◇]`)
	crossLine  = pattern(`^\s*[✗✘✖×⨯❌]\s*\S`)
	ruleLine   = pattern(`^[\s=_*~.─━═⎯│┌┐└┘╡╞┃-]*$`)
	codeLine   = pattern(`^\s*(?:([>➜→❯])\s*)?\d+\s*[|▕│] ?(.*)$`)
	colonFrame = pattern(`^\S+:\d+:\d+: (?:0x|<addr>)\S* in `)
)

// inContext gives the lines that look like errors, those of the same block that
// follow, and values and differences near them. Of a piece of code only the
// line that is pointed at is kept, since all its lines move with every edit.
func inContext(lines []string) []string {
	var kept []string
	under, near := 0, 0
	for _, line := range lines {
		under, near = under-1, near-1
		text := strings.TrimSpace(line)
		if text == "" {
			under = 0
		}
		if m := codeLine().FindStringSubmatch(line); m != nil {
			if line = m[2]; m[1] == "" {
				continue
			}
		} else if ruleLine().MatchString(line) || isFrame(text) || isCaret(text) || colonFrame().MatchString(text) {
			continue
		}
		switch {
		case isWrapper(text):
			under = 0
		case strings.HasPrefix(text, "↳"): // a rate, which differs each time
			continue
		case looksLikeError(line), crossLine().MatchString(line):
			under, near = maxUnder, maxNear
		case passedLine().MatchString(line):
			continue
		case valueLine().MatchString(line), under > 0, near > 0 && diffLine().MatchString(line):
		default:
			continue
		}
		kept = append(kept, line)
	}
	return kept
}
