//go:build linux || darwin

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// aTask goes through a one-round task as the loop does and tells how many git
// processes it took.
func (f *fixture) aTask(task, mode string, edit func(dir string)) int {
	f.t.Helper()
	f.calls = nil
	ctx := f.t.Context()
	s := f.open()
	base, tree, err := s.Base(ctx)
	mustDo(f.t, err)
	if f.opts.InPlace {
		dirty, err := s.Dirty(ctx)
		mustDo(f.t, err)
		if len(dirty) > 0 {
			f.t.Fatalf("dirty: %q", dirty)
		}
	}
	mustDo(f.t, s.Prepare(ctx, task, base))
	edit(s.Dir())
	snap, err := s.Snapshot(ctx)
	mustDo(f.t, err)
	commit := base
	if snap.Tree != tree {
		commit, err = s.Commit(ctx, snap, Meta{Task: task, Round: 1, Try: 1, At: when})
		mustDo(f.t, err)
	}
	_, err = s.CheckTree(ctx, commit, nil)
	mustDo(f.t, err)
	after, err := s.Snapshot(ctx)
	mustDo(f.t, err)
	if after.Tree != snap.Tree {
		f.t.Errorf("tree after the checks = %s; want %s", after.Tree, snap.Tree)
	}
	if commit != base {
		_, err = s.Land(ctx, Landing{Task: task, Commit: commit, Mode: mode, Branch: "looprun/" + task})
		mustDo(f.t, err)
	}
	mustDo(f.t, s.Release(task))
	return len(f.calls)
}

func TestATaskTakesFewGitProcesses(t *testing.T) {
	t.Parallel()
	nothing := func(string) {}
	edit := func(dir string) { writeFile(t, filepath.Join(dir, "README.md"), dir) }
	more := func(dir string) {
		writeFile(t, filepath.Join(dir, "README.md"), dir+"2")
		writeFile(t, filepath.Join(dir, "new/a.txt"), "x\n")
		writeFile(t, filepath.Join(dir, "out.log"), "x\n")
		mustDo(t, os.RemoveAll(filepath.Join(dir, "src/deep")))
	}
	for name, c := range map[string]struct {
		inPlace bool
		mode    string
		edits   []func(string)
		limits  []int
	}{
		"isolated, nothing changed": {false, "branch", []func(string){nothing, nothing}, []int{6, 2}},
		"isolated, a file changed":  {false, "branch", []func(string){edit, edit}, []int{13, 11}},
		"isolated, all kinds":       {false, "branch", []func(string){more, more}, []int{14, 12}},
		"in place, nothing changed": {true, "none", []func(string){nothing, nothing}, []int{5, 1}},
		"in place, left for review": {true, "none", []func(string){edit}, []int{8}},
		"in place, a commit":        {true, "commit", []func(string){edit, more}, []int{10, 10}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.opts.InPlace = c.inPlace
			f.t = t
			for i, e := range c.edits {
				got := f.aTask("t"+string(rune('1'+i)), c.mode, e)
				t.Logf("task %d: %d git processes", i+1, got)
				if got > c.limits[i] {
					var said []string
					for _, args := range f.calls {
						said = append(said, args[0])
					}
					t.Errorf("task %d: %d git processes, at most %d: %s", i+1, got, c.limits[i], strings.Join(said, " "))
				}
			}
		})
	}
}
