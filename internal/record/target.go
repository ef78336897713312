package record

import (
	"strings"
)

// A Target is what a start of the generator depends on beside its task. What
// it is at fault for it is at fault for in every task.
type Target struct {
	Scope string // account, model, command, profile or loop: see round.Scope
	Name  string
}

// String is how people name the target.
func (t Target) String() string { return t.Scope + " " + t.Name }

// maxSlug bounds the part of a file's name that is for people.
const maxSlug = 40

// Stem is the name of the target's files without their ending: what is left of
// its name in letters and digits, and of its hash enough to tell it from others.
func (t Target) Stem() string { return slug(t.String()) + "-" + Digest([]byte(t.String()))[:8] }

func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case b.Len() >= maxSlug:
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
