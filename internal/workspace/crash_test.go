//go:build linux || darwin

package workspace

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
)

var killStep = flag.Int("kill-step", 23, "die before every n-th durable write; 1 is all of them. Git processes are always all")

// A killer lets the process die at one event: before a git process or before a
// durable write.
type killer struct{ at, n int }

var errKilled = errors.New("killed")

func (k *killer) Before(fsx.Op) error { k.count(); return nil }

func (k *killer) count() {
	if k.n++; k.n == k.at {
		panic(errKilled)
	}
}

// An end is all that a run leaves.
type end struct {
	Branch, Archived string
	Check            map[string]string
	Trees            []string
}

// life goes through everything that happens to one task, from Open to Remove.
// Each step may have been done by an earlier life.
func (f *fixture) life(k *killer) (e end, err error) {
	defer func() {
		if r := recover(); r == errKilled {
			err = errKilled
		} else if r != nil {
			panic(r)
		}
	}()
	ctx := context.Background()
	o := f.opts
	if k != nil {
		o.Seam, o.Trace = k, func([]string) { k.count() }
	}
	s, err := Open(ctx, o)
	if err != nil {
		return e, err
	}
	base, _, err := s.Base(ctx)
	if err != nil {
		return e, err
	}
	if err := s.Prepare(ctx, "t1", base); err != nil {
		return e, err
	}
	commit, err := f.round(ctx, s, 1, "first\n")
	if err != nil {
		return e, err
	}
	if e.Archived, err = s.Archive(ctx, "t1", 1, 1, commit); err != nil {
		return e, err
	}
	if err := s.Reset(ctx); err != nil {
		return e, err
	}
	if commit, err = f.round(ctx, s, 2, "second\n"); err != nil {
		return e, err
	}
	dir, err := s.CheckTree(ctx, commit, nil)
	if err != nil {
		return e, err
	}
	e.Check = files(f.t, dir)
	done, err := s.Land(ctx, Landing{Task: "t1", Commit: commit, Mode: "branch", Branch: "looprun/t1"})
	if err != nil {
		return e, err
	}
	e.Branch = done.Branch
	if err := s.Release("t1"); err != nil {
		return e, err
	}
	if err := s.Remove(ctx); err != nil {
		return e, err
	}
	left, err := os.ReadDir(s.slot)
	for _, l := range left {
		e.Trees = append(e.Trees, l.Name())
	}
	return e, err
}

// round is what the generator does, and the commit of it.
func (f *fixture) round(ctx context.Context, s *Space, n int, text string) (string, error) {
	writeFile(f.t, filepath.Join(s.Dir(), "README.md"), text)
	writeFile(f.t, filepath.Join(s.Dir(), "new/n.txt"), text)
	_ = os.Remove(filepath.Join(s.Dir(), "src/deep/er/x.txt"))
	snap, err := s.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	return s.Commit(ctx, snap, Meta{Task: "t1", Round: n, Try: 1, At: when})
}

// refs are all refs of the user's repository.
func (f *fixture) refs() string { return f.git("for-each-ref", "--format=%(refname) %(objectname)") }

func TestARunThatDiesAnywhereAndIsRepeatedEndsTheSame(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.messUp()
	f.before = f.userState()
	f.startOver()
	count := &killer{}
	want, err := f.life(count)
	mustDo(t, err)
	refs := f.refs()
	f.untouched()
	t.Logf("%d events", count.n)
	for at := 1; at <= count.n; at++ {
		if git := f.isGit(at); !git && at%*killStep != 0 {
			continue
		}
		f.startOver()
		k := &killer{at: at}
		if _, err := f.life(k); err == nil && k.n < at {
			break // object folders that were synced in another run are left out in this
		} else if !errors.Is(err, errKilled) {
			t.Fatalf("event %d: %v; want the end of the process", at, err)
		}
		got, err := f.life(nil)
		if err != nil {
			t.Fatalf("after a death at event %d: %v", at, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after a death at event %d (-want +got):\n%s", at, diff)
		}
		if diff := cmp.Diff(refs, f.refs()); diff != "" {
			t.Errorf("refs after a death at event %d (-want +got):\n%s", at, diff)
		}
		f.untouched()
	}
}

// isGit tells whether event n of a life is a git process.
func (f *fixture) isGit(n int) bool {
	if f.gits == nil {
		f.startOver()
		f.gits = map[int]bool{}
		k := &killer{}
		o := f.opts
		f.opts.Seam, f.opts.Trace = k, func([]string) { k.n++; f.gits[k.n] = true }
		_, err := f.life(nil)
		mustDo(f.t, err)
		f.opts = o
	}
	return f.gits[n]
}

// startOver brings the repository back to what it was at the first call, and
// takes away all that looprun made.
func (f *fixture) startOver() {
	f.t.Helper()
	orig := f.repo + ".orig"
	if _, err := os.Lstat(orig); err != nil {
		f.copy(f.repo, orig)
	}
	mustDo(f.t, os.RemoveAll(f.dir))
	mustDo(f.t, os.RemoveAll(f.repo))
	f.copy(orig, f.repo)
}

func (f *fixture) copy(from, to string) {
	f.t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		f.t.Fatal(string(out))
	}
}
