package extract

import (
	"strings"
)

// shellcheck reads its formats tty and gcc.
var shellcheck = tool{
	name:  "shellcheck",
	marks: []string{"In "},
	spots: true,
	read:  readShellcheck,
}

var (
	shellHead = pattern(`^In (\S+) line \d+:$`)
	shellMark = pattern(`^\s*\^-*\^?-* (SC\d{4})(?: \(\w+\))?: (.*)$`)
	shellGCC  = pattern(`^(?:error|warning|note|style|info): (.*) \[(SC\d{4})\]$`)
)

func readShellcheck(p *page, f *found) {
	g := &found{masks: f.masks}
	for _, s := range p.places() {
		if m := shellGCC().FindStringSubmatch(s.rest); m != nil {
			g.fail(s.path, m[2], m[1])
		}
	}
	for _, lines := range p.streams {
		file := ""
		for _, line := range lines {
			if strings.HasPrefix(line, "In ") {
				if m := shellHead().FindStringSubmatch(line); m != nil {
					file = strings.TrimPrefix(m[1], "./")
				}
			} else if file != "" && strings.Contains(line, "^") {
				if m := shellMark().FindStringSubmatch(line); m != nil {
					g.fail(file, m[1], m[2])
				}
			}
		}
	}
	g.counted()
	f.add(g)
}
