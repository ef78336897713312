package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
)

// movingFile notes, beside the trees, which refs of the user's repository a git
// of ours is moving. If it is killed there with looprun its locks stay behind,
// and nobody could move these refs again. The note need not outlast a power
// cut more surely than the locks do.
const movingFile = "moving-refs"

// lockedSoon is how long after the note git has taken its locks at the latest.
const lockedSoon = 10 * time.Second

func (s *Space) noteMoving(changes []refChange) error {
	var refs []string
	for _, c := range changes {
		refs = append(refs, c.ref)
	}
	if err := fsx.Scratch(s.slot).WriteFile(movingFile, []byte(strings.Join(refs, "\n"))); err != nil {
		return fmt.Errorf("note the refs that move: %w", err)
	}
	return nil
}

// forgetMoving takes the note back. A note that stays is harmless: the locks of a git
// that has ended are gone.
func (s *Space) forgetMoving() { _ = fsx.Scratch(s.slot).Remove(movingFile) }

// unlockRefs takes away the locks of a git that died with its looprun, after
// the last of ours has ended. Locks of the user's own git are left alone: they
// are of other refs, or of another time than the note.
func (s *Space) unlockRefs(ctx context.Context) error {
	note := filepath.Join(s.slot, movingFile)
	info, err := os.Lstat(note)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the refs that moved: %w", err)
	}
	data, err := os.ReadFile(note)
	if err != nil {
		return fmt.Errorf("read the refs that moved: %w", err)
	}
	if _, err := child.EndOrphans(ctx, nil, []string{s.git.mark}); err != nil {
		return err
	}
	for _, ref := range append(strings.Fields(string(data)), "packed-refs") {
		if err := s.unlockRef(ref, info.ModTime()); err != nil {
			return err
		}
	}
	s.forgetMoving()
	return nil
}

// unlockRef takes the lock of one ref away if it was taken soon after noted.
func (s *Space) unlockRef(ref string, noted time.Time) error {
	if !filepath.IsLocal(filepath.FromSlash(ref)) {
		return nil
	}
	lock := filepath.FromSlash(ref) + ".lock"
	info, err := os.Lstat(filepath.Join(s.repo.common, lock))
	if err != nil {
		return nil // as a rule there is none
	}
	if at := info.ModTime(); !info.Mode().IsRegular() || at.Before(noted) || at.After(noted.Add(lockedSoon)) {
		return nil
	}
	if err := fsx.Scratch(s.repo.common).Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unlock %s: %w", ref, err)
	}
	return nil
}
