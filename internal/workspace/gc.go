package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"looprun.dev/looprun/internal/fsx"
)

// Kinds of what GC can drop.
const (
	KindKeep      = "keep"      // the base of a task, in the user's repository
	KindAccepted  = "accepted"  // what was landed
	KindRound     = "round"     // a rejected round
	KindCandidate = "candidate" // a commit of the control directory
)

// A Sweep says what GC may do.
type Sweep struct {
	DryRun   bool
	Unlanded bool     // also drop what no branch or tag of the user's contains
	Active   []string // tasks that have not ended: nothing of theirs is dropped
}

// A Garbage is one ref that GC dropped, would drop, or leaves alone.
type Garbage struct {
	Kind, Task, Ref, Commit string
	Landed                  bool // a branch or tag of the user's contains the commit
	Active                  bool // its task has not ended
	Drop                    bool // dropped or, in a dry run, to be dropped
	local                   bool // a ref of the control directory
}

// GC goes through all that looprun keeps for tasks that have ended. What no
// branch or tag of the user's contains is left, and told with Landed false,
// unless Unlanded is set; a commit that is still kept under another ref of the
// user's repository counts as landed for the control directory.
func (s *Space) GC(ctx context.Context, w Sweep) ([]Garbage, error) {
	all, err := s.garbage(ctx)
	if err != nil {
		return nil, fmt.Errorf("collect garbage: %w", err)
	}
	if err := s.markLanded(ctx, all); err != nil {
		return nil, fmt.Errorf("collect garbage: %w", err)
	}
	for i := range all {
		g := &all[i]
		g.Active = slices.Contains(w.Active, g.Task)
		g.Drop = !g.Active && (g.Landed || w.Unlanded || g.Kind == KindKeep)
	}
	if w.DryRun {
		return all, nil
	}
	if err := s.drop(ctx, all); err != nil {
		return nil, fmt.Errorf("collect garbage: %w", err)
	}
	return all, nil
}

// garbage lists all refs of looprun, here and in the user's repository.
func (s *Space) garbage(ctx context.Context) ([]Garbage, error) {
	refs, err := s.readRefs(ctx, ours)
	if err != nil {
		return nil, err
	}
	var all []Garbage
	for ref, commit := range refs {
		kind, task := kindOf(ref)
		all = append(all, Garbage{Kind: kind, Task: task, Ref: ref, Commit: commit})
	}
	local, err := s.localRefs()
	if err != nil {
		return nil, err
	}
	all = append(all, local...)
	slices.SortFunc(all, func(a, b Garbage) int {
		return strings.Compare(a.Task+"\x00"+a.Kind+a.Ref, b.Task+"\x00"+b.Kind+b.Ref)
	})
	return all, nil
}

// kindOf reads a ref of looprun's in the user's repository.
func kindOf(ref string) (kind, task string) {
	folder, name, _ := strings.Cut(strings.TrimPrefix(ref, ours), "/")
	switch folder {
	case "keep":
		return KindKeep, taskOf(name)
	case "land":
		return KindAccepted, taskOf(name)
	}
	return KindRound, taskOf(folder)
}

// localRefs lists the candidates and merges of the control directory.
func (s *Space) localRefs() ([]Garbage, error) {
	root := filepath.Join(s.ctl.dir, "refs", "looprun")
	var all []Garbage
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && !e.Type().IsRegular() || err == nil && fsx.IsTemp(e.Name()) {
			return nil
		}
		if err != nil {
			return err
		}
		b, err := readSmall(path, 128)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		parts := strings.Split(filepath.ToSlash(rel), "/") // cand/<task>/r<N>/t<K>, merge/<task>
		if id := strings.TrimSpace(string(b)); isID(id) && len(parts) > 1 {
			all = append(all, Garbage{Kind: KindCandidate, Task: taskOf(parts[1]), Ref: ours + strings.Join(parts, "/"), Commit: id, local: true})
		}
		return nil
	})
	return all, err
}

// markLanded asks git once which commits no branch and no tag contains. For
// candidates of the control directory the refs of looprun count as well.
func (s *Space) markLanded(ctx context.Context, all []Garbage) error {
	theirs, local := map[string]bool{}, map[string]bool{}
	for _, g := range all {
		if g.local {
			local[g.Commit] = true
		} else {
			theirs[g.Commit] = true
		}
	}
	loose, err := s.unreached(ctx, theirs, "--branches", "--tags", "--remotes")
	if err != nil {
		return err
	}
	for id := range local {
		if !theirs[id] && !s.openObjects().has(plumbing.NewHash(id)) {
			loose[id] = true
			delete(local, id)
		}
	}
	alone, err := s.unreached(ctx, local, "--branches", "--tags", "--remotes", "--glob="+ours+"*")
	if err != nil {
		return err
	}
	for i, g := range all {
		all[i].Landed = !loose[g.Commit] || g.local && !alone[g.Commit] && local[g.Commit]
	}
	return nil
}

// unreached are those commits that none of the refs contains.
func (s *Space) unreached(ctx context.Context, ids map[string]bool, refs ...string) (map[string]bool, error) {
	loose := map[string]bool{}
	if len(ids) == 0 {
		return loose, nil
	}
	c := s.user(append([]string{"rev-list", "--stdin", "--ignore-missing", "--not"}, refs...)...)
	var in strings.Builder
	for id := range ids {
		in.WriteString(id + "\n")
	}
	c.stdin = []byte(in.String())
	out, err := s.git.run(ctx, c)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if id := strings.TrimSpace(line); ids[id] {
			loose[id] = true
		}
	}
	return loose, nil
}

// drop deletes what is marked: refs of the user's repository at their known
// values and all at once, then those of the control directory, then objects
// that nothing names any more.
func (s *Space) drop(ctx context.Context, all []Garbage) error {
	var moves []refChange
	for _, g := range all {
		if g.Drop && !g.local {
			moves = append(moves, refChange{g.Ref, g.Commit, zeroID})
		}
	}
	if len(moves) > 0 {
		if err := s.moveRefs(ctx, "gc", moves...); err != nil {
			return err
		}
	}
	dropped := false
	for _, g := range all {
		if !g.Drop || !g.local {
			continue
		}
		dropped = true
		file := filepath.Join(s.ctl.dir, filepath.FromSlash(g.Ref))
		if err := fsx.Scratch(file).RemoveAll(""); err != nil {
			return err
		}
	}
	if !dropped {
		return nil
	}
	_, err := s.git.run(ctx, s.ctl.bare("prune", "--expire=now"))
	return err
}
