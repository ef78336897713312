package workspace

import (
	"context"
	"fmt"
)

// Carry puts a commit that was made here, with all that it stands on, into the
// user's repository, durably and under no name: whoever asks names it at once.
func (s *Space) Carry(ctx context.Context, commit string) error {
	if !isID(commit) {
		return fmt.Errorf("carry %q: %w", commit, ErrNoBase)
	}
	return s.bring(ctx, commit)
}
