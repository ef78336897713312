package workspace

import (
	"context"
	"fmt"
	"time"
)

// A Landing hands an accepted candidate over.
type Landing struct {
	Task, Commit string
	Mode         string    // branch, merge, patch, none; in place: none, commit
	Branch       string    // the result branch, as looprun/<id>; also where a merge cannot be made
	Merged       string    // mode merge: the merge commit that passed the checks
	At           time.Time // of a merge commit
}

// Landed tells what a landing did. With Verify set nothing was moved yet: that
// commit is a new merge, and when the checks have passed on it Land is called
// again with it as Merged.
type Landed struct {
	Mode, Branch, Commit string
	Verify               string
	Note                 string // why it came out otherwise than asked
}

// Land is idempotent: every ref moves with its old value, in one transaction,
// and one that stands right already is left. In every mode of an isolated tree
// the candidate stays reachable under refs/looprun/land/<task>. A refusal is a
// *LandError, or a *Conflict; then nothing was moved.
func (s *Space) Land(ctx context.Context, l Landing) (Landed, error) {
	var done Landed
	var err error
	switch {
	case s.opts.InPlace && l.Mode == "commit":
		done, err = s.landHere(ctx, l)
	case s.opts.InPlace && l.Mode == "none":
		done = Landed{Mode: "none", Commit: l.Commit}
	case s.opts.InPlace:
		err = fmt.Errorf("no such mode in place: %q", l.Mode)
	case l.Mode == "branch":
		done, err = s.landBranch(ctx, l)
	case l.Mode == "merge":
		done, err = s.landMerge(ctx, l)
	case l.Mode == "patch", l.Mode == "none":
		done, err = Landed{Mode: l.Mode, Commit: l.Commit}, s.accept(ctx, l)
	default:
		err = fmt.Errorf("no such mode: %q", l.Mode)
	}
	if err != nil {
		return Landed{}, fmt.Errorf("land %s: %w", l.Task, err)
	}
	return done, nil
}

// landBranch makes the result branch, which must not exist with another value.
func (s *Space) landBranch(ctx context.Context, l Landing) (Landed, error) {
	ref := "refs/heads/" + l.Branch
	if err := s.accept(ctx, l, refChange{ref, zeroID, l.Commit}); err != nil {
		return Landed{}, err
	}
	return Landed{Mode: "branch", Branch: l.Branch, Commit: l.Commit}, nil
}

// accept brings the candidate's objects and moves refs, all or none: the land
// ref, the keep-ref that it makes needless, and those of the landing.
func (s *Space) accept(ctx context.Context, l Landing, moves ...refChange) error {
	if err := s.bring(ctx, l.Commit); err != nil {
		return err
	}
	all := append([]refChange{{landRef(l.Task), zeroID, l.Commit}, {keepRef(l.Task), "", zeroID}}, moves...)
	err := s.moveRefs(ctx, "land "+l.Task, all...)
	if err == nil || exitCode(err) < 0 {
		return err
	}
	return s.acceptRest(ctx, l, all, err)
}

// acceptRest looks at what stood in the way: a ref that is right already is
// done, another value of a branch is the user's.
func (s *Space) acceptRest(ctx context.Context, l Landing, all []refChange, refused error) error {
	var names []string
	for _, c := range all {
		names = append(names, c.ref)
	}
	have, err := s.readRefs(ctx, names...)
	if err != nil {
		return err
	}
	var rest []refChange
	for _, c := range all {
		switch is := have[c.ref]; {
		case is == c.new, is == "" && c.new == zeroID:
		case c.ref == landRef(l.Task) && is != "":
			rest = append(rest, refChange{c.ref, is, c.new})
		case is != c.old && !(is == "" && c.old == zeroID) && c.old != "":
			return &LandError{Ref: c.ref, Want: c.new, Have: is, Why: "the ref stands at another commit"}
		default:
			rest = append(rest, c)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	if err := s.moveRefs(ctx, "land "+l.Task, rest...); exitCode(err) >= 0 {
		return &LandError{Ref: rest[len(rest)-1].ref, Want: l.Commit, Why: err.Error(), cause: err}
	} else if err != nil {
		return err
	}
	return nil
}
