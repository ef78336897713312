package workspace

import (
	"errors"
	"fmt"
	"strings"
)

// What keeps a repository from being worked on. Each is a cause that a person
// must take away.
var (
	ErrNoRepository = errors.New("not a git repository")
	ErrSubdirectory = errors.New("not the top of its repository")
	ErrBare         = errors.New("a bare repository has no checkout")
	ErrNoCommit     = errors.New("no commit yet")
	ErrNoBase       = errors.New("no such commit")
	ErrIncomplete   = errors.New("objects are missing; check the base out once, with git, to fetch them")
	ErrUnsupported  = errors.New("repository format not supported")
	ErrOldGit       = errors.New("git is too old")
	ErrNoGit        = errors.New("git not found")
	ErrInside       = errors.New("trees must live outside the checkout")
	ErrNotPrivate   = errors.New("the folder belongs to somebody else, or others can write to it")
)

// ErrUnstable is in the error of Commit when the tree no longer is what the
// snapshot says: something still writes to it, or a change had been hidden
// from the snapshot.
var ErrUnstable = errors.New("the tree does not match its snapshot")

// ErrGone tells that the tree was deleted, moved or replaced by something that
// is no directory.
var ErrGone = errors.New("the work tree is gone")

// ErrNotPrepared is in the error of calls that need a prepared tree.
var ErrNotPrepared = errors.New("tree not prepared")

// A Conflict tells that two commits cannot be merged without a person.
type Conflict struct {
	Into, Commit string
	Paths        []string
}

func (c *Conflict) Error() string {
	return fmt.Sprintf("merge %.12s into %.12s: conflict in %s", c.Commit, c.Into, strings.Join(c.Paths, ", "))
}

// A LandError tells that a landing was refused and nothing was moved: a ref
// stands at another value, or something holds it. Landing again later may work.
type LandError struct {
	Ref, Want, Have string
	Why             string
	cause           error // of which Why is the text; nil if there is none
}

// Unwrap gives what git said, in which a fault of the disk may be.
func (e *LandError) Unwrap() error { return e.cause }

func (e *LandError) Error() string {
	if e.Have != "" {
		return fmt.Sprintf("land %s: %s (it is at %.12s)", e.Ref, e.Why, e.Have)
	}
	return fmt.Sprintf("land %s: %s", e.Ref, e.Why)
}

// A SetupError tells that a setup command did not end with 0.
type SetupError struct {
	Argv   []string
	Ended  string // exit, signal, timeout, silence, missing
	Code   int
	Output string // the end of what it wrote
}

func (e *SetupError) Error() string {
	return fmt.Sprintf("setup %q: ended by %s %d", strings.Join(e.Argv, " "), e.Ended, e.Code)
}
