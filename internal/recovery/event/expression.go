package event

import (
	"regexp"
	"sync/atomic"
)

// lazily compiles an expression when it is first asked for.
func lazily(expr string) func() *regexp.Regexp {
	var compiled atomic.Pointer[regexp.Regexp]
	return func() *regexp.Regexp {
		if compiled.Load() == nil {
			compiled.Store(regexp.MustCompile(expr))
		}
		return compiled.Load()
	}
}
