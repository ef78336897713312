//go:build linux || darwin

package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told renders what GC says: kind, task, and what becomes of it.
func told(all []Garbage) []string {
	var out []string
	for _, g := range all {
		out = append(out, fmt.Sprintf("%s %s landed=%t drop=%t", g.Kind, g.Task, g.Landed, g.Drop))
	}
	return out
}

func TestGCDropsNothingThatIsNotLandedWithoutBeingAsked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.messUp()
	s := f.open()
	ctx := t.Context()
	base, _, err := s.Base(ctx)
	mustDo(t, err)
	// landed: on a branch. lost: accepted, but its branch was deleted. busy: not ended.
	for _, task := range []string{"landed", "lost", "busy"} {
		mustDo(t, s.Prepare(ctx, task, base))
		rejected := f.candidate(s, "a.txt", task+" first\n")
		_, err := s.Archive(ctx, task, 1, 1, rejected)
		mustDo(t, err)
		commit := f.candidate(s, "a.txt", task+"\n")
		if task != "busy" {
			_, err = s.Land(ctx, Landing{Task: task, Commit: commit, Mode: "branch", Branch: "looprun/" + task})
			mustDo(t, err)
		}
	}
	f.git("-c", "core.hooksPath=/dev/null", "update-ref", "-d", "refs/heads/looprun/lost")
	refs := f.refs()
	w := Sweep{DryRun: true, Active: []string{"busy"}}
	all, err := s.GC(ctx, w)
	mustDo(t, err)
	want := []string{
		"candidate busy landed=true drop=false",  // archived
		"candidate busy landed=false drop=false", // the one under way
		"keep busy landed=true drop=false",
		"round busy landed=false drop=false",
		"accepted landed landed=true drop=true",
		"candidate landed landed=true drop=true",
		"candidate landed landed=true drop=true",
		"round landed landed=false drop=false",
		"accepted lost landed=false drop=false",
		"candidate lost landed=true drop=true", // still under its land ref
		"candidate lost landed=true drop=true",
		"round lost landed=false drop=false",
	}
	if diff := cmp.Diff(want, told(all)); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(refs, f.refs()); diff != "" {
		t.Errorf("a dry run changed refs:\n%s", diff)
	}
	w.DryRun = false
	_, err = s.GC(ctx, w)
	mustDo(t, err)
	all, err = s.GC(ctx, w)
	mustDo(t, err)
	if diff := cmp.Diff([]string{
		"candidate busy landed=true drop=false",
		"candidate busy landed=false drop=false",
		"keep busy landed=true drop=false",
		"round busy landed=false drop=false",
		"round landed landed=false drop=false",
		"accepted lost landed=false drop=false",
		"round lost landed=false drop=false",
	}, told(all)); diff != "" {
		t.Errorf("after a sweep (-want +got):\n%s", diff)
	}
	w.Unlanded = true
	_, err = s.GC(ctx, w)
	mustDo(t, err)
	all, err = s.GC(ctx, w)
	mustDo(t, err)
	if diff := cmp.Diff([]string{
		"candidate busy landed=true drop=false",
		"candidate busy landed=false drop=false",
		"keep busy landed=true drop=false",
		"round busy landed=false drop=false",
	}, told(all)); diff != "" {
		t.Errorf("after a sweep of everything (-want +got):\n%s", diff)
	}
	_, err = s.Land(ctx, Landing{Task: "busy", Commit: all[1].Commit, Mode: "branch", Branch: "looprun/busy"})
	mustDo(t, err)
	mustDo(t, s.Prepare(ctx, "next", base))
	f.pristine(s, base)
	f.untouched()
}

func TestARejectedRoundThatWasMergedByHandCountsAsLanded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, _ := f.prepared()
	commit := f.candidate(s, "a.txt", "x\n")
	ref, err := s.Archive(t.Context(), "t1", 1, 1, commit)
	mustDo(t, err)
	f.git("branch", "mine", ref)
	all, err := s.GC(t.Context(), Sweep{})
	mustDo(t, err)
	if diff := cmp.Diff([]string{"candidate t1 landed=true drop=true", "keep t1 landed=true drop=true", "round t1 landed=true drop=true"}, told(all)); diff != "" {
		t.Error(diff)
	}
	if got := f.git("for-each-ref", "refs/looprun"); got != "" {
		t.Errorf("refs left: %s", got)
	}
}

func TestReleaseTakesTheKeepRefWithTheNextChange(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, base := f.prepared()
	mustDo(t, s.Release("t1"))
	mustDo(t, s.Release("t1"))
	s, err := Open(t.Context(), f.opts)
	mustDo(t, err)
	mustDo(t, s.Prepare(t.Context(), "t2", base))
	if got, want := f.git("for-each-ref", "--format=%(refname)", "refs/looprun"), "refs/looprun/keep/t2"; got != want {
		t.Errorf("refs = %s; want %s", got, want)
	}
	mustDo(t, s.Release("t2"))
	mustDo(t, s.Prepare(t.Context(), "t2", base+""))
	f.untouched()
}

func TestRemoveLeavesNoTreeAndNoKeepRef(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.messUp()
	s, base := f.prepared()
	commit := f.candidate(s, "a.txt", "x\n")
	_, err := s.CheckTree(t.Context(), commit, nil)
	mustDo(t, err)
	mustDo(t, os.Chmod(filepath.Join(s.Dir(), "src"), 0o555))
	for range 2 {
		mustDo(t, s.Remove(t.Context()))
	}
	if left, err := os.ReadDir(s.slot); err != nil || len(left) > 0 {
		t.Errorf("left in the slot: %v, %v", left, err)
	}
	if got := f.git("for-each-ref", "refs/looprun"); got != "" {
		t.Errorf("refs left: %s", got)
	}
	mustDo(t, s.Prepare(t.Context(), "t2", base))
	f.pristine(s, base)
	f.untouched()
}
