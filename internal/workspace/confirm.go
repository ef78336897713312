package workspace

import (
	"context"
	"crypto/sha1"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"looprun.dev/looprun/internal/fsx"
)

// confirm holds a snapshot against the tree once more, trusting no stamp and
// no index: every file is read and hashed, and the changed paths are found
// again by walking the two trees.
func (s *Space) confirm(ctx context.Context, snap Snapshot) error {
	if len(snap.Changes) == 0 {
		return nil // the tree is its base
	}
	if err := s.rehash(ctx, snap); err != nil {
		return err
	}
	return s.recount(snap)
}

// rehash compares the files of the tree with the blobs of the candidate.
func (s *Space) rehash(ctx context.Context, snap Snapshot) error {
	index := s.scratch("index")
	entries, err := readIndex(index)
	if err != nil {
		return err
	}
	h := sha1.New()
	var odd []indexed
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if e.mode&kindMask == kindModule || s.isOutside(e.path) {
			continue
		}
		if id, err := s.work.hash(h, e); err != nil || id != e.id {
			odd = append(odd, e)
		}
	}
	if len(odd) == 0 {
		return nil
	}
	return s.secondOpinion(ctx, snap, odd)
}

// isOutside tells whether path is never part of a candidate.
func (s *Space) isOutside(path string) bool {
	for _, dir := range s.work.outside {
		if dir = strings.Trim(dir, "/"); path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// hash is the id of a file's raw bytes as a blob.
func (t *tree) hash(h hash.Hash, e indexed) (id [20]byte, err error) {
	path := filepath.Join(t.dir, filepath.FromSlash(e.path))
	h.Reset()
	if e.mode&kindMask == kindLink {
		to, err := os.Readlink(path)
		if err != nil {
			return id, err
		}
		fmt.Fprintf(h, "blob %d\x00%s", len(to), to)
		return [20]byte(h.Sum(nil)), nil
	}
	f, err := fsx.Scratch(t.dir).OpenFile(filepath.FromSlash(e.path), os.O_RDONLY|nofollow)
	if err != nil {
		return id, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return id, err
	}
	if !info.Mode().IsRegular() {
		return id, fmt.Errorf("%q is no file", e.path)
	}
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	if _, err := io.Copy(h, io.LimitReader(f, info.Size())); err != nil {
		return id, err
	}
	return [20]byte(h.Sum(nil)), nil
}

// secondOpinion asks git about files whose raw bytes are not the blob: line
// endings and filters make such files. The index that it looks into is new, so
// that git has to read them.
func (s *Space) secondOpinion(ctx context.Context, snap Snapshot, odd []indexed) error {
	c := s.work.call("read-tree", snap.Tree)
	c.index = s.scratch("fresh")
	if _, err := s.git.run(ctx, c); err != nil {
		return err
	}
	c.args = []string{"update-index", "-q", "--refresh"}
	if _, err := s.git.answer(ctx, c); err != nil { // 1: some differ
		return err
	}
	c.args = []string{"diff-files", "-z", "--name-only", "--no-ext-diff", "--no-textconv"}
	out, err := s.git.run(ctx, c)
	if err != nil {
		return err
	}
	for _, path := range strings.Split(string(out), "\x00") {
		for _, e := range odd {
			if e.path == path {
				return fmt.Errorf("%q: %w", path, ErrUnstable)
			}
		}
	}
	return nil
}

// recount derives the changed paths again, from the objects and without git,
// and compares them with what git said.
func (s *Space) recount(snap Snapshot) error {
	base, err := s.openObjects().commit(snap.Base)
	if err != nil {
		return fmt.Errorf("read the base: %w", err)
	}
	found := map[string][2]object.TreeEntry{}
	if err := s.store.differ("", base.TreeHash, plumbing.NewHash(snap.Tree), found); err != nil {
		return fmt.Errorf("compare trees: %w", err)
	}
	for _, c := range snap.Changes {
		pair, ok := found[c.Path]
		if !ok || !sides(c, pair) {
			return fmt.Errorf("git tells of %q, the objects do not: %w", c.Path, ErrUnstable)
		}
		delete(found, c.Path)
	}
	for path := range found {
		return fmt.Errorf("the objects tell of %q, git does not: %w", path, ErrUnstable)
	}
	return nil
}

// sides compares one change with the two entries that the walk found.
func sides(c Change, pair [2]object.TreeEntry) bool {
	return uint32(pair[0].Mode) == c.OldMode && uint32(pair[1].Mode) == c.NewMode &&
		pair[0].Hash.String() == c.OldID && pair[1].Hash.String() == c.NewID
}

// differ walks two trees side by side, entering only what differs.
func (o *objects) differ(dir string, from, to plumbing.Hash, found map[string][2]object.TreeEntry) error {
	old, err := o.entries(from)
	if err != nil {
		return err
	}
	now, err := o.entries(to)
	if err != nil {
		return err
	}
	for name, a := range old {
		b := now[name]
		delete(now, name)
		if err := o.pair(join(dir, name), a, b, found); err != nil {
			return err
		}
	}
	for name, b := range now {
		if err := o.pair(join(dir, name), object.TreeEntry{}, b, found); err != nil {
			return err
		}
	}
	return nil
}

func (o *objects) entries(id plumbing.Hash) (map[string]object.TreeEntry, error) {
	if id.IsZero() {
		return map[string]object.TreeEntry{}, nil
	}
	return o.tree(id)
}

// pair compares what stands under one name on both sides.
func (o *objects) pair(path string, a, b object.TreeEntry, found map[string][2]object.TreeEntry) error {
	if a.Hash == b.Hash && a.Mode == b.Mode {
		return nil
	}
	var from, to plumbing.Hash
	if isTree(a) {
		from, a = a.Hash, object.TreeEntry{}
	}
	if isTree(b) {
		to, b = b.Hash, object.TreeEntry{}
	}
	if !a.Hash.IsZero() || !b.Hash.IsZero() {
		found[path] = [2]object.TreeEntry{a, b}
	}
	if from.IsZero() && to.IsZero() {
		return nil
	}
	return o.differ(path, from, to, found)
}

func isTree(e object.TreeEntry) bool { return uint32(e.Mode) == kindDir }
