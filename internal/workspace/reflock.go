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

const (
	lockedSoon = 10 * time.Second // after the note git has taken its locks at the latest
	lockHeld   = time.Minute      // longer than git holds a lock
	lockedWith = time.Second      // the locks of one change of refs are that near to one another
)

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
	if s.state.Boot == "" { // the machine has started anew: the note may be lost
		if err := s.unlockOld(time.Now().Add(-lockHeld)); err != nil {
			return err
		}
	}
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

// unlockOld takes away the locks from before a time on refs that are looprun's
// alone, and with each those that the same git took.
func (s *Space) unlockOld(before time.Time) error {
	locks := fsx.Scratch(s.repo.common)
	mine, err := filepath.Glob(locks.Path(filepath.FromSlash(ours) + "*/*.lock"))
	if err != nil {
		return nil // the repository has a name that is a bad pattern
	}
	for _, lock := range mine {
		info, err := os.Lstat(lock)
		if err != nil || !info.Mode().IsRegular() || info.ModTime().After(before) {
			continue
		}
		ref, err := filepath.Rel(string(locks), strings.TrimSuffix(lock, ".lock"))
		if err != nil {
			return fmt.Errorf("unlock %q: %w", lock, err)
		}
		with := append(s.lockedHeads(), "packed-refs", ref)
		for _, ref := range with {
			if err := s.unlockBetween(ref, info.ModTime().Add(-lockedWith), info.ModTime().Add(lockedWith)); err != nil {
				return err
			}
		}
	}
	return nil
}

// lockedHeads lists the branches that are locked.
func (s *Space) lockedHeads() []string {
	var refs []string
	_ = filepath.WalkDir(filepath.Join(s.repo.common, "refs", "heads"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") && e.Type().IsRegular() {
			if ref, err := filepath.Rel(s.repo.common, strings.TrimSuffix(path, ".lock")); err == nil {
				refs = append(refs, ref)
			}
		}
		return nil // what cannot be read is not ours
	})
	return refs
}

// unlockRef takes the lock of one ref away if it was taken soon after noted.
func (s *Space) unlockRef(ref string, noted time.Time) error {
	if !filepath.IsLocal(filepath.FromSlash(ref)) {
		return nil
	}
	return s.unlockBetween(ref, noted, noted.Add(lockedSoon))
}

func (s *Space) unlockBetween(ref string, from, until time.Time) error {
	lock := filepath.FromSlash(ref) + ".lock"
	info, err := os.Lstat(filepath.Join(s.repo.common, lock))
	if err != nil {
		return nil // as a rule there is none
	}
	if at := info.ModTime(); !info.Mode().IsRegular() || at.Before(from) || at.After(until) {
		return nil
	}
	if err := fsx.Scratch(s.repo.common).Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unlock %s: %w", ref, err)
	}
	return nil
}
