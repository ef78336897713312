package workspace

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Base resolves workspace.base now. A HEAD that names a branch is read without
// git.
func (s *Space) Base(ctx context.Context) (commit, tree string, err error) {
	if s.opts.Base == "HEAD" {
		commit, _ = s.repo.head()
	}
	if commit != "" && s.trees[commit] != "" {
		return commit, s.trees[commit], nil
	}
	ask := commit
	if ask == "" {
		ask = s.opts.Base
	}
	if commit, tree, err = s.resolve(ctx, ask); err != nil {
		return "", "", fmt.Errorf("find base %q: %w", s.opts.Base, s.whyNoBase(err))
	}
	return commit, tree, nil
}

// whyNoBase tells a branch that has no commit yet from a wrong name.
func (s *Space) whyNoBase(err error) error {
	if _, ref := s.repo.head(); s.opts.Base == "HEAD" && ref != "" && errors.Is(err, ErrNoBase) {
		return fmt.Errorf("branch %s: %w", strings.TrimPrefix(ref, "refs/heads/"), ErrNoCommit)
	}
	return err
}

// resolve finds the commit that an expression names, and its tree, in the
// user's repository.
func (s *Space) resolve(ctx context.Context, expr string) (commit, tree string, err error) {
	if expr == "" || strings.ContainsAny(expr, "\n\r\x00") {
		return "", "", ErrNoBase
	}
	c := call{gitDir: s.repo.gitDir, args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"}}
	c.stdin = []byte(expr + "^{commit}\n" + expr + "^{tree}\n")
	out, err := s.git.run(ctx, c)
	if err != nil {
		return "", "", err
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 2 {
		return "", "", ErrNoBase
	}
	commit, ok1 := strings.CutSuffix(lines[0], " commit")
	tree, ok2 := strings.CutSuffix(lines[1], " tree")
	if !ok1 || !ok2 || !isID(commit) || !isID(tree) {
		return "", "", ErrNoBase
	}
	s.trees[commit], s.theirs[commit] = tree, true
	return commit, tree, nil
}

// treeOf is the tree of a commit, wherever it is kept.
func (s *Space) treeOf(ctx context.Context, commit string) (string, error) {
	if t := s.trees[commit]; t != "" {
		return t, nil
	}
	if !isID(commit) {
		return "", fmt.Errorf("%q: %w", commit, ErrNoBase)
	}
	c := s.ctl.bare("rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{tree}")
	out, err := s.git.run(ctx, c)
	if err != nil {
		return "", fmt.Errorf("find commit %.12s: %w", commit, err)
	}
	s.trees[commit] = strings.TrimSpace(string(out))
	return s.trees[commit], nil
}

// isID tells whether s is an object id in full.
func isID(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 40
}

// head reads HEAD: the commit, "" where only git can tell, and the branch that
// it names, "" if it is detached.
func (r *repo) head() (commit, ref string) {
	b, err := readSmall(filepath.Join(r.gitDir, "HEAD"), 4096)
	if err != nil {
		return "", ""
	}
	line := strings.TrimSpace(string(b))
	ref, ok := strings.CutPrefix(line, "ref: ")
	if !ok {
		if isID(line) {
			return line, ""
		}
		return "", ""
	}
	if !strings.HasPrefix(ref, "refs/heads/") || !filepath.IsLocal(ref) {
		return "", ref
	}
	b, err = readSmall(filepath.Join(r.common, filepath.FromSlash(ref)), 4096)
	switch line = strings.TrimSpace(string(b)); {
	case err == nil && isID(line):
		return line, ref
	case errors.Is(err, fs.ErrNotExist):
		return r.packed(ref), ref
	}
	return "", ref
}

// packed looks a ref up in packed-refs.
func (r *repo) packed(ref string) string {
	b, err := readSmall(filepath.Join(r.common, "packed-refs"), 256<<20)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		id, name, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if name == ref && isID(id) {
			return id
		}
	}
	return ""
}
