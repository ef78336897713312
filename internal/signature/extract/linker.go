package extract

import (
	"strings"
)

// linker reads what GNU ld, gold, lld and Apple's ld say of missing and double
// symbols. Names of object files are left out: compilers draw them at random.
var linker = tool{
	name: "linker",
	kind: building,
	marks: []string{
		": undefined reference to ", ": multiple definition of ", ": undefined symbol: ", ": duplicate symbol", "duplicate symbol",
		": cannot find -l", ": library not found for -l", ": unable to find library -l", "Undefined symbols for architecture",
	},
	read: readLinker,
}

var (
	linkerSigns = []string{
		"undefined reference to ", "multiple definition of ", "undefined symbol: ", "duplicate symbol", "cannot find -l",
		"library not found for -l", "unable to find library -l",
	}
	linkerSaid  = pattern("(undefined reference to|multiple definition of|undefined symbol:|duplicate symbol:?|cannot find|library not found for|unable to find library) ([`'\"]?[^;\n]*)")
	linkerIn    = pattern("in function [`'](.+?)'")
	linkerApple = pattern(`^ {2}"(.+)", referenced from:$`)
)

func readLinker(p *page, f *found) {
	for _, lines := range p.streams {
		function, apple := "", false
		for _, line := range lines {
			if strings.Contains(line, "in function ") {
				if m := linkerIn().FindStringSubmatch(line); m != nil {
					function = m[1]
				}
			}
			if strings.HasPrefix(line, "Undefined symbols for architecture") {
				apple = true
			} else if m := linkerApple().FindStringSubmatch(line); m != nil && apple {
				f.fail("", "link", "undefined symbol: "+m[1])
			}
			if hasAny(line, linkerSigns) {
				if m := linkerSaid().FindStringSubmatch(line); m != nil {
					f.fail(function, "link", m[1]+" "+gccQuotes.Replace(m[2]))
				}
			}
		}
	}
}

func hasAny(line string, signs []string) bool {
	for _, s := range signs {
		if strings.Contains(line, s) {
			return true
		}
	}
	return false
}
