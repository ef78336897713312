package workspace

import (
	"context"
	"fmt"
	"path/filepath"

	"looprun.dev/looprun/internal/fsx"
)

// Restore makes the work tree of the task that it was prepared for what a
// candidate of that task left in it: the base with the candidate's changes, for
// a try that goes on from them. What git ignores is not among them.
//
// A crash in between leaves the base, or a part of the changes: whoever needs
// them compares the snapshot with the candidate's tree.
func (s *Space) Restore(ctx context.Context, commit string) error {
	switch {
	case s.opts.InPlace:
		return fmt.Errorf("restore %.12s: the checkout is the user's", commit)
	case s.state.Base == "":
		return fmt.Errorf("restore %.12s: %w", commit, ErrNotPrepared)
	}
	s.last = nil
	err := s.make(ctx, s.state.Task, s.state.Base)
	if err == nil {
		err = s.redo(ctx, commit)
	}
	if err != nil {
		return fmt.Errorf("restore %.12s: %w", commit, err)
	}
	return nil
}

// redo writes what a commit changed of the base into a tree that is the base.
// The tree's own index and stamps stay those of the base, so that a snapshot
// sees the changes. A path goes before another comes in its place: a file may
// have become a folder.
func (s *Space) redo(ctx context.Context, commit string) error {
	args := append(diffTree("--raw"), s.state.Base, commit)
	out, err := s.git.run(ctx, s.ctl.bare(args...))
	if err != nil {
		return err
	}
	changes, err := parseDiff(out)
	if err != nil {
		return err
	}
	root := fsx.Scratch(s.work.dir)
	var paths []string
	for _, c := range changes {
		if err := root.RemoveAll(filepath.FromSlash(c.Path)); err != nil {
			return err
		}
		if c.Status != 'D' {
			paths = append(paths, c.Path)
		}
	}
	index := s.scratch("restore")
	defer fsx.Scratch(index).RemoveAll("")
	for _, c := range []call{
		{gitDir: s.ctl.dir, index: index, args: []string{"read-tree", commit}},
		{gitDir: s.ctl.dir, index: index, workTree: s.work.dir, stdin: zlist(paths), args: []string{"checkout-index", "--force", "--quiet", "-z", "--stdin"}},
	} {
		if _, err := s.git.run(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
