package workspace

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
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
		return &LandError{Ref: rest[len(rest)-1].ref, Want: l.Commit, Why: err.Error()}
	} else if err != nil {
		return err
	}
	return nil
}

// bring puts a commit, with all that the user's repository lacks of it, into
// that repository, durably. Git checks every object and that none is missing
// before the first name appears.
func (s *Space) bring(ctx context.Context, commit string) error {
	began := time.Now().Add(-2 * time.Second).UnixNano()
	if s.theirs[commit] {
		return nil
	}
	revs, err := s.missing(commit)
	if err != nil {
		return fmt.Errorf("pack %.12s: %w", commit, err)
	}
	pack := s.ctl.bare("pack-objects", "--revs", "--stdout", "-q", "--thin", "--delta-base-offset")
	pack.stdin = []byte(revs)
	data, err := s.git.run(ctx, pack)
	if err != nil {
		return fmt.Errorf("pack %.12s: %w", commit, err)
	}
	n, ok := packed(data)
	if !ok {
		return fmt.Errorf("pack %.12s: no pack came out", commit)
	}
	take := s.user("unpack-objects", "-q", "--strict")
	if n > 100 { // as git itself: loose objects for a few, a pack for many
		take = s.user("index-pack", "--stdin", "--fix-thin", "--strict")
	}
	take.stdin, take.lasting = data, true
	if _, err := s.git.run(ctx, take); err != nil {
		return fmt.Errorf("bring %.12s to the repository: %w", commit, err)
	}
	if err := s.syncObjects(s.repo.objects[0], began); err != nil {
		return err
	}
	s.theirs[commit] = true
	return nil
}

// missing lists a commit and what it stands on, down to the first commits that
// the user's repository has, as revisions for git.
func (s *Space) missing(commit string) (string, error) {
	revs, todo := commit+"\n", []string{commit}
	for len(todo) > 0 {
		c, err := s.openObjects().commit(todo[0])
		if err != nil {
			return "", err
		}
		todo = todo[1:]
		for _, p := range c.ParentHashes {
			if s.theirs[p.String()] || s.store.has(p) {
				revs += "^" + p.String() + "\n"
			} else {
				todo = append(todo, p.String())
			}
		}
	}
	return revs, nil
}

// parents are what a commit stands on, if that can be read here.
func (s *Space) parents(commit string) []string {
	c, err := s.openObjects().commit(commit)
	if err != nil {
		return nil
	}
	var ids []string
	for _, p := range c.ParentHashes {
		ids = append(ids, p.String())
	}
	return ids
}

// packed reads how many objects a pack says it has.
func packed(b []byte) (uint32, bool) {
	if len(b) < 32 || !bytes.HasPrefix(b, []byte("PACK")) {
		return 0, false
	}
	return binary.BigEndian.Uint32(b[8:]), true
}

// maxNames bounds the names that are tried for a rejected round.
const maxNames = 100

// Archive keeps a rejected candidate under refs/looprun/<task>/r<N> of the
// user's repository until GC. A second candidate of the same round, from a
// later try, gets a name of its own.
func (s *Space) Archive(ctx context.Context, task string, round, try int, commit string) (string, error) {
	if err := s.bring(ctx, commit); err != nil {
		return "", fmt.Errorf("archive round %d of %s: %w", round, task, err)
	}
	ref := roundRef(task, round)
	for n := range maxNames {
		name := ref
		switch {
		case n == 1:
			name = fmt.Sprintf("%s.t%d", ref, try)
		case n > 1: // left of an earlier task of that id
			name = fmt.Sprintf("%s.t%d-%d", ref, try, n)
		}
		move := refChange{name, zeroID, commit}
		err := s.moveRefs(ctx, "keep a rejected round of "+task, move)
		if err == nil {
			return name, nil
		}
		if exitCode(err) < 0 { // not git's word that the name is taken
			return "", fmt.Errorf("archive round %d of %s: %w", round, task, err)
		}
		have, err2 := s.readRefs(ctx, name)
		if err2 != nil || have[name] == "" {
			return "", fmt.Errorf("archive round %d of %s: %w", round, task, err)
		}
		if have[name] == commit {
			return name, s.syncRefs([]refChange{move}) // it may not be durable yet
		}
	}
	return "", fmt.Errorf("archive round %d of %s: %s holds another commit", round, task, ref)
}

// Patch is the difference that a commit makes to the commit that it stands on,
// with binary files, in the form that git apply takes.
func (s *Space) Patch(ctx context.Context, commit string) ([]byte, error) {
	if !isID(commit) {
		return nil, fmt.Errorf("make patch of %q: %w", commit, ErrNoBase)
	}
	args := []string{"diff-tree", "-p", "-r", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", commit + "^", commit}
	out, err := s.git.run(ctx, s.ctl.bare(args...))
	if err != nil {
		return nil, fmt.Errorf("make patch of %.12s: %w", commit, err)
	}
	return out, nil
}

// branchOf is the branch that a landing by merge goes to: the base, if that is
// a branch.
func (s *Space) branchOf(ctx context.Context) (string, error) {
	if s.opts.Base == "HEAD" {
		_, ref := s.repo.head()
		return ref, nil
	}
	names := []string{"refs/heads/" + strings.TrimPrefix(s.opts.Base, "refs/heads/")}
	refs, err := s.readRefs(ctx, names...)
	if err != nil || !slices.Contains(slices.Collect(maps.Keys(refs)), names[0]) {
		return "", err
	}
	return names[0], nil
}
