package workspace

import (
	"context"
	"fmt"
	"strings"
)

// CheckTree makes a clean checkout of commit for one run of checks and returns
// its directory. Paths in protect, files or folders, are as they are in the
// base that the commit stands on. Whatever an earlier run left is deleted, but
// for what setup and share made and nothing touched since.
//
// In place it is the checkout itself, as it stands.
func (s *Space) CheckTree(ctx context.Context, commit string, protect []string) (string, error) {
	if s.opts.InPlace {
		return s.work.dir, nil
	}
	want, err := s.protected(ctx, commit, protect)
	if err != nil {
		return "", fmt.Errorf("make check tree of %.12s: %w", commit, err)
	}
	if err := s.checking(true); err != nil {
		return "", fmt.Errorf("make check tree of %.12s: %w", commit, err)
	}
	if err := s.furnishCheck(ctx, want, commit); err != nil {
		return "", fmt.Errorf("make check tree of %.12s: %w", commit, err)
	}
	return s.check.dir, s.checking(false)
}

// checking notes that the check tree is being changed, so that the next process
// looks for what this one may have left running in it.
func (s *Space) checking(now bool) error {
	next := s.state
	next.Checking = now
	return s.setState(next)
}

func (s *Space) furnishCheck(ctx context.Context, want, commit string) error {
	spoilt, err := s.check.checkout(ctx, want)
	if err != nil {
		return err
	}
	if err := s.install(ctx, s.check, spoilt); err != nil {
		return err
	}
	return s.plantGit(s.check, commit)
}

// protected is commit, or a tree like it with the protected paths of its base.
func (s *Space) protected(ctx context.Context, commit string, protect []string) (string, error) {
	if len(protect) == 0 {
		return commit, nil
	}
	parent := commit + "^"
	out, err := s.git.run(ctx, call{gitDir: s.ctl.count, args: append(diffTree("--raw"), parent, commit)})
	if err != nil {
		return "", err
	}
	changes, err := parseDiff(out)
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	for _, c := range changes {
		if covers(protect, c.Path) { // mode 0 takes the path out
			fmt.Fprintf(&lines, "%06o %s 0\t%s\x00", c.OldMode, c.OldID, c.Path)
		}
	}
	if lines.Len() == 0 {
		return commit, nil
	}
	return s.patched(ctx, commit, lines.String())
}

// patched writes the tree of commit with some entries replaced.
func (s *Space) patched(ctx context.Context, commit, entries string) (string, error) {
	index := s.scratch("protect")
	read := call{gitDir: s.ctl.dir, index: index, args: []string{"read-tree", commit}}
	if _, err := s.git.run(ctx, read); err != nil {
		return "", err
	}
	set := call{gitDir: s.ctl.dir, index: index, stdin: []byte(entries), args: []string{"update-index", "--add", "--replace", "-z", "--index-info"}}
	if _, err := s.git.run(ctx, set); err != nil {
		return "", err
	}
	out, err := s.git.run(ctx, call{gitDir: s.ctl.dir, index: index, args: []string{"write-tree"}})
	return strings.TrimSpace(string(out)), err
}

// covers tells whether path is one of the names or below one of them.
func covers(names []string, path string) bool {
	for _, n := range names {
		if n = strings.Trim(n, "/"); path == n || strings.HasPrefix(path, n+"/") {
			return true
		}
	}
	return false
}
