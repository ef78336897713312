//go:build linux || darwin

package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestACandidateGoesFromTheTreeToABranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.messUp()
	s, base := f.prepared()
	ctx := t.Context()
	if got, want := files(t, s.Dir())["README.md"], "hello again\n"; got != want {
		t.Fatalf("README.md = %q; want %q", got, want)
	}
	writeFile(t, filepath.Join(s.Dir(), "src/search.go"), "package src\n\nfunc A() {}\nfunc B() {}\n")
	writeFile(t, filepath.Join(s.Dir(), "new/file.txt"), "n\n")
	writeFile(t, filepath.Join(s.Dir(), "new/x.log"), "l\n")
	mustDo(t, os.Remove(filepath.Join(s.Dir(), "src/deep/er/x.txt")))
	snap, err := s.Snapshot(ctx)
	mustDo(t, err)
	var paths []string
	for _, c := range snap.Changes {
		paths = append(paths, string(c.Status)+" "+c.Path)
	}
	if diff := cmp.Diff([]string{"A new/file.txt", "D src/deep/er/x.txt", "M src/search.go"}, paths); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"new/x.log"}, snap.IgnoredNew); diff != "" {
		t.Error(diff)
	}
	m := Meta{Task: "t1", Title: "Do it", Round: 1, Try: 1, At: when, Trailers: [][2]string{{"Looprun-Chain", "abc"}}}
	commit, err := s.Commit(ctx, snap, m)
	mustDo(t, err)
	dir, err := s.CheckTree(ctx, commit, nil)
	mustDo(t, err)
	if _, ok := files(t, dir)["new/file.txt"]; !ok {
		t.Error("check tree lacks new/file.txt")
	}
	done, err := s.Land(ctx, Landing{Task: "t1", Commit: commit, Mode: "branch", Branch: "looprun/t1"})
	mustDo(t, err)
	if want := (Landed{Mode: "branch", Branch: "looprun/t1", Commit: commit}); done != want {
		t.Errorf("Land = %+v; want %+v", done, want)
	}
	if got := f.git("rev-parse", "looprun/t1", "looprun/t1^"); got != commit+"\n"+base {
		t.Errorf("branch = %s; want %s on %s", got, commit, base)
	}
	if got, want := f.git("log", "-1", "--format=%an %ae %aI%n%B", "looprun/t1"), "looprun looprun@localhost 2030-04-05T06:07:08+00:00\nDo it\n\nLooprun-Task: t1\nLooprun-Round: 1\nLooprun-Chain: abc\n"; got+"\n" != want {
		t.Errorf("commit = %q; want %q", got, want)
	}
	mustDo(t, s.Reset(ctx))
	if got := files(t, s.Dir()); got["src/deep/er/x.txt"] != "x\n" || got["new/x.log"] != "" {
		t.Errorf("tree after reset = %v", got)
	}
	f.untouched()
}
