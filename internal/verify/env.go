package verify

import (
	"slices"
	"strings"
)

// An Env says which variables of looprun's own environment a check gets, and
// what else.
type Env struct {
	Pass   []string          // names
	Set    map[string]string // wins over Pass
	Lookup func(name string) (string, bool)
}

// Values lists the variables as "NAME=value", sorted.
func (e Env) Values() []string {
	var list []string
	for _, name := range e.Pass {
		if _, set := e.Set[name]; set {
			continue
		}
		if v, ok := e.Lookup(name); ok {
			list = append(list, name+"="+v)
		}
	}
	for name, v := range e.Set {
		list = append(list, name+"="+v)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// The values of what every check needs, where verification.env has none.
const (
	defaultPath = "/usr/local/bin:/usr/bin:/bin"
	defaultLang = "C.UTF-8"
)

// environ is the whole environment of a check. HOME and TMPDIR are new, so that
// nothing of the user or of an earlier run decides what a check sees; only
// verification.env can say otherwise.
func environ(given []string, home, tmp string) []string {
	env := slices.Clone(given)
	for _, kv := range []string{"PATH=" + defaultPath, "LANG=" + defaultLang, "HOME=" + home, "TMPDIR=" + tmp} {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.ContainsFunc(env, func(have string) bool { return strings.HasPrefix(have, name+"=") }) {
			env = append(env, kv)
		}
	}
	slices.Sort(env)
	return env
}
