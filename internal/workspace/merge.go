package workspace

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"looprun.dev/looprun/internal/fsx"
)

// landMerge moves the base branch to the candidate, or to a merge of both that
// the checks have passed on. A branch that is checked out anywhere is never
// moved under its user: then the result branch is made instead.
func (s *Space) landMerge(ctx context.Context, l Landing) (Landed, error) {
	target, note, err := s.target(ctx)
	if err != nil {
		return Landed{}, err
	}
	if note != "" {
		done, err := s.landBranch(ctx, l)
		done.Note = note
		return done, err
	}
	refs, err := s.readRefs(ctx, target)
	if err != nil {
		return Landed{}, err
	}
	tip := refs[target]
	done := Landed{Mode: "merge", Branch: strings.TrimPrefix(target, "refs/heads/"), Commit: l.Commit}
	if tip == l.Commit || tip == l.Merged && tip != "" {
		done.Commit = tip
		return done, nil
	}
	forward, err := s.contains(ctx, l.Commit, tip)
	if err != nil {
		return Landed{}, err
	}
	if forward {
		return done, s.accept(ctx, l, refChange{target, tip, l.Commit})
	}
	landed, err := s.contains(ctx, tip, l.Commit)
	if err != nil || landed { // and the branch has moved on since
		return done, err
	}
	return s.landMerged(ctx, l, done, refChange{ref: target, old: tip})
}

// landMerged is landMerge for a base that moved: the merge is made, and made
// again in the same way when it comes back verified.
func (s *Space) landMerged(ctx context.Context, l Landing, done Landed, move refChange) (Landed, error) {
	merged, err := s.merge(ctx, move.old, l.Commit, "Merge "+oneLine(l.Task))
	if err != nil {
		return Landed{}, err
	}
	if err := s.nameMerge(l.Task, merged); err != nil {
		return Landed{}, err
	}
	if done.Commit = merged; merged != l.Merged {
		done.Verify = merged
		return done, nil
	}
	if err := s.bring(ctx, l.Commit); err != nil {
		return Landed{}, err
	}
	move.new, l.Commit = merged, merged
	return done, s.accept(ctx, l, move)
}

// target is the branch that a merge goes to, or why there is none to move.
func (s *Space) target(ctx context.Context) (ref, note string, err error) {
	if ref, err = s.branchOf(ctx); err != nil {
		return "", "", err
	}
	if ref == "" {
		return "", fmt.Sprintf("base %q is no branch", s.opts.Base), nil
	}
	out, err := s.git.run(ctx, s.user("worktree", "list", "--porcelain", "-z"))
	if err != nil {
		return "", "", fmt.Errorf("list checkouts: %w", err)
	}
	where := ""
	for _, line := range strings.Split(string(out), "\x00") {
		if path, ok := strings.CutPrefix(line, "worktree "); ok {
			where = path
		}
		if line == "branch "+ref {
			return ref, fmt.Sprintf("%s is checked out at %s", strings.TrimPrefix(ref, "refs/heads/"), where), nil
		}
	}
	return ref, "", nil
}

// contains tells whether commit has ancestor in its history.
func (s *Space) contains(ctx context.Context, commit, ancestor string) (bool, error) {
	for _, p := range append(s.parents(commit), commit) {
		if p == ancestor {
			return true, nil
		}
	}
	_, err := s.git.run(ctx, s.ctl.bare("merge-base", "--is-ancestor", ancestor, commit))
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// merge makes the merge of commit into another, in the control directory. The
// same two always give the same commit.
func (s *Space) merge(ctx context.Context, into, commit, message string) (string, error) {
	c := s.ctl.bare("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", into, commit)
	c.lasting = true
	out, err := s.git.answer(ctx, c)
	if err != nil {
		return "", fmt.Errorf("merge %.12s into %.12s: %w", commit, into, err)
	}
	tree, paths, _ := strings.Cut(string(out), "\x00")
	if paths != "" {
		return "", conflict(into, commit, paths)
	}
	at, err := s.newest(into, commit)
	if err != nil {
		return "", fmt.Errorf("merge %.12s into %.12s: %w", commit, into, err)
	}
	obj, err := encodeCommit(tree, []string{into, commit}, at, message+"\n")
	if err != nil {
		return "", err
	}
	if err := s.syncObjects(s.ctl.objects, s.began); err != nil {
		return "", err
	}
	id, err := s.put(s.ctl.objects, obj)
	s.trees[id] = tree
	return id, err
}

// conflict lists the paths that could not be merged.
func conflict(into, commit, paths string) error {
	c := &Conflict{Into: into, Commit: commit}
	for _, p := range strings.Split(strings.TrimRight(paths, "\x00"), "\x00") {
		c.Paths = append(c.Paths, strings.ToValidUTF8(p, "\ufffd"))
	}
	return c
}

// newest is the later time of two commits. A merge takes it for its own, so
// that its id does not depend on when it is made.
func (s *Space) newest(ids ...string) (time.Time, error) {
	var at time.Time
	for _, id := range ids {
		c, err := s.openObjects().commit(id)
		if err != nil {
			return at, err
		}
		if c.Committer.When.After(at) {
			at = c.Committer.When
		}
	}
	return at, nil
}

// nameMerge keeps the newest merge of a task in the control directory.
func (s *Space) nameMerge(task, id string) error {
	d, err := fsx.MkdirAll(filepath.Join(s.ctl.dir, "refs", "looprun", "merge"), s.seams()...)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Replace(refName(task), []byte(id+"\n"))
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
