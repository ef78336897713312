//go:build linux || darwin

package workspace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clone makes another repository of the fixture's the user's one.
func (f *fixture) clone(args ...string) {
	f.t.Helper()
	to := filepath.Join(f.t.TempDir(), "clone #1 \"x\"")
	f.git(append(append([]string{"-c", "protocol.file.allow=always", "clone", "-q"}, args...), "file://"+f.repo, to)...)
	f.useRepo(to)
}

func (f *fixture) useRepo(path string) {
	f.t.Helper()
	path, err := filepath.EvalSymlinks(path)
	mustDo(f.t, err)
	f.repo, f.opts.Repo, f.opts.Loop = path, path, filepath.Join(path, ".loop")
	mustDo(f.t, os.MkdirAll(f.opts.Loop, 0o755))
}

func TestRepositoriesOfEveryKindTakeATaskToItsBranch(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(f *fixture){
		"plain":   func(*fixture) {},
		"shallow": func(f *fixture) { f.clone("--depth=1") },
		"one that borrows objects": func(f *fixture) {
			to := filepath.Join(f.t.TempDir(), "shared")
			f.git("clone", "-q", "--shared", f.repo, to)
			f.useRepo(to)
		},
		"one that borrows from one that borrows": func(f *fixture) {
			for _, name := range []string{"a", "b"} {
				to := filepath.Join(f.t.TempDir(), name)
				f.git("clone", "-q", "--shared", f.repo, to)
				f.useRepo(to)
			}
		},
		"packed": func(f *fixture) { f.git("gc", "-q") },
		"a linked worktree": func(f *fixture) {
			w := filepath.Join(f.t.TempDir(), "w")
			f.git("worktree", "add", "-q", w)
			f.useRepo(w)
		},
		"its own git directory elsewhere": func(f *fixture) {
			f.git("init", "-q", "--separate-git-dir="+filepath.Join(f.t.TempDir(), "g.git"))
		},
		"a partial clone that has all": func(f *fixture) {
			f.git("config", "uploadpack.allowFilter", "true")
			f.clone("--filter=blob:none")
		},
		"a path of odd characters": func(f *fixture) {
			to := filepath.Join(f.t.TempDir(), "a\"b\\c #d é\n")
			f.copy(f.repo, to)
			f.useRepo(to)
		},
		"a split index":     func(f *fixture) { f.git("update-index", "--split-index") },
		"a sparse checkout": func(f *fixture) { f.git("sparse-checkout", "set", "src") },
		"an index of version 4": func(f *fixture) {
			f.git("update-index", "--index-version", "4")
			f.git("update-index", "--untracked-cache")
		},
		"replaced objects": func(f *fixture) { f.git("replace", "HEAD", "HEAD~1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			make(f)
			s, base := f.prepared()
			f.pristine(s, base)
			ag := exec.Command("git", "log", "--oneline")
			ag.Dir = s.Dir()
			if out, err := ag.CombinedOutput(); err != nil {
				t.Errorf("git log of the generator: %v\n%s", err, out)
			}
			writeFile(t, filepath.Join(s.Dir(), "README.md"), "x\n")
			writeFile(t, filepath.Join(s.Dir(), "new/a.txt"), "x\n")
			snap, err := s.Snapshot(t.Context())
			mustDo(t, err)
			f.land(s, snap, base)
			f.untouched()
		})
	}
}

func TestAPartialCloneThatLacksObjectsIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("config", "uploadpack.allowFilter", "true")
	f.clone("--filter=blob:none", "--no-checkout")
	s := f.open()
	base, _, err := s.Base(t.Context())
	mustDo(t, err)
	if err := s.Prepare(t.Context(), "t1", base); !errors.Is(err, ErrIncomplete) {
		t.Errorf("Prepare = %v; want %v", err, ErrIncomplete)
	}
}

func TestLineEndingsAreTheUsers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set   func(*fixture)
		crlf  bool // what the tree has
		keeps bool // CRLF written by the generator stays in the blob
	}{
		"as they are":     {func(*fixture) {}, false, true},
		"autocrlf":        {func(f *fixture) { f.git("config", "core.autocrlf", "true") }, true, false},
		"autocrlf input":  {func(f *fixture) { f.git("config", "core.autocrlf", "input") }, false, false},
		"info/attributes": {func(f *fixture) { f.write(".git/info/attributes", "*.md text eol=crlf\n") }, true, false},
		"a .gitattributes": {func(f *fixture) {
			f.write(".gitattributes", "*.md text eol=crlf\n")
			f.git("add", "-A")
			f.git("commit", "-q", "-m", "eol")
		}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c.set(f)
			s, _ := f.prepared()
			if got := strings.Contains(files(t, s.Dir())["README.md"], "\r\n"); got != c.crlf {
				t.Errorf("CRLF in the tree: %t; want %t", got, c.crlf)
			}
			commit := f.candidate(s, "README.md", "one\r\ntwo\r\n")
			blob := f.git("--git-dir="+s.ctl.dir, "cat-file", "blob", commit+":README.md")
			if got := strings.Contains(blob, "\r\n"); got != c.keeps {
				t.Errorf("blob = %q; CRLF kept: want %t", blob, c.keeps)
			}
			mustDo(t, s.Reset(t.Context()))
			snap, err := s.Snapshot(t.Context())
			mustDo(t, err)
			if got := shortly(snap); got != nil {
				t.Errorf("after a reset %q differ", got)
			}
			f.untouched()
		})
	}
}

func TestAFileWithMixedLineEndingsUnderAutocrlfStaysAsItIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("mixed.txt", "a\r\nb\n")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "mixed")
	f.git("config", "core.autocrlf", "input")
	s, base := f.prepared()
	commit := f.candidate(s, "mixed.txt", "a\r\nb\nc\n")
	if got := f.git("--git-dir="+s.ctl.dir, "diff-tree", "-r", "--numstat", base, commit); got != "1\t0\tmixed.txt" {
		t.Errorf("difference = %q; want one line more", got)
	}
	f.untouched()
}

func TestFileModesThatTheUserDoesNotTrustDoNotCount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("config", "core.fileMode", "false")
	s, _ := f.prepared()
	mustDo(t, os.Chmod(filepath.Join(s.Dir(), "README.md"), 0o755))
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if got := shortly(snap); got != nil {
		t.Errorf("snapshot = %q; want nothing", got)
	}
}

func TestIgnoreRulesOfTheUserCount(t *testing.T) {
	f := newFixture(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	writeFile(t, filepath.Join(home, ".config/git/ignore"), "*.swp\n")
	f.write(".git/info/exclude", "*.tmp\n!keep.swp\n")
	s, _ := f.prepared()
	for _, name := range []string{"a.swp", "a.tmp", "keep.swp", "a.txt"} {
		writeFile(t, filepath.Join(s.Dir(), name), "x")
	}
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if diff := cmp.Diff([]string{"A a.txt", "A keep.swp"}, shortly(snap)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a.swp", "a.tmp"}, snap.IgnoredNew); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyTheUsersOwnLFSFilterIsTakenOver(t *testing.T) {
	f := newFixture(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	lfs := filepath.Join(home, "lfs")
	writeFile(t, lfs, "#!/bin/sh\nif [ $1 = clean ]; then cat >/dev/null; echo pointer; else cat >/dev/null; echo content; fi\n")
	mustDo(t, os.Chmod(lfs, 0o755))
	evil := filepath.Join(home, "evil")
	writeFile(t, evil, "#!/bin/sh\ntouch '"+f.canary+"'\ncat\n")
	mustDo(t, os.Chmod(evil, 0o755))
	writeFile(t, filepath.Join(home, ".gitconfig"), "[filter \"lfs\"]\n\tclean = "+lfs+" clean\n\tsmudge = "+lfs+" smudge\n\trequired = true\n[filter \"other\"]\n\tclean = "+evil+"\n")
	f.write(".gitattributes", "*.bin filter=lfs\n*.oth filter=other\n")
	f.write("a.bin", "content\n")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "lfs")
	f.git("config", "filter.lfs.clean", evil) // of the repository: not taken over
	s, _ := f.prepared()
	if got := files(t, s.Dir())["a.bin"]; got != "content\n" {
		t.Errorf("a.bin = %q; want the smudged content", got)
	}
	writeFile(t, filepath.Join(s.Dir(), "x.oth"), "x\n")
	commit := f.candidate(s, "b.bin", "content\n")
	if got := f.git("--git-dir="+s.ctl.dir, "cat-file", "blob", commit+":b.bin"); got != "pointer" {
		t.Errorf("b.bin = %q; want the pointer", got)
	}
	f.untouched()
}

func TestASubmoduleStaysEmptyAndUnchanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(dir string)
		want []string
	}{
		"left alone":      {func(string) {}, nil},
		"its folder gone": {func(dir string) { mustDo(t, os.Remove(dir)) }, nil},
		"a file in it":    {func(dir string) { writeFile(t, filepath.Join(dir, "f"), "x") }, []string{"!submodule_changed sub/f"}},
		"a repository in it": {func(dir string) {
			mustDo(t, exec.Command("git", "init", "-q", dir).Run())
		}, []string{"!submodule_changed sub/.git"}},
		"a file for it": {func(dir string) {
			mustDo(t, os.Remove(dir))
			writeFile(t, dir, "x")
		}, []string{"!submodule_changed sub"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "file://"+f.repo, "sub")
			f.git("commit", "-q", "-m", "sub")
			s, base := f.prepared()
			c.do(filepath.Join(s.Dir(), "sub"))
			snap, err := s.Snapshot(t.Context())
			mustDo(t, err)
			if diff := cmp.Diff(c.want, shortly(snap)); diff != "" {
				t.Error(diff)
			}
			mustDo(t, s.Reset(t.Context()))
			commit := f.candidate(s, "a.txt", "x\n")
			if got := f.git("--git-dir="+s.ctl.dir, "diff-tree", "-r", "--name-only", base, commit); got != "a.txt" {
				t.Errorf("the candidate has %q; want a.txt", got)
			}
			_, err = s.CheckTree(t.Context(), commit, nil)
			mustDo(t, err)
			f.untouched()
		})
	}
}

func TestTheUsersGCSparesWhatIsKept(t *testing.T) {
	t.Parallel()
	for name, keep := range map[string]bool{"with the keep-ref": true, "without it": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			s, base := f.prepared()
			commit := f.candidate(s, "a.txt", "x\n")
			if !keep {
				f.git("update-ref", "-d", "refs/looprun/keep/t1")
			}
			f.git("reset", "-q", "--hard", "HEAD~1")
			f.git("reflog", "expire", "--expire=now", "--all")
			f.git("gc", "-q", "--prune=now")
			f.before = f.userState()
			_, err := f.tryGit("cat-file", "-e", base)
			if held := err == nil; held != keep {
				t.Fatalf("base is there: %t; want %t", held, keep)
			}
			err = errors.Join(s.Reset(t.Context()), func() error { _, err := s.CheckTree(t.Context(), commit, nil); return err }(), func() error {
				_, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "branch", Branch: "looprun/t1"})
				return err
			}())
			if landed := err == nil; landed != keep {
				t.Errorf("landed: %v; want it to work: %t", err, keep)
			}
			f.untouched()
		})
	}
}
