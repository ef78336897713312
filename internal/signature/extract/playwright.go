package extract

import (
	"strings"
)

// playwright reads the list that the text reporters of Playwright end with.
var playwright = tool{
	name:  "playwright",
	marks: []string{"Running 9 test"},
	read:  readPlaywright,
}

var (
	pwHead   = pattern(`^ {2}\d+\) (.+ › .+?)(?: ─+)?$`)
	pwPlace  = pattern(`(\.\w+):\d+:\d+ › `)
	pwRule   = pattern(`^ {4}(?:Retry #\d+|attachment #\d+: .*?|Error Context: .*) ?─*$|^ {4}─+$`)
	pwTotal  = pattern(`^ {2}(\d+) (failed|passed|skipped|flaky|interrupted|did not run|timed out)(?: \(.*\))?$`)
	pwResult = pattern(`^ {2}(✓|✘|ok|x) +\d+ (.+ › .+?)(?: \(retry #\d+\))?(?: \([\d.]+m?s\))?$`)
)

func readPlaywright(p *page, f *found) {
	for _, lines := range p.streams {
		r := pwReader{lines: lines, found: f}
		for i := 0; i < len(lines); {
			i = r.line(i)
		}
		r.sum()
	}
}

type pwReader struct {
	lines   []string
	found   *found
	running bool
	total   map[string]int
}

func (r *pwReader) line(i int) int {
	line := r.lines[i]
	switch {
	case strings.HasPrefix(line, "Running "):
		r.running = true
	case !r.running || !strings.HasPrefix(line, "  "):
	default:
		if m := pwHead().FindStringSubmatch(line); m != nil {
			return r.failure(i+1, pwID(m[1]))
		}
		if m := pwResult().FindStringSubmatch(line); m != nil {
			r.found.named(pwID(m[2]), m[1] == "✓" || m[1] == "ok")
		}
		if m := pwTotal().FindStringSubmatch(line); m != nil {
			if r.total == nil {
				r.total = map[string]int{}
			}
			r.total[m[2]], _ = wholeNumber(m[1])
		}
	}
	return i + 1
}

// pwID writes a title as the other ids are written, without line and column.
func pwID(title string) string {
	title = pwPlace().ReplaceAllString(title, "$1 › ")
	return place(strings.Split(title, " › ")...)
}

// failure reads the first try of a test: what the others say is the same, or
// chance.
func (r *pwReader) failure(i int, id string) int {
	body := until(r.lines, i, func(l string) bool { return pwHead().MatchString(l) || pwTotal().MatchString(l) })
	var kept []string
	for _, line := range body {
		if pwRule().MatchString(line) {
			break
		}
		kept = append(kept, line)
	}
	class, detail := jestReason(withoutCalls(kept))
	r.found.fail(id, class, detail)
	return i + len(body)
}

// withoutCalls leaves out the log of calls: how often something was retried is
// chance.
func withoutCalls(lines []string) []string {
	var kept []string
	calling := false
	for _, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case text == "Call log:" || text == "=========================== logs ===========================":
			calling = true
		case calling && (isCode(text) || text == ""):
			calling = false
		}
		if !calling {
			kept = append(kept, line)
		}
	}
	return kept
}

func (r *pwReader) sum() {
	if r.total == nil {
		return
	}
	passed := r.total["passed"] + r.total["flaky"]
	failed := r.total["failed"] + r.total["interrupted"] + r.total["timed out"]
	r.found.tally.sum(passed+failed, passed, r.total["skipped"]+r.total["did not run"])
}
