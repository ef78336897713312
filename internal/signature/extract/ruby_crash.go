package extract

import (
	"strings"
)

// rubyCrash reads the exception that ends a Ruby program.
var rubyCrash = tool{
	name:  "ruby-crash",
	kind:  crashing,
	marks: []string{"ruby: "},
	spots: true,
	read:  readRubyCrash,
}

var (
	rubyRaised = pattern("^in [`'](.+?)': (.*) \\(((?:\\w+::)*\\w+)\\)$")
	rubySyntax = "syntax error"
)

func readRubyCrash(p *page, f *found) {
	for _, s := range p.places() {
		rubySpot(s, p.after(s), f)
	}
	for _, lines := range p.streams {
		for _, line := range lines {
			if rest, ok := strings.CutPrefix(line, "ruby: "); ok {
				if s, ok := spotOf(rest); ok {
					rubySpot(s, nil, f)
				}
			}
		}
	}
}

// rubySpot reads the line that names the place; a message may go on behind it,
// up to the frames.
func rubySpot(s spot, after []string, f *found) {
	if !strings.HasSuffix(s.path, ".rb") {
		return
	}
	if m := rubyRaised().FindStringSubmatch(s.rest); m != nil {
		more := until(after[:min(len(after), maxSaid)], 0, func(l string) bool { return l == "" || strings.HasPrefix(l, "\t") || isFrame(l) })
		f.fail(place(s.path, m[1]), m[3], strings.TrimSpace(m[2]+"\n"+reason(more)))
	} else if strings.HasPrefix(s.rest, rubySyntax) {
		f.fail(s.path, "SyntaxError", s.rest)
	}
}
