//go:build linux || darwin

package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNothingPlantedIsRunAndNoChangeIsHidden(t *testing.T) {
	t.Parallel()
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.messUp()
			f.opts.MaxFile = 1 << 20
			s, base := f.prepared()
			ag := f.agent(s)
			a.do(ag)
			ag.disarm()
			snap, err := s.Snapshot(t.Context())
			mustDo(t, err)
			if diff := cmp.Diff(a.want, shortly(snap)); diff != "" {
				t.Errorf("snapshot (-want +got):\n%s", diff)
			}
			if a.head != "" && !strings.Contains(snap.Head, a.head) {
				t.Errorf("Head = %q; want %q in it", snap.Head, a.head)
			}
			if snap.Tree != "" {
				f.land(s, snap, base)
			}
			mustDo(t, s.Reset(t.Context()))
			f.pristine(s, base)
			f.untouched()
		})
	}
}

func (f *fixture) agent(s *Space) *agent {
	f.t.Helper()
	evil := filepath.Join(filepath.Dir(f.repo), "evil")
	writeFile(f.t, evil, "#!/bin/sh\ntouch '"+f.canary+"'\ncat\n")
	mustDo(f.t, os.Chmod(evil, 0o755))
	return &agent{fixture: f, dir: s.Dir(), evil: evil}
}

// The canary is worth something only if git would have run what was planted.
func TestPlainGitWouldHaveRunWhatIsPlanted(t *testing.T) {
	t.Parallel()
	for name, use := range map[string][]string{
		"a clean filter and a filter process": {"add", "-A"},
		"a hook of every kind":                {"commit", "-q", "-am", "x"},
		"external diff and textconv":          {"diff"},
		"fsmonitor":                           {"status"},
		"a nested repository":                 {"-C", "sub", "add", "-A"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			s, _ := f.prepared()
			ag := f.agent(s)
			attacks[name].do(ag)
			ag.disarm()
			c := exec.Command("git", use...)
			c.Dir = ag.dir
			out, _ := c.CombinedOutput() // it may well fail: what was planted is no good filter
			if _, err := os.Lstat(f.canary); err != nil {
				t.Errorf("git %v left no canary:\n%s", use, out)
			}
		})
	}
}

// shortly renders a snapshot for comparison.
func shortly(snap Snapshot) []string {
	var all []string
	for _, r := range snap.Refusals {
		all = append(all, "!"+r.Code+" "+r.Path)
	}
	if len(all) > 0 {
		return all
	}
	for _, c := range snap.Changes {
		all = append(all, string(c.Status)+" "+c.Path)
	}
	return all
}

// land commits a snapshot, checks it out and lands it, and holds every step
// against the tree.
func (f *fixture) land(s *Space, snap Snapshot, base string) {
	f.t.Helper()
	ctx := f.t.Context()
	commit, err := s.Commit(ctx, snap, Meta{Task: "t1", Round: 1, Try: 1, At: when})
	mustDo(f.t, err)
	dir, err := s.CheckTree(ctx, commit, nil)
	mustDo(f.t, err)
	want := files(f.t, s.Dir())
	for path := range want {
		for _, ign := range snap.IgnoredNew {
			if path == ign || strings.HasPrefix(path, ign) {
				delete(want, path)
			}
		}
	}
	if diff := cmp.Diff(want, files(f.t, dir)); diff != "" {
		f.t.Errorf("check tree (-work +check):\n%s", diff)
	}
	_, err = s.Land(ctx, Landing{Task: "t1", Commit: commit, Mode: "branch", Branch: "looprun/t1"})
	mustDo(f.t, err)
	if got := f.git("rev-parse", "looprun/t1", "looprun/t1^", "looprun/t1^{tree}"); got != commit+"\n"+base+"\n"+snap.Tree {
		f.t.Errorf("branch = %s", got)
	}
}

// pristine fails unless the tree is exactly base, by reading every file.
func (f *fixture) pristine(s *Space, base string) {
	f.t.Helper()
	out := filepath.Join(f.t.TempDir(), "want")
	mustDo(f.t, os.MkdirAll(out, 0o755))
	for _, args := range [][]string{{"read-tree", base}, {"checkout-index", "--all"}} {
		c := exec.Command("git", append([]string{"-c", "core.hooksPath=/dev/null", "--work-tree=" + out}, args...)...)
		c.Dir = f.repo
		c.Env = append(os.Environ(), "GIT_INDEX_FILE="+out+".index", "GIT_NO_REPLACE_OBJECTS=1")
		if said, err := c.CombinedOutput(); err != nil {
			f.t.Fatalf("git %v: %v\n%s", args, err, said)
		}
	}
	if diff := cmp.Diff(files(f.t, out), files(f.t, s.Dir())); diff != "" {
		f.t.Errorf("tree (-base +tree):\n%s", diff)
	}
}

func TestAttributesCannotHideLines(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, _ := f.prepared()
	writeFile(t, filepath.Join(s.Dir(), ".gitattributes"), "* -diff binary\n*.txt -text\n")
	writeFile(t, filepath.Join(s.Dir(), "README.md"), strings.Repeat("x\n", 50))
	writeFile(t, filepath.Join(s.Dir(), "bin.dat"), "\x00\n\n\n")
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	got := map[string][3]int{}
	for _, c := range snap.Changes {
		got[c.Path] = [3]int{c.Added, c.Deleted, int(c.Size)}
		if want := c.Path == "bin.dat"; c.Binary != want {
			t.Errorf("%s: Binary = %t; want %t", c.Path, c.Binary, want)
		}
	}
	want := map[string][3]int{".gitattributes": {2, 0, 27}, "README.md": {50, 1, 100}, "bin.dat": {3, 0, 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAFileMadeToCountForEverIsCountedWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lines := make([]string, 200_000)
	for i := range lines {
		lines[i] = fmt.Sprint(i % 977)
	}
	f.write("hostile.txt", strings.Join(lines, "\n")+"\n")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "hostile")
	s, _ := f.prepared()
	for i := range lines {
		lines[i] = fmt.Sprint((i * 7919) % 983)
	}
	writeFile(t, filepath.Join(s.Dir(), "hostile.txt"), strings.Join(lines, "\n")+"\n")
	for name, limit := range map[string]time.Duration{"in time": 0, "out of time": time.Millisecond} {
		s.last, s.count = nil, limit
		snap, err := s.Snapshot(t.Context())
		mustDo(t, err)
		if len(snap.Changes) != 1 {
			t.Fatalf("%s: changes %v", name, snap.Changes)
		}
		c := snap.Changes[0]
		if limit != 0 && (c.Added != 200_000 || c.Deleted != 200_000) || c.Added < 100_000 || c.Deleted < 100_000 {
			t.Errorf("%s: +%d -%d; want every line counted", name, c.Added, c.Deleted)
		}
	}
}
