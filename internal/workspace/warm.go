package workspace

import (
	"context"
	"fmt"
	"slices"
)

// Warm makes the work tree the present base while there is nothing else to do,
// so that the next Prepare finds it made and has only to look. A tree that a
// task may go on with stays as it is, and no ref is moved. In place it only
// looks at the checkout, so that looking again starts no git.
//
// It may be cut off anywhere, as Prepare may.
func (s *Space) Warm(ctx context.Context) error {
	if s.opts.InPlace {
		_, err := s.Dirty(ctx)
		return err
	}
	task, was, ok := s.Prepared()
	if task != "" && !slices.Contains(s.state.Drop, task) {
		return nil
	}
	base, _, err := s.Base(ctx)
	if err != nil || ok && task == "" && was == base {
		return err
	}
	s.last, s.shares = nil, nil
	if err := s.make(ctx, "", base); err != nil {
		return fmt.Errorf("make the tree ready: %w", err)
	}
	return nil
}
