package extract

import (
	"regexp"
	"strings"
)

// rubyCrash reads the exception that ends a Ruby program.
var rubyCrash = tool{
	name:  "ruby-crash",
	kind:  crashing,
	marks: []string{anything},
	read:  readRubyCrash,
}

var (
	rubyRaised = regexp.MustCompile("^(\\S+\\.rb):\\d+:in [`'](.+?)': (.*) \\(((?:\\w+::)*\\w+)\\)$")
	rubySyntax = regexp.MustCompile(`^(\S+\.rb):\d+: (syntax error.*)$`)
)

func readRubyCrash(p *page, f *found) {
	for _, lines := range p.streams {
		for _, line := range lines {
			if !strings.Contains(line, ".rb:") {
				continue
			}
			line = strings.TrimPrefix(line, "ruby: ")
			if m := rubyRaised.FindStringSubmatch(line); m != nil {
				f.fail(place(m[1], m[2]), m[4], m[3])
			} else if m := rubySyntax.FindStringSubmatch(line); m != nil {
				f.fail(m[1], "SyntaxError", m[2])
			}
		}
	}
}
