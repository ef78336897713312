package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

// A Change is one path in which a candidate differs from its base. A rename is
// a deletion and an addition.
type Change struct {
	Path             string
	Status           byte // A M D T
	OldMode, NewMode uint32
	OldID, NewID     string // blob ids
	Added, Deleted   int    // lines; of a binary file too, so that none is free
	Size             int64  // bytes of the new blob
	Binary           bool
}

// A Snapshot is what the generator made of the tree. With Refusals there is no
// Tree, and Changes are only the paths that were touched.
type Snapshot struct {
	Base, Tree string
	Changes    []Change
	Refusals   []Refusal
	IgnoredNew []string // made by the generator and ignored; a directory ends in "/"
	Head       string   // where the generator left the HEAD of its own .git; a note, never the candidate
}

// seen is a snapshot with the stamps that it was taken from, so that a tree
// that nobody touched since is known without git.
type seen struct {
	diff  difference
	taken []found
	gone  []string
	snap  Snapshot
}

// maxNew bounds how many new files are looked at before the tree is refused.
const maxNew = 200_000

// Snapshot reads the tree exactly. Every generator process must have ended.
// Nothing in the tree is run and no git process is started before the tree has
// been looked through. An untouched tree costs no git process.
func (s *Space) Snapshot(ctx context.Context) (Snapshot, error) {
	if s.state.Phase != phaseReady {
		return Snapshot{}, fmt.Errorf("take snapshot: %w", ErrNotPrepared)
	}
	t := s.work
	t.load()
	diff, err := compare(t.dir, t.known, t.skips())
	if err != nil {
		return Snapshot{}, fmt.Errorf("take snapshot: %w", err)
	}
	if s.last != nil && s.last.diff.equal(diff) {
		return s.last.snap, nil
	}
	if err := s.snapshot(ctx, diff); err != nil {
		return Snapshot{}, fmt.Errorf("take snapshot: %w", err)
	}
	return s.last.snap, nil
}

// skips are the places in which a snapshot has no interest: the task folders,
// and what git ignored already when the tree was made.
func (t *tree) skips() skips {
	s := skips{}
	for _, path := range t.outside {
		s.add(path)
	}
	for _, path := range t.facts.Ignored {
		s.add(path)
	}
	return s
}

func (d difference) equal(e difference) bool {
	return slices.Equal(d.changed, e.changed) && slices.Equal(d.fresh, e.fresh) && slices.Equal(d.gone, e.gone)
}

// snapshot turns a difference into a tree of the control directory.
func (s *Space) snapshot(ctx context.Context, diff difference) error {
	base, err := s.treeOf(ctx, s.state.Base)
	if err != nil {
		return err
	}
	snap := Snapshot{Base: s.state.Base, Tree: base, Head: s.agentHead()}
	if diff.empty() {
		s.last = &seen{snap: snap}
		return nil
	}
	p := &scan{tree: s.work, max: s.opts.MaxFile, ctx: ctx}
	if err := p.look(diff); err != nil {
		return err
	}
	switch {
	case len(p.refusals) > 0:
		snap.Tree, snap.Changes = "", p.touched()
	case s.last != nil && slices.Equal(p.taken, s.last.taken) && slices.Equal(diff.gone, s.last.gone):
		snap.Tree, snap.Changes = s.last.snap.Tree, s.last.snap.Changes
	case len(p.taken)+len(diff.gone) > 0:
		if snap.Tree, err = s.writeTree(ctx, p); err != nil {
			return err
		}
		if snap.Changes, err = s.changes(ctx, base, snap.Tree); err != nil {
			return err
		}
	}
	snap.IgnoredNew, snap.Refusals = p.ignored, p.refusals
	s.last = &seen{diff: diff, snap: snap}
	if len(p.refusals) == 0 {
		s.last.taken, s.last.gone = p.taken, diff.gone
	}
	return nil
}

// writeTree puts the touched paths, and only those, into a copy of the tree's
// index. Git looks at no other place, so it never enters a directory.
func (s *Space) writeTree(ctx context.Context, p *scan) (string, error) {
	index := s.scratch("index")
	if err := fsx.Scratch(s.slot).CopyFile(s.work.index, filepath.Base(index)); err != nil {
		return "", err
	}
	add := s.work.call("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	add.index, add.lasting, add.stdin = index, true, zlist(append(p.paths, p.gone...))
	add.objects = s.objectDir()
	if _, err := s.git.run(ctx, add); err != nil {
		return "", err
	}
	if len(p.hidden) > 0 { // behind a link that is itself no part of the tree
		drop := s.work.call("update-index", "--force-remove", "-z", "--stdin")
		drop.index, drop.stdin = index, zlist(p.hidden)
		if _, err := s.git.run(ctx, drop); err != nil {
			return "", err
		}
	}
	write := call{gitDir: s.ctl.dir, index: index, objects: s.objectDir(), lasting: true, args: []string{"write-tree"}}
	out, err := s.git.run(ctx, write)
	return strings.TrimSpace(string(out)), err
}

// objectDir is where new objects go if not into the control directory: in the
// checkout itself a candidate's objects are the user's, as after git add.
func (s *Space) objectDir() string {
	if s.opts.InPlace {
		return s.repo.objects[0]
	}
	return ""
}
