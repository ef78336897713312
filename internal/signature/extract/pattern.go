package extract

import (
	"regexp"
	"sync"
)

// pattern compiles a regular expression when it is first used: a log wakes one
// tool or two, and every start of looprun would pay for those of all.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
