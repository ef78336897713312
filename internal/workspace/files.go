package workspace

import (
	"context"
	"fmt"
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
