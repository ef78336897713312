package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func inPlace(t *testing.T) *fixture {
	f := newFixture(t)
	f.opts.InPlace = true
	f.write("tasks/inbox/t1.json", "{}")
	f.write("node_modules/dep/index.js", "x\n")
	return f
}

func TestInPlaceARoundWithoutAChangeStartsNoGit(t *testing.T) {
	t.Parallel()
	f := inPlace(t)
	s, _ := f.prepared()
	if len(f.calls) > 6 {
		t.Errorf("%d git processes; want at most 6", len(f.calls))
	}
	again, err := Open(t.Context(), f.opts)
	mustDo(t, err)
	f.calls = nil
	base, _, err := s.Base(t.Context())
	mustDo(t, err)
	dirty, err := s.Dirty(t.Context())
	mustDo(t, err)
	mustDo(t, s.Prepare(t.Context(), "t2", base))
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if len(dirty) > 0 || len(snap.Changes) > 0 || len(f.calls) > 0 {
		t.Errorf("dirty %q, changes %v, git %q; want none", dirty, snap.Changes, f.calls)
	}
	if dirty, err := again.Dirty(t.Context()); err != nil || len(dirty) > 0 {
		t.Errorf("Dirty of another process = %q, %v; want none", dirty, err)
	}
	f.untouched()
}

func TestInPlaceADirtyCheckoutIsNotTakenUp(t *testing.T) {
	t.Parallel()
	for name, mess := range map[string]struct {
		do   func(*fixture)
		want []string
	}{
		"an edit":                {func(f *fixture) { f.write("README.md", "x") }, []string{"README.md"}},
		"a deletion":             {func(f *fixture) { mustDo(f.t, os.Remove(filepath.Join(f.repo, "run.sh"))) }, []string{"run.sh"}},
		"a new file":             {func(f *fixture) { f.write("a b.txt", "x") }, []string{"a b.txt"}},
		"a mode":                 {func(f *fixture) { mustDo(f.t, os.Chmod(filepath.Join(f.repo, "run.sh"), 0o644)) }, []string{"run.sh"}},
		"a staged edit put back": {func(f *fixture) { f.write("README.md", "x"); f.git("add", "."); f.write("README.md", "hello again\n") }, []string{"README.md"}},
		"a task and an ignored file are no change": {func(f *fixture) { f.write("tasks/x.json", "x"); f.write("a.log", "x") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := inPlace(t)
			f.prepared() // the clean checkout is remembered
			mess.do(f)
			s, err := Open(t.Context(), f.opts)
			mustDo(t, err)
			got, err := s.Dirty(t.Context())
			mustDo(t, err)
			if diff := cmp.Diff(mess.want, got); diff != "" {
				t.Error(diff)
			}
			base, _, err := s.Base(t.Context())
			mustDo(t, err)
			if err := s.Prepare(t.Context(), "t2", base); errors.Is(err, ErrDirty) != (mess.want != nil) {
				t.Errorf("Prepare = %v", err)
			}
		})
	}
}

func TestInPlaceACandidateIsCommittedOnTheCurrentBranch(t *testing.T) {
	t.Parallel()
	f := inPlace(t)
	s, base := f.prepared()
	f.calls = nil
	f.write("README.md", "changed\n")
	f.write("new/n.txt", "n\n")
	mustDo(t, os.Remove(filepath.Join(f.repo, "run.sh")))
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	commit, err := s.Commit(t.Context(), snap, Meta{Task: "t1", Round: 1, Try: 1, At: when})
	mustDo(t, err)
	f.write("check.log", "made by a check\n")
	after, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if after.Tree != snap.Tree {
		t.Errorf("tree after the checks = %s; want %s", after.Tree, snap.Tree)
	}
	for range 2 { // again after a crash
		done, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "commit"})
		mustDo(t, err)
		if want := (Landed{Mode: "commit", Branch: "main", Commit: commit}); done != want {
			t.Errorf("Land = %+v; want %+v", done, want)
		}
	}
	if got := f.git("rev-parse", "HEAD", "HEAD^"); got != commit+"\n"+base {
		t.Errorf("HEAD = %s; want %s on %s", got, commit, base)
	}
	if got := f.git("status", "--porcelain"); got != "" {
		t.Errorf("status = %q; want a clean checkout", got)
	}
	if dirty, err := s.Dirty(t.Context()); err != nil || len(dirty) > 0 {
		t.Errorf("Dirty = %q, %v; want none", dirty, err)
	}
}
