package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"looprun.dev/looprun/internal/fsx"
)

// checkout makes the tree exactly what commit says, plus what setup and share
// had made and nobody touched. It returns whether any of the latter is gone.
//
// Whatever differs from the stamps is deleted here, so that git only ever
// writes into a place that is free: it meets no link, pipe or repository that
// a generator left.
func (t *tree) checkout(ctx context.Context, commit string) (spoilt bool, err error) {
	t.load()
	if err := t.stand(); err != nil {
		return false, err
	}
	removed, spoilt, err := t.clear()
	if err != nil {
		return false, err
	}
	if t.facts.Of == commit && len(removed) == 0 && t.indexed() {
		return spoilt, nil
	}
	if t.facts.Of == commit && t.indexed() {
		err = t.repair(ctx, removed)
	} else {
		err = t.fill(ctx, commit, removed)
	}
	if err == nil || ctx.Err() != nil {
		return spoilt, err
	}
	if err := t.rebuild(ctx, commit); err != nil {
		return false, err
	}
	return true, nil
}

// rebuild starts from an empty directory.
func (t *tree) rebuild(ctx context.Context, commit string) error {
	if err := t.remove(); err != nil {
		return err
	}
	if err := t.stand(); err != nil {
		return err
	}
	return t.fill(ctx, commit, map[string]bool{})
}

// stand makes the directory, unless it is there. A generator may have put a
// link in its place: what it leads to is never touched.
func (t *tree) stand() error {
	slot := filepath.Dir(t.dir)
	if real, err := filepath.EvalSymlinks(slot); err != nil || real != slot {
		return fmt.Errorf("%q was moved: %w", slot, ErrGone)
	}
	if info, err := os.Lstat(t.dir); err == nil && !info.IsDir() {
		if err := fsx.Scratch(slot).Remove(filepath.Base(t.dir)); err != nil {
			return fmt.Errorf("clear %q: %w", t.dir, err)
		}
	}
	if err := fsx.Scratch(t.dir).MkdirAll(""); err != nil {
		return fmt.Errorf("make %q: %w", t.dir, err)
	}
	return nil
}

// clear deletes everything that is not as the stamps say, and tells which
// known paths are not there any more.
func (t *tree) clear() (removed map[string]bool, spoilt bool, err error) {
	root := fsx.Scratch(t.dir)
	if err := root.RemoveAll(".git"); err != nil {
		return nil, false, fmt.Errorf("clear %q: %w", t.dir, err)
	}
	diff, err := compare(t.dir, t.known, nil)
	if err != nil {
		return nil, false, fmt.Errorf("look through %q: %w", t.dir, err)
	}
	removed = map[string]bool{}
	for _, path := range diff.gone {
		removed[path] = true
	}
	for _, f := range diff.changed {
		removed[f.path] = true
		diff.fresh = append(diff.fresh, f)
	}
	for _, f := range diff.fresh {
		if err := root.RemoveAll(filepath.FromSlash(f.path)); err != nil {
			return nil, false, fmt.Errorf("clear %q: %w", t.dir, err)
		}
	}
	for path := range removed {
		spoilt = spoilt || t.made(path)
	}
	return removed, spoilt, nil
}

// repair writes the removed files of the same commit anew. The others have just
// been seen to be untouched, so that git need not look at them again.
func (t *tree) repair(ctx context.Context, removed map[string]bool) error {
	var paths []string
	for path := range removed {
		if t.made(path) {
			t.known.drop(path)
		} else {
			paths = append(paths, path)
		}
	}
	c := t.call("checkout-index", "--index", "--force", "--quiet", "-z", "--stdin")
	c.stdin = zlist(paths)
	if _, err := t.git.run(ctx, c); err != nil {
		return fmt.Errorf("check out %d files: %w", len(paths), err)
	}
	entries, err := readIndex(t.index)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !removed[e.path] || t.made(e.path) {
			continue
		}
		s, err := lstat(filepath.Join(t.dir, filepath.FromSlash(e.path)))
		if err != nil || !e.matches(s) {
			return fmt.Errorf("%q is not as git left it", e.path)
		}
		t.known.restamp(e.path, s)
	}
	if err := t.settle(ctx); err != nil {
		return err
	}
	return t.save()
}

// fill lets git write what is missing or different and takes the new stamps.
func (t *tree) fill(ctx context.Context, commit string, removed map[string]bool) error {
	if _, err := readIndex(t.index); err != nil {
		if err := fsx.Scratch(t.index).RemoveAll(""); err != nil {
			return fmt.Errorf("remove %q: %w", t.index, err)
		}
	}
	_, err := t.git.run(ctx, t.call("read-tree", "--reset", "-u", "--no-recurse-submodules", commit))
	if err != nil {
		return fmt.Errorf("check out %.12s: %w", commit, err)
	}
	known, err := t.verify(removed)
	if err != nil {
		return fmt.Errorf("check out %.12s: %w", commit, err)
	}
	t.known, t.facts.Of = known, commit
	if err := t.settle(ctx); err != nil {
		return err
	}
	return t.save()
}

// verify holds every file of the index against the disk. What was known before
// and stands there untouched has just been looked at.
func (t *tree) verify(removed map[string]bool) (listing, error) {
	entries, err := readIndex(t.index)
	if err != nil {
		return nil, err
	}
	next := listing{"": nil}
	for _, e := range entries {
		was, ok := t.known.entry(e.path)
		s := was.stamp
		if !ok || was.Made || removed[e.path] || !e.matches(s) {
			if s, err = lstat(filepath.Join(t.dir, filepath.FromSlash(e.path))); err != nil || !e.matches(s) {
				return nil, fmt.Errorf("%q is not as git left it", e.path)
			}
		}
		if was.Made { // what setup made is part of the commit now
			removed[e.path], t.facts.Setup = true, ""
		}
		if e.mode&kindMask == kindModule {
			s = stamp{Mode: kindModule}
		}
		next.put(e.path, s, false)
	}
	t.keepMade(next, removed)
	next.sort()
	return next, nil
}

// keepMade carries over the stamps of what setup and share made.
func (t *tree) keepMade(next listing, removed map[string]bool) {
	for dir, entries := range t.known {
		for _, e := range entries {
			if path := join(dir, e.Name); e.Made && !removed[path] {
				next.put(path, e.stamp, true)
			}
		}
	}
}

// settle waits until the clock of the file system has moved on from the newest
// file. From then on every write gives a file another change time.
func (t *tree) settle(ctx context.Context) error {
	newest, coarse := int64(0), true
	for _, entries := range t.known {
		for _, e := range entries {
			newest = max(newest, e.Ctime)
			coarse = coarse && e.Ctime%1e9 == 0
		}
	}
	tick := 10 * time.Millisecond
	if coarse {
		tick = time.Second
	}
	wait := time.Until(time.Unix(0, newest).Add(tick))
	if newest == 0 || wait <= 0 || wait > 2*time.Second {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(wait):
		return nil
	}
}
