package extract

import (
	"strings"
)

// ruff reads the long form of Ruff: a rule with its message, and under it the
// place and a piece of code.
var ruff = tool{
	name:  "ruff",
	marks: []string{"-> "}, // however many dashes,
	read:  readRuff,
}

var (
	ruffHead  = pattern(`^([A-Z]{1,4}\d{2,5}|[a-z]+(?:-[a-z]+)+:) (?:\[\*\] )?(.*)$`)
	ruffPlace = pattern(`^ *--> (\S+?):\d+:\d+$`)
)

func readRuff(p *page, f *found) {
	g := &found{masks: f.masks}
	for _, lines := range p.streams {
		for i := 0; i+1 < len(lines); i++ {
			place := ruffPlace().FindStringSubmatch(lines[i+1])
			if place == nil {
				continue
			}
			if m := ruffHead().FindStringSubmatch(lines[i]); m != nil {
				g.fail(place[1], strings.TrimSuffix(m[1], ":"), m[2])
			}
		}
	}
	g.counted()
	f.add(g)
}
