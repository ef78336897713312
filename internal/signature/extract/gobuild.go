package extract

import "strings"

// goBuild reads the lines of go build, go vet and linters that print alike.
var goBuild = tool{
	name:  "go-build",
	kind:  building,
	marks: []string{"vet: "},
	spots: true,
	read:  readGoBuild,
}

func readGoBuild(p *page, f *found) {
	for _, s := range p.places() {
		if !strings.HasSuffix(s.path, ".go") || s.dash || strings.HasPrefix(s.rest, "error:") || strings.HasPrefix(s.rest, "warning:") {
			continue
		}
		if s.column || underPackage(p, s) {
			lines := append([]string{s.rest}, continued(p.after(s))...)
			f.fail(s.path, "go", reason(lines))
		}
	}
	for _, lines := range p.streams {
		for _, line := range lines {
			if rest, ok := strings.CutPrefix(line, "vet: "); ok {
				if s, ok := spotOf(rest); ok {
					f.fail(s.path, "go", s.rest)
				}
			}
		}
	}
}

// underPackage: the compiler prints "# package" before its lines.
func underPackage(p *page, s spot) bool {
	lines := p.streams[s.stream]
	for k := s.index - 1; k >= 0 && k > s.index-50; k-- {
		if strings.HasPrefix(lines[k], "# ") {
			return true
		}
		if _, ok := spotOf(lines[k]); !ok && !strings.HasPrefix(lines[k], "\t") {
			return false
		}
	}
	return false
}

// continued gives the lines that go on with a message of the Go tools: those
// that begin with a tab.
func continued(lines []string) []string {
	return until(lines, 0, func(l string) bool { return !strings.HasPrefix(l, "\t") })
}
