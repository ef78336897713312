//go:build linux || darwin

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatCannotBeWorkedOnIsNamedWithItsCause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*fixture)
		want error
	}{
		"no repository":   {func(f *fixture) { mustDo(f.t, os.RemoveAll(filepath.Join(f.repo, ".git"))) }, ErrNoRepository},
		"no such folder":  {func(f *fixture) { f.opts.Repo += "x" }, os.ErrNotExist},
		"a sub-directory": {func(f *fixture) { f.opts.Repo = filepath.Join(f.repo, "src") }, ErrSubdirectory},
		"a bare repository": {func(f *fixture) {
			bare := filepath.Join(f.t.TempDir(), "bare.git")
			f.git("clone", "-q", "--bare", f.repo, bare)
			f.opts.Repo = bare
		}, ErrBare},
		"a bare setting":        {func(f *fixture) { f.git("config", "core.bare", "true") }, ErrBare},
		"another work tree":     {func(f *fixture) { f.git("config", "core.worktree", f.t.TempDir()) }, ErrUnsupported},
		"sha256":                {func(f *fixture) { f.initSHA256() }, ErrUnsupported},
		"no commit yet":         {func(f *fixture) { f.git("checkout", "-q", "--orphan", "new") }, ErrNoCommit},
		"no such base":          {func(f *fixture) { f.opts.Base = "nowhere" }, ErrNoBase},
		"a base that is a flag": {func(f *fixture) { f.opts.Base = "--all" }, ErrNoBase},
		"a base of two lines":   {func(f *fixture) { f.opts.Base = "main\nmain" }, ErrNoBase},
		"a base that is a file": {func(f *fixture) { f.opts.Base = "HEAD:README.md" }, ErrNoBase},
		"trees in the checkout": {func(f *fixture) { f.opts.Dir = filepath.Join(f.repo, ".loop", "trees") }, ErrInside},
		"a HEAD of rubbish":     {func(f *fixture) { f.write(".git/HEAD", "rubbish\n") }, nil},
		"no .loop":              {func(f *fixture) { mustDo(f.t, os.RemoveAll(filepath.Join(f.repo, ".loop"))) }, os.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c.do(f)
			s, err := Open(t.Context(), f.opts)
			if err == nil {
				_, _, err = s.Base(t.Context())
			}
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("err = %v; want %v", err, c.want)
			}
		})
	}
}

func (f *fixture) initSHA256() {
	f.t.Helper()
	mustDo(f.t, os.RemoveAll(filepath.Join(f.repo, ".git")))
	f.git("init", "-q", "--object-format=sha256")
}

func TestBasesThatAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*fixture)
		base string
		want string
	}{
		"HEAD":             {func(*fixture) {}, "", "main"},
		"a branch":         {func(f *fixture) { f.git("branch", "b", "HEAD~1") }, "b", "main~1"},
		"an annotated tag": {func(f *fixture) { f.git("tag", "-a", "-m", "t", "v1", "HEAD~1") }, "v1", "main~1"},
		"an expression":    {func(*fixture) {}, "main^", "main~1"},
		"packed refs":      {func(f *fixture) { f.git("pack-refs", "--all") }, "", "main"},
		"a detached HEAD":  {func(f *fixture) { f.git("checkout", "-q", "--detach", "HEAD~1") }, "", "main~1"},
		"a HEAD that is a link": {func(f *fixture) {
			mustDo(f.t, os.Remove(filepath.Join(f.repo, ".git/HEAD")))
			mustDo(f.t, os.Symlink("refs/heads/main", filepath.Join(f.repo, ".git/HEAD")))
		}, "", "main"},
		"a branch that is a symbolic ref": {func(f *fixture) {
			f.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
			f.git("symbolic-ref", "HEAD", "refs/heads/alias")
		}, "", "main"},
		"a linked worktree": {func(f *fixture) {
			w := filepath.Join(f.t.TempDir(), "w")
			f.git("worktree", "add", "-q", w, "-b", "side", "HEAD~1")
			f.opts.Repo = w
		}, "", "main~1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c.do(f)
			f.opts.Base = c.base
			s := f.open()
			commit, tree, err := s.Base(t.Context())
			mustDo(t, err)
			if got, want := commit+"\n"+tree, f.git("rev-parse", c.want, c.want+"^{tree}"); got != want {
				t.Errorf("Base = %s; want %s", got, want)
			}
			mustDo(t, s.Prepare(t.Context(), "t1", commit))
			f.candidate(s, "new.txt", "x\n")
			f.untouched()
		})
	}
}

func TestTheVersionOfGitIsRead(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"git version 2.38.0": true, "git version 2.39.5 (Apple Git-154)": true, "git version 2.51.0.windows.1": true, "git version 3.0.0": true,
		"git version 2.37.9": false, "git version 1.99.0": false, "git version": false, "": false, "git version x.y": false,
	} {
		if got := newEnough(said); got != want {
			t.Errorf("newEnough(%q) = %t; want %t", said, got, want)
		}
	}
}

func TestAnOldGitAndNoGitAreNamed(t *testing.T) {
	bin := t.TempDir()
	f := newFixture(t)
	t.Setenv("PATH", "relative"+string(os.PathListSeparator)+bin)
	if _, err := Open(t.Context(), f.opts); !errors.Is(err, ErrNoGit) {
		t.Errorf("Open without git = %v; want %v", err, ErrNoGit)
	}
	writeFile(t, filepath.Join(bin, "git"), "#!/bin/sh\necho git version 2.30.2\n")
	mustDo(t, os.Chmod(filepath.Join(bin, "git"), 0o755))
	if _, err := Open(t.Context(), f.opts); !errors.Is(err, ErrOldGit) {
		t.Errorf("Open with an old git = %v; want %v", err, ErrOldGit)
	}
}

func TestAnInheritedEnvironmentReachesNoGit(t *testing.T) {
	f := newFixture(t)
	f.messUp()
	f.before = f.userState()
	for k, v := range map[string]string{
		"GIT_DIR": f.dir, "GIT_INDEX_FILE": filepath.Join(f.repo, ".git/index"), "GIT_WORK_TREE": f.repo,
		"GIT_OBJECT_DIRECTORY": f.dir, "GIT_EXTERNAL_DIFF": "touch " + f.canary, "GIT_CONFIG_COUNT": "1",
		"GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "touch " + f.canary,
		"GIT_AUTHOR_NAME": "other", "GIT_COMMITTER_DATE": "1999-01-01T00:00:00Z", "GIT_TRACE2_EVENT": f.canary, "TZ": "Asia/Tokyo",
	} {
		t.Setenv(k, v)
	}
	s, err := Open(t.Context(), f.opts)
	mustDo(t, err)
	base, _, err := s.Base(t.Context())
	mustDo(t, err)
	mustDo(t, s.Prepare(t.Context(), "t1", base))
	commit := f.candidate(s, "new.txt", "x\n")
	_, err = s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "branch", Branch: "looprun/t1"})
	mustDo(t, err)
	for _, v := range os.Environ() {
		if k, _, _ := strings.Cut(v, "="); strings.HasPrefix(k, "GIT_") && k != "GIT_CONFIG_NOSYSTEM" {
			os.Unsetenv(k)
		}
	}
	f.untouched()
}

func TestTheStateDirectory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"the state home":                {map[string]string{"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/looprun"},
		"the home":                      {map[string]string{"HOME": "/h"}, "/h/.local/state/looprun"},
		"a relative one does not count": {map[string]string{"XDG_STATE_HOME": "s", "HOME": "/h"}, "/h/.local/state/looprun"},
	} {
		if got := StateDir(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%s: StateDir = %s; want %s", name, got, c.want)
		}
	}
	if got := StateDir(func(string) string { return "" }); !strings.HasPrefix(got, "/var/tmp/looprun-") {
		t.Errorf("StateDir without a home = %s; want a private folder of /var/tmp", got)
	}
}

func TestWithoutAHomeEverythingWorks(t *testing.T) {
	f := newFixture(t)
	f.messUp()
	f.before = f.userState()
	home := os.Getenv("HOME")
	t.Setenv("HOME", "")
	os.Unsetenv("HOME")
	err := f.one(f.opts, "t1")
	os.Setenv("HOME", home)
	mustDo(t, err)
	if got := f.git("show", "looprun/t1:t1"); got != "t1" {
		t.Errorf("looprun/t1 holds %q", got)
	}
	f.untouched()
}
