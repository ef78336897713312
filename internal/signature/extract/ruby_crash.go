package extract

import (
	"regexp"
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
	rubyRaised = regexp.MustCompile("^in [`'](.+?)': (.*) \\(((?:\\w+::)*\\w+)\\)$")
	rubySyntax = "syntax error"
)

func readRubyCrash(p *page, f *found) {
	for _, s := range p.places() {
		rubySpot(s, f)
	}
	for _, lines := range p.streams {
		for _, line := range lines {
			if rest, ok := strings.CutPrefix(line, "ruby: "); ok {
				if s, ok := spotOf(rest); ok {
					rubySpot(s, f)
				}
			}
		}
	}
}

func rubySpot(s spot, f *found) {
	if !strings.HasSuffix(s.path, ".rb") {
		return
	}
	if m := rubyRaised.FindStringSubmatch(s.rest); m != nil {
		f.fail(place(s.path, m[1]), m[3], m[2])
	} else if strings.HasPrefix(s.rest, rubySyntax) {
		f.fail(s.path, "SyntaxError", s.rest)
	}
}
