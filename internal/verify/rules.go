package verify

import (
	"strings"

	"looprun.dev/looprun/internal/round"
)

// Rules answer for one path at a time what a boundary says of it.
type Rules struct {
	allow, taskAllow []glob
	protect          []glob
	builtin, lifted  []glob
	named            map[string]bool // folded, with every directory above as false
}

// NewRules compiles a boundary. The task's own lists can only narrow it: its
// "!glob" lifts nothing. A task without a list of allowed paths keeps
// loop.yaml's; an empty list in loop.yaml allows nothing.
func NewRules(b round.Boundary, builtin Builtin) Rules {
	r := Rules{
		allow:     compile(b.Allow),
		taskAllow: compile(b.TaskAllow),
		protect:   compile(b.TaskProtect),
		builtin:   compile(builtin.Globs),
		named:     map[string]bool{},
	}
	for _, p := range b.Protect {
		if lift, ok := strings.CutPrefix(p, "!"); ok {
			r.lifted = append(r.lifted, newGlob(lift))
		} else {
			r.protect = append(r.protect, newGlob(p))
		}
	}
	for _, n := range builtin.Named {
		r.name(fold(n))
	}
	return r
}

// name keeps a file that a check names, and each directory above it: a file or
// link in a directory's place would take the named file away.
func (r Rules) name(folded string) {
	r.named[folded] = true
	for i, c := range folded {
		if c == '/' && !r.named[folded[:i]] {
			r.named[folded[:i]] = false
		}
	}
}

// Allowed reports whether path matches loop.yaml's list, and the task's where
// it has one. Case counts.
func (r Rules) Allowed(path string) bool {
	return anyMatches(r.allow, path) && (len(r.taskAllow) == 0 || anyMatches(r.taskAllow, path))
}

// Protected reports whether path, in any spelling, is protected.
func (r Rules) Protected(path string) bool {
	folded := fold(path)
	if anyGuards(r.protect, folded) {
		return true
	}
	_, named := r.named[folded]
	return (named || anyGuards(r.builtin, folded)) && !anyGuards(r.lifted, folded)
}

// MayChange reports whether a candidate may hold another version of path.
func (r Rules) MayChange(path string) bool { return r.Allowed(path) && !r.Protected(path) }
