package workspace

import (
	"context"
	"fmt"
	"slices"

	"looprun.dev/looprun/internal/fsx"
)

// Remove takes the slot's trees away, and the keep-ref of the task that was in
// it. The control directory stays: it may hold candidates of other tasks.
func (s *Space) Remove(ctx context.Context) error {
	was := s.state
	if err := s.setState(state{Phase: phaseChanging, Task: was.Task, Base: was.Base, Drop: was.Drop}); err != nil {
		return fmt.Errorf("remove trees: %w", err)
	}
	s.last = nil
	if s.opts.InPlace {
		return s.removeNotes()
	}
	for _, t := range []*tree{s.work, s.check} {
		if err := t.remove(); err != nil {
			return err
		}
	}
	var moves []refChange
	ended := append(slices.Clone(was.Drop), was.Task)
	slices.Sort(ended)
	for _, task := range slices.Compact(ended) { // one transaction takes a ref once
		if task != "" {
			moves = append(moves, refChange{keepRef(task), "", zeroID})
		}
	}
	if len(moves) > 0 {
		if err := s.moveRefs(ctx, "remove the tree of "+was.Task, moves...); err != nil {
			return fmt.Errorf("remove trees: %w", err)
		}
	}
	return s.removeNotes()
}

// removeNotes takes away what is known of the slot; the checkout itself is the
// user's.
func (s *Space) removeNotes() error {
	s.state = state{}
	s.work.forget()
	if err := fsx.Scratch(s.slot).RemoveAll(""); err != nil {
		return fmt.Errorf("remove %q: %w", s.slot, err)
	}
	return fsx.Scratch(s.slot).MkdirAll("")
}
