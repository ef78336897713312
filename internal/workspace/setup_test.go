//go:build linux || darwin

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sh is a setup command that also notes each of its runs outside the tree.
func (f *fixture) sh(script string, inputs ...string) Setup {
	return Setup{Run: []string{"/bin/sh", "-c", "echo run >>'" + f.dir + ".runs'; " + script}, Inputs: inputs, Timeout: time.Minute}
}

func (f *fixture) runs() int {
	b, _ := os.ReadFile(f.dir + ".runs")
	return strings.Count(string(b), "run")
}

func TestSetupRunsAgainOnlyWhenItsInputsOrItsOutputChanged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.opts.Setup = []Setup{f.sh("mkdir -p node_modules/dep && cp README.md node_modules/dep/lock && echo >generated.txt", "README.md")}
	s, base := f.prepared()
	ctx := t.Context()
	step := func(name string, want int, do func()) {
		t.Helper()
		before := f.runs()
		do()
		if got := f.runs() - before; got != want {
			t.Errorf("%s: %d runs; want %d", name, got, want)
		}
	}
	if got := f.runs(); got != 1 {
		t.Errorf("a new tree: %d runs; want 1", got)
	}
	step("a reset", 0, func() { mustDo(t, s.Reset(ctx)) })
	step("another task", 0, func() { mustDo(t, s.Prepare(ctx, "t2", base)) })
	step("an added file in the output", 0, func() {
		writeFile(t, filepath.Join(s.Dir(), "node_modules/.cache/x"), "x")
		mustDo(t, s.Reset(ctx))
	})
	step("a changed file in the output", 1, func() {
		writeFile(t, filepath.Join(s.Dir(), "node_modules/dep/lock"), "poison")
		mustDo(t, s.Reset(ctx))
	})
	if got := files(t, s.Dir())["node_modules/dep/lock"]; got != "hello again\n" {
		t.Errorf("lock = %q; want it made anew", got)
	}
	step("another process", 0, func() {
		var err error
		s, err = Open(ctx, f.opts)
		mustDo(t, err)
		mustDo(t, s.Prepare(ctx, "t3", base))
	})
	commit := f.candidate(s, "src/search.go", "package x\n")
	step("the check tree", 1, func() { _, err := s.CheckTree(ctx, commit, nil); mustDo(t, err) })
	step("the check tree again", 0, func() { _, err := s.CheckTree(ctx, commit, nil); mustDo(t, err) })
	mustDo(t, s.Reset(ctx))
	commit = f.candidate(s, "README.md", "other input\n")
	var dir string
	step("a changed input", 1, func() { var err error; dir, err = s.CheckTree(ctx, commit, nil); mustDo(t, err) })
	if got := files(t, dir)["node_modules/dep/lock"]; got != "other input\n" {
		t.Errorf("lock in the check tree = %q; want that of the candidate", got)
	}
	f.opts.Setup = nil
	s, err := Open(ctx, f.opts)
	mustDo(t, err)
	mustDo(t, s.Prepare(ctx, "t4", base))
	f.pristine(s, base)
	f.untouched()
}

func TestWhatSetupMadeIsNoPartOfACandidate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.opts.Setup = []Setup{f.sh("mkdir -p venv/bin node_modules && ln -s /usr/bin/env venv/bin/python && echo >venv/a && ln venv/a venv/b && echo made >README.md && rm run.sh && git init -q venv/nested && echo n >node_modules/n")}
	f.opts.Env = []string{"PATH=" + os.Getenv("PATH")}
	s, base := f.prepared()
	if got := files(t, s.Dir()); got["README.md"] != "hello again\n" || got["run.sh"] == "" {
		t.Error("files of the commit that setup changed were not put back")
	}
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if got := shortly(snap); got != nil || len(snap.IgnoredNew) > 0 {
		t.Errorf("snapshot after setup = %q, ignored %q; want nothing", got, snap.IgnoredNew)
	}
	writeFile(t, filepath.Join(s.Dir(), "venv/new.txt"), "x\n")
	writeFile(t, filepath.Join(s.Dir(), "README.md"), "x\n")
	snap, err = s.Snapshot(t.Context())
	mustDo(t, err)
	if diff := cmp.Diff([]string{"M README.md", "A venv/new.txt"}, shortly(snap)); diff != "" {
		t.Error(diff)
	}
	commit, err := s.Commit(t.Context(), snap, Meta{Task: "t1", Round: 1, At: when})
	mustDo(t, err)
	if got := f.git("--git-dir="+s.ctl.dir, "diff-tree", "-r", "--name-only", base, commit); got != "README.md\nvenv/new.txt" {
		t.Errorf("commit has %q", got)
	}
	f.untouched()
}

func TestAFailedSetupIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(*fixture) Setup
		ended string
		code  int
		says  string
	}{
		"an exit code":      {func(f *fixture) Setup { return f.sh("echo no network >&2; exit 3") }, "exit", 3, "no network"},
		"a missing program": {func(*fixture) Setup { return Setup{Run: []string{"no-such-program"}} }, "missing", 127, ""},
		"out of time": {func(f *fixture) Setup {
			s := f.sh("echo slow; exec sleep 60")
			s.Timeout = 300 * time.Millisecond
			return s
		}, "timeout", -1, "slow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.opts.Setup = []Setup{c.setup(f)}
			s := f.open()
			base, _, err := s.Base(t.Context())
			mustDo(t, err)
			err = s.Prepare(t.Context(), "t1", base)
			var fault *SetupError
			if !errors.As(err, &fault) || fault.Ended != c.ended || fault.Code != c.code || !strings.Contains(fault.Output, c.says) {
				t.Fatalf("Prepare = %v, %+v; want %s %d saying %q", err, fault, c.ended, c.code, c.says)
			}
			if _, err := s.Snapshot(t.Context()); !errors.Is(err, ErrNotPrepared) {
				t.Errorf("Snapshot = %v; want %v", err, ErrNotPrepared)
			}
			f.opts.Setup = nil
			s, err = Open(t.Context(), f.opts)
			mustDo(t, err)
			mustDo(t, s.Prepare(t.Context(), "t1", base))
			f.pristine(s, base)
			f.untouched()
		})
	}
}

func TestSetupHasNothingOfTheEnvironment(t *testing.T) {
	f := newFixture(t)
	t.Setenv("SOME_TOKEN", "secret")
	f.opts.Setup = []Setup{f.sh("env >out.log; ls -A $HOME $TMPDIR >>out.log")}
	f.opts.Env = []string{"GIVEN=1"}
	s, _ := f.prepared()
	got := files(t, s.Dir())["out.log"]
	if strings.Contains(got, "secret") || !strings.Contains(got, "GIVEN=1") || strings.Contains(got, "HOME="+os.Getenv("HOME")) {
		t.Errorf("environment of setup:\n%s", got)
	}
}

func TestSharedFoldersAreCopiedAndThoseThatNameTheCheckoutAreTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("node_modules/dep/index.js", "x\n")
	f.write("node_modules/dep/editable.pth", strings.Repeat("y", 64<<10-5)+f.repo+"/src\n")
	mustDo(t, os.Symlink(filepath.Join(f.repo, "src"), filepath.Join(f.repo, "node_modules/linked")))
	mustDo(t, os.Symlink("dep/index.js", filepath.Join(f.repo, "node_modules/inner")))
	mustDo(t, os.Mkdir(filepath.Join(f.repo, "node_modules/empty"), 0o755))
	mustDo(t, os.Chmod(filepath.Join(f.repo, "node_modules/dep/index.js"), 0o755))
	f.opts.Share = []string{"node_modules"}
	s, base := f.prepared()
	want := files(t, filepath.Join(f.repo, "node_modules"))
	if diff := cmp.Diff(want, files(t, filepath.Join(s.Dir(), "node_modules"))); diff != "" {
		t.Errorf("work tree (-checkout +tree):\n%s", diff)
	}
	writeFile(t, filepath.Join(s.Dir(), "node_modules/dep/index.js"), "poison")
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if got := shortly(snap); got != nil {
		t.Errorf("snapshot = %q; want nothing, the folder is ignored", got)
	}
	commit := f.candidate(s, "a.txt", "x\n")
	dir, err := s.CheckTree(t.Context(), commit, nil)
	mustDo(t, err)
	if diff := cmp.Diff(want, files(t, filepath.Join(dir, "node_modules"))); diff != "" {
		t.Errorf("check tree (-checkout +tree):\n%s", diff)
	}
	if diff := cmp.Diff([]Leak{{"node_modules/linked", "link"}, {"node_modules/dep/editable.pth", "text"}}, s.Leaks()); diff != "" {
		t.Error(diff)
	}
	f.write("node_modules/dep/index.js", "newer\n")
	mustDo(t, s.Prepare(t.Context(), "t2", base))
	if got := files(t, s.Dir())["node_modules/dep/index.js"]; got != "newer\n" {
		t.Errorf("index.js for the next task = %q; want the newer one", got)
	}
	again, err := Open(t.Context(), f.opts)
	mustDo(t, err)
	if len(again.Leaks()) != 2 {
		t.Errorf("Leaks in another process = %v; want both", again.Leaks())
	}
}

func TestFoldersThatCannotBeSharedAreTold(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]error{
		"missing": errNotThere, "../x": errNotLocal, "/etc": errNotLocal, ".git": errNotLocal, ".": errNotLocal,
		"src": errIsTracked, "README.md": errNotThere, "out": errNotThere,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			mustDo(t, os.Symlink("/etc", filepath.Join(f.repo, "out")))
			f.opts.Share = []string{path}
			s := f.open()
			base, _, err := s.Base(t.Context())
			mustDo(t, err)
			err = s.Prepare(t.Context(), "t1", base)
			var fault *ShareError
			if !errors.As(err, &fault) || !errors.Is(err, want) {
				t.Errorf("Prepare = %v; want %v", err, want)
			}
		})
	}
}

func TestTheCheckTreeIsCleanBeforeEachRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.opts.Setup = []Setup{f.sh("mkdir -p node_modules && echo dep >node_modules/dep.js")}
	s, _ := f.prepared()
	commit := f.candidate(s, "new/a.txt", "a\n")
	dir, err := s.CheckTree(t.Context(), commit, nil)
	mustDo(t, err)
	want := files(t, dir)
	for name, mess := range map[string]func(){
		"ignored output":      func() { writeFile(t, filepath.Join(dir, "out.log"), "stale") },
		"other output":        func() { writeFile(t, filepath.Join(dir, "new/coverage/x"), "stale") },
		"a poisoned input":    func() { writeFile(t, filepath.Join(dir, "node_modules/dep.js"), "poison") },
		"a changed file":      func() { writeFile(t, filepath.Join(dir, "README.md"), "x") },
		"a deleted folder":    func() { mustDo(t, os.RemoveAll(filepath.Join(dir, "src"))) },
		"a nested repository": func() { writeFile(t, filepath.Join(dir, "src/.git/config"), "[core]\nfsmonitor=false") },
		"no tree at all":      func() { mustDo(t, os.RemoveAll(dir)) },
		"a link for a tree": func() {
			mustDo(t, os.RemoveAll(dir))
			mustDo(t, os.Symlink(f.repo, dir))
		},
		"folders without access": func() {
			mustDo(t, os.MkdirAll(filepath.Join(dir, "cache/mod"), 0o755))
			mustDo(t, os.Chmod(filepath.Join(dir, "cache/mod"), 0o555))
			mustDo(t, os.Chmod(filepath.Join(dir, "cache"), 0))
		},
	} {
		mess()
		again, err := s.CheckTree(t.Context(), commit, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, files(t, again)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	f.untouched()
}

func TestProtectedPathsAreAsInTheBase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, _ := f.prepared()
	mustDo(t, os.Remove(filepath.Join(s.Dir(), "src/deep/er/x.txt")))
	writeFile(t, filepath.Join(s.Dir(), "src/deep/new.txt"), "n\n")
	writeFile(t, filepath.Join(s.Dir(), "run.sh"), "exit 0\n")
	mustDo(t, os.Chmod(filepath.Join(s.Dir(), "run.sh"), 0o644))
	commit := f.candidate(s, "README.md", "mine\n")
	dir, err := s.CheckTree(t.Context(), commit, []string{"src/deep/", "run.sh", "not/there"})
	mustDo(t, err)
	got := files(t, dir)
	if got["src/deep/er/x.txt"] != "x\n" || got["src/deep/new.txt"] != "" || got["run.sh"] != "#!/bin/sh\n" || got["README.md"] != "mine\n" {
		t.Errorf("check tree = %v", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("run.sh = %v, %v; want it to be a program", info.Mode(), err)
	}
	f.untouched()
}
