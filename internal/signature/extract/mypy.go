package extract

import (
	"strings"
)

// mypy reads the errors of mypy; notes are left out.
var mypy = tool{
	name:  "mypy",
	spots: true,
	read:  readMypy,
}

var (
	mypyError = pattern(`^error: (.*?)(?:  \[([a-z0-9-]+)\])?$`)
	mypyTotal = pattern(`^Found \d+ errors? in \d+ files?`)
)

func readMypy(p *page, f *found) {
	total := mypyTotals(p)
	g := &found{masks: f.masks}
	for _, s := range p.places() {
		if !strings.HasSuffix(s.path, ".py") && !strings.HasSuffix(s.path, ".pyi") {
			continue
		}
		m := mypyError().FindStringSubmatch(s.rest)
		if m == nil || m[2] == "" && !total {
			continue
		}
		class := m[2]
		if class == "" {
			class = "error"
		}
		g.fail(s.path, class, m[1])
	}
	g.counted()
	f.add(g)
}

func mypyTotals(p *page) bool {
	for _, lines := range p.streams {
		for _, line := range lines {
			if strings.HasPrefix(line, "Found ") && mypyTotal().MatchString(line) {
				return true
			}
		}
	}
	return false
}
