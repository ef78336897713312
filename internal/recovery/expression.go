package recovery

import (
	"regexp"
	"sync/atomic"
)

// An expression is a regular expression that is compiled when it is first asked
// for: most commands of looprun classify nothing, and all expressions together
// take milliseconds to compile. Two callers at once may both compile it.
type expression func() *regexp.Regexp

func lazily(expr string) expression {
	var compiled atomic.Pointer[regexp.Regexp]
	return func() *regexp.Regexp {
		if compiled.Load() == nil {
			compiled.Store(regexp.MustCompile(expr))
		}
		return compiled.Load()
	}
}

// in reports whether the expression matches text; a nil one never does.
func (e expression) in(text string) bool { return e != nil && e().MatchString(text) }
