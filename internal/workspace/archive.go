package workspace

import (
	"context"
	"fmt"
)

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
