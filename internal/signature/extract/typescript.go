package extract

import (
	"strings"
)

// typescript reads the compiler tsc, plain and pretty.
var typescript = tool{
	name:  "tsc",
	marks: []string{"error TS9: "},
	spots: true,
	read:  readTypescript,
}

var tscError = pattern(`^error (TS\d+): (.*)$`)

func readTypescript(p *page, f *found) {
	g := &found{masks: f.masks}
	for _, s := range p.places() {
		if m := tscError().FindStringSubmatch(s.rest); m != nil {
			g.fail(s.path, m[1], m[2]+tscContinued(p.after(s)))
		}
	}
	for _, lines := range p.streams {
		for _, line := range lines {
			if strings.HasPrefix(line, "error TS") {
				if m := tscError().FindStringSubmatch(line); m != nil {
					g.fail("", m[1], m[2])
				}
			}
		}
	}
	g.counted()
	f.add(g)
}

// tscContinued gives the lines that go on with a message: they are indented
// and follow at once.
func tscContinued(lines []string) string {
	more := until(lines, 0, func(l string) bool { return !strings.HasPrefix(l, "  ") })
	if text := reason(more); text != "" {
		return "\n" + text
	}
	return ""
}
