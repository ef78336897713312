//go:build linux || darwin

package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a try left can be had back after another task used the tree, by the
// same space or by another process: the snapshot is the same to the byte.
func TestATreeIsRestoredAsACandidateLeftIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, base := f.prepared()
	at := func(name string) string { return filepath.Join(s.Dir(), filepath.FromSlash(name)) }
	writeFile(t, at("src/search.go"), "package src\n\nfunc B() {}\n")
	writeFile(t, at("new/file.txt"), "n\n")
	mustDo(t, os.Chmod(at("new/file.txt"), 0o755))
	mustDo(t, os.RemoveAll(at("src/deep")))
	writeFile(t, at("src/deep"), "a file now\n")
	mustDo(t, os.Remove(at("README.md")))
	writeFile(t, at("README.md/part.md"), "a folder now\n")
	mustDo(t, os.Symlink("search.go", at("src/link.go")))
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	commit, err := s.Commit(t.Context(), snap, Meta{Task: "t1", Title: "Do it", Round: 1, Try: 1, At: when})
	mustDo(t, err)
	want := files(t, s.Dir())

	mustDo(t, s.Prepare(t.Context(), "t2", base))
	writeFile(t, at("left-by-t2.txt"), "x\n")
	mustDo(t, s.Prepare(t.Context(), "t1", base))
	for range 2 { // the second finds the first's changes in the tree
		mustDo(t, s.Restore(t.Context(), commit))
		got, err := s.Snapshot(t.Context())
		mustDo(t, err)
		if diff := cmp.Diff(snap.Changes, got.Changes); diff != "" || got.Tree != snap.Tree {
			t.Errorf("restored tree %s; want %s:\n%s", got.Tree, snap.Tree, diff)
		}
		if diff := cmp.Diff(want, files(t, s.Dir())); diff != "" {
			t.Error(diff)
		}
	}
	again, err := s.Commit(t.Context(), snap, Meta{Task: "t1", Title: "Do it", Round: 1, Try: 1, At: when})
	if err != nil || again != commit {
		t.Errorf("Commit = %s, %v; want %s", again, err, commit)
	}
	mustDo(t, s.Reset(t.Context()))
	if snap, err := s.Snapshot(t.Context()); err != nil || len(snap.Changes) > 0 {
		t.Errorf("after a reset: %v, %v; want no change", snap.Changes, err)
	}
}

func TestOnlyAPreparedTreeIsRestored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open()
	if err := s.Restore(t.Context(), f.git("rev-parse", "HEAD")); err == nil {
		t.Error("Restore of a tree that was never made: no error")
	}
}
