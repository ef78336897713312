package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Prepare makes the work tree exactly base, for task, and keeps base from the
// user's gc. A tree that was prepared for the same task and base already is
// left as it is, with what the generator made of it; Reset takes that away.
//
// It may be cut off anywhere and repeated: until the end the tree counts as
// changing, and then it is made right from whatever it is.
func (s *Space) Prepare(ctx context.Context, task, base string) error {
	if t, b, ok := s.Prepared(); ok && t == task && b == base {
		return nil
	}
	s.last, s.shares = nil, nil
	if !s.opts.InPlace {
		if err := s.keep(ctx, task, base); err != nil {
			return fmt.Errorf("prepare %s: %w", task, err)
		}
	}
	if err := s.make(ctx, task, base); err != nil {
		return fmt.Errorf("prepare %s: %w", task, err)
	}
	return nil
}

// Reset makes the work tree its base again: every file that is not as it was
// when the tree was made is written anew, everything else is deleted.
func (s *Space) Reset(ctx context.Context) error {
	if s.state.Base == "" {
		return fmt.Errorf("reset: %w", ErrNotPrepared)
	}
	if s.opts.InPlace {
		return fmt.Errorf("reset: the checkout is the user's")
	}
	s.last = nil
	if err := s.make(ctx, s.state.Task, s.state.Base); err != nil {
		return fmt.Errorf("reset %s: %w", s.state.Task, err)
	}
	return nil
}

// make brings the tree from any state to base. The phase is written before the
// first change and after the last.
func (s *Space) make(ctx context.Context, task, base string) error {
	next := state{Phase: phaseChanging, Task: task, Base: base, Drop: s.state.Drop}
	if err := s.setState(next); err != nil {
		return err
	}
	if s.opts.InPlace {
		if err := s.adopt(ctx, base); err != nil {
			return err
		}
	} else if err := s.furnish(ctx, s.work, base); err != nil {
		return err
	}
	next.Phase, next.Drop, next.Tree = phaseReady, s.state.Drop, s.trees[base]
	return s.setState(next)
}

// furnish checks commit out into t, with its own .git and with what setup and
// share put beside it.
func (s *Space) furnish(ctx context.Context, t *tree, commit string) error {
	spoilt, err := t.checkout(ctx, commit)
	if err != nil {
		return err
	}
	if err := s.install(ctx, t, spoilt); err != nil {
		return err
	}
	return s.plantGit(t, commit)
}

// keep sets the keep-ref, and takes those of finished tasks away with it.
func (s *Space) keep(ctx context.Context, task, base string) error {
	if s.repo.partial() {
		if err := s.whole(ctx, base); err != nil {
			return err
		}
	}
	var drop []refChange
	for _, t := range s.state.Drop {
		if t != task {
			drop = append(drop, refChange{keepRef(t), "", zeroID})
		}
	}
	why := "keep the base of " + task
	err := s.pin(ctx, why, keepRef(task), base, drop...)
	if exitCode(err) >= 0 { // a stacked base is still in the control directory alone
		if err := s.bring(ctx, base); err != nil {
			return err
		}
		err = s.pin(ctx, why, keepRef(task), base, drop...)
	}
	if err == nil {
		s.state.Drop = nil
	}
	return err
}

// Release says that task has ended and its base need not be kept any longer.
// The ref goes with the next change of refs, or with GC.
func (s *Space) Release(task string) error {
	if s.opts.InPlace || slices.Contains(s.state.Drop, task) {
		return nil
	}
	next := s.state
	next.Drop = append(slices.Clone(next.Drop), task)
	return s.setState(next)
}

// whole refuses a base of which a partial clone lacks objects: git would fetch
// them in the middle of things, or fail.
func (s *Space) whole(ctx context.Context, base string) error {
	out, err := s.git.run(ctx, s.user("rev-list", "--objects", "--missing=print", "--no-walk", base))
	if err != nil {
		return err
	}
	if n := strings.Count(string(out), "\n?"); n > 0 {
		return fmt.Errorf("%d objects of %.12s are still with the remote of this partial clone: %w", n, base, ErrIncomplete)
	}
	return nil
}
