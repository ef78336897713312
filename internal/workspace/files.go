package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Files lists every path of a commit's tree.
func (s *Space) Files(ctx context.Context, commit string) ([]string, error) {
	if !isID(commit) {
		return nil, fmt.Errorf("list files of %q: %w", commit, ErrNoBase)
	}
	out, err := s.git.run(ctx, s.ctl.bare("ls-tree", "-r", "-z", "--name-only", commit))
	if err != nil {
		return nil, fmt.Errorf("list files of %.12s: %w", commit, err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// Tree is the tree of a commit.
func (s *Space) Tree(ctx context.Context, commit string) (string, error) {
	return s.treeOf(ctx, commit)
}

// Unmerged counts the branches of that pattern, as looprun/*, that base does not
// contain.
func (s *Space) Unmerged(ctx context.Context, pattern, base string) (int, error) {
	if !isID(base) {
		return 0, fmt.Errorf("count unmerged branches: %w", ErrNoBase)
	}
	out, err := s.git.run(ctx, s.user("for-each-ref", "--no-merged="+base, "--format=%(refname)", "refs/heads/"+pattern))
	if err != nil {
		return 0, fmt.Errorf("count unmerged branches: %w", err)
	}
	return strings.Count(string(out), "\n"), nil
}

// Uncommitted reports whether tracked files of the user's checkout differ from
// HEAD: none of that is in a tree that is made from a commit. Nothing of the
// repository is written to, and no git is started where every file is as git
// last saw it; what is staged and not edited since is then not noticed.
func (s *Space) Uncommitted(ctx context.Context) (bool, error) {
	if s.untouched() {
		return false, nil
	}
	c := s.user("status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=all")
	c.workTree, c.index, c.own = s.repo.top, s.userIndex(), true
	out, err := s.git.run(ctx, c)
	if err != nil {
		return false, fmt.Errorf("look for uncommitted changes: %w", err)
	}
	for _, rec := range strings.Split(string(out), "\x00") {
		path, skip := statusPath(rec)
		if path != "" && !skip && !covers(s.opts.Ignore, path) {
			return true, nil
		}
	}
	return false, nil
}

// untouched reports a checkout whose files all have the stamps of its index.
func (s *Space) untouched() bool {
	entries, err := readIndex(s.userIndex())
	if err != nil {
		return false // of another version: git knows
	}
	for _, e := range entries {
		if st, err := lstat(filepath.Join(s.repo.top, filepath.FromSlash(e.path))); err != nil || !e.matches(st) {
			return false
		}
	}
	return true
}
