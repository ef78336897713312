package verify

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A glob is one path rule. A rule without wildcards, or with a slash at its
// end, covers the path and all that is below it.
type glob struct {
	exact, folded string
	below         bool
}

func compile(rules []string) []glob {
	list := make([]glob, 0, len(rules))
	for _, r := range rules {
		list = append(list, newGlob(r))
	}
	return list
}

// newGlob takes backslashes for slashes, as people on Windows write them; to
// match a wildcard itself it is put in brackets.
func newGlob(rule string) glob {
	rule = strings.TrimPrefix(strings.ReplaceAll(rule, `\`, "/"), "./")
	rule = strings.TrimPrefix(rule, "/")
	bare := strings.TrimRight(rule, "/")
	return glob{
		exact:  decompose(bare),
		folded: foldText(bare),
		below:  bare != rule || !strings.ContainsAny(bare, "*?[{"),
	}
}

// matches compares letter by letter, but for the Unicode form.
func (g glob) matches(path string) bool { return g.match(g.exact, decompose(path)) }

// guards compares as the most lenient file system would. The argument is folded.
func (g glob) guards(folded string) bool { return g.match(g.folded, folded) }

func (g glob) match(pattern, path string) bool {
	if ok, err := doublestar.Match(pattern, path); ok && err == nil {
		return true
	}
	return g.below && pattern != "" && (path == pattern || strings.HasPrefix(path, pattern+"/"))
}

func anyMatches(list []glob, path string) bool {
	for _, g := range list {
		if g.matches(path) {
			return true
		}
	}
	return false
}

func anyGuards(list []glob, folded string) bool {
	for _, g := range list {
		if g.guards(folded) {
			return true
		}
	}
	return false
}
