package workspace

import (
	"context"
	"errors"
	"fmt"
)

// Stack merges accepted commits onto base, in order, and returns the commit
// that a task which comes after them starts from. What base contains already is
// skipped. The same arguments give the same commit. It is kept from gc by
// Prepare. A *Conflict says which two do not go together.
func (s *Space) Stack(ctx context.Context, base string, commits []string) (string, error) {
	for _, c := range commits {
		has, err := s.contains(ctx, base, c)
		if err != nil {
			return "", fmt.Errorf("stack on %.12s: %w", c, err)
		}
		if has {
			continue
		}
		if has, err = s.contains(ctx, c, base); err != nil {
			return "", fmt.Errorf("stack on %.12s: %w", c, err)
		}
		if has {
			base = c
			continue
		}
		if base, err = s.merge(ctx, base, c, fmt.Sprintf("Stack on %.12s", c)); err != nil {
			return "", fmt.Errorf("stack on %.12s: %w", c, err)
		}
	}
	return base, nil
}

// Accepted is the commit that was landed for task in any mode, if GC has not
// dropped its ref.
func (s *Space) Accepted(ctx context.Context, task string) (string, error) {
	refs, err := s.readRefs(ctx, landRef(task))
	if err != nil {
		return "", err
	}
	if id := refs[landRef(task)]; id != "" {
		return id, nil
	}
	return "", fmt.Errorf("find what was accepted of %s: %w", task, errNotAccepted)
}

var errNotAccepted = errors.New("no such ref")
