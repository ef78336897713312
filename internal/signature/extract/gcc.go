package extract

import (
	"strings"
)

// gcc reads errors as gcc, clang, javac, swiftc and msbuild print them.
// Warnings count only where they were made errors.
var gcc = tool{
	name:  "compiler",
	kind:  building,
	spots: true,
	read:  readGCC,
}

var (
	gccError    = pattern(`^(?:fatal )?error(?: ([A-Z]+\d+))?: (.*?)(?: \[(-W[\w=+-]+|[A-Z]+-\d+|\w+-\w[\w-]*)(?:,[\w=-]+)?\])?$`)
	gccFunction = pattern(`^(\S+): In (?:member |static member )?(?:function|constructor|destructor|lambda function|instantiation of) ['"‘](.*?)['"’]`)
	gccQuotes   = strings.NewReplacer("‘", "'", "’", "'", "`", "'")
)

func readGCC(p *page, f *found) {
	for _, s := range p.places() {
		if strings.HasSuffix(s.path, ".py") || strings.HasSuffix(s.path, ".pyi") || tscError().MatchString(s.rest) {
			continue
		}
		m := gccError().FindStringSubmatch(s.rest)
		if m == nil {
			continue
		}
		class := m[1] + m[3]
		if class == "" {
			class = "error"
		}
		detail := m[2]
		if detail == "" || strings.HasSuffix(s.path, ".java") {
			detail += "\n" + gccMore(p.after(s))
		}
		f.fail(place(s.path, gccIn(p, s)), class, gccQuotes.Replace(strings.TrimSpace(detail)))
	}
}

// gccIn names the function that the compiler says it is in, a few lines above.
func gccIn(p *page, s spot) string {
	lines := p.streams[s.stream]
	for k := s.index - 1; k >= 0 && k > s.index-8; k-- {
		if m := gccFunction().FindStringSubmatch(lines[k]); m != nil {
			return gccQuotes.Replace(m[2])
		}
		if t, ok := spotOf(lines[k]); ok && t.path != s.path {
			break
		}
	}
	return ""
}

// gccMore gives the indented lines by which javac and ghc go on.
func gccMore(lines []string) string {
	return reason(until(lines, 0, func(l string) bool { return !strings.HasPrefix(l, "  ") }))
}
