//go:build linux || darwin

package workspace

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// An attack is what a generator may leave behind. It gets the tree and a
// command line that would leave the canary.
type attack struct {
	do   func(a *agent)
	want []string // changes as "A path", or refusals as "!code path"
	head string   // a word of the note about its HEAD
}

// An agent works in a tree with its own git.
type agent struct {
	*fixture
	dir  string
	evil string // a program that leaves the canary
}

func (a *agent) git(args ...string) {
	a.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = a.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := c.CombinedOutput(); err != nil {
		a.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (a *agent) path(name string) string { return filepath.Join(a.dir, name) }

func (a *agent) put(name, text string) {
	a.t.Helper()
	writeFile(a.t, a.path(name), text)
}

// nested makes a repository with a filter that leaves the canary.
func (a *agent) nested(name string) {
	a.t.Helper()
	a.put(name+"/f.txt", "x\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=n", "-c", "user.email=n@x", "commit", "-q", "-m", "n"},
		{"config", "filter.x.clean", a.evil}, {"config", "core.fsmonitor", a.evil}} {
		a.git(append([]string{"-C", name}, args...)...)
	}
	a.put(name+"/.gitattributes", "* filter=x\n")
	a.put(name+"/f.txt", "y\n")
}

// disarm takes the canary away that the agent's own git left.
func (a *agent) disarm() { _ = os.Remove(a.canary) }

var attacks = map[string]attack{
	"nothing at all": {func(*agent) {}, nil, "refs/heads/work"},
	"a hook of every kind": {func(a *agent) {
		for _, h := range []string{"pre-commit", "post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"} {
			a.put(".git/hooks/"+h, "#!/bin/sh\n"+a.evil+"\n")
			mustDo(a.t, os.Chmod(a.path(".git/hooks/"+h), 0o755))
		}
		a.put("README.md", "x\n")
	}, []string{"M README.md"}, ""},
	"fsmonitor": {func(a *agent) { a.git("config", "core.fsmonitor", a.evil); a.put("README.md", "x\n"); a.disarm() }, []string{"M README.md"}, ""},
	"a clean filter and a filter process": {func(a *agent) {
		a.git("config", "filter.x.clean", a.evil)
		a.git("config", "filter.x.smudge", a.evil)
		a.git("config", "filter.y.process", a.evil)
		a.put(".gitattributes", "*.md filter=x\n*.go filter=y\n")
		a.put("README.md", "x\n")
		a.put("src/search.go", "x\n")
	}, []string{"A .gitattributes", "M README.md", "M src/search.go"}, ""},
	"an lfs filter of its own": {func(a *agent) {
		a.git("config", "filter.lfs.process", a.evil)
		a.put(".gitattributes", "* filter=lfs\n")
	}, []string{"A .gitattributes"}, ""},
	"gpg and signing": {func(a *agent) {
		a.git("config", "gpg.program", a.evil)
		a.git("config", "commit.gpgsign", "true")
		a.put("README.md", "x\n")
	}, []string{"M README.md"}, ""},
	"external diff and textconv": {func(a *agent) {
		a.git("config", "diff.external", a.evil)
		a.git("config", "diff.z.textconv", a.evil)
		a.git("config", "diff.z.command", a.evil)
		a.put(".gitattributes", "* diff=z\n")
		a.put("README.md", "x\n")
	}, []string{"A .gitattributes", "M README.md"}, ""},
	"a merge driver": {func(a *agent) {
		a.git("config", "merge.m.driver", a.evil)
		a.put(".gitattributes", "* merge=m\n")
	}, []string{"A .gitattributes"}, ""},
	"core.worktree at the user's files": {func(a *agent) {
		a.git("config", "core.worktree", a.repo)
		a.put("README.md", "x\n")
	}, []string{"M README.md"}, ""},
	"a .git file that leads to the user's repository": {func(a *agent) {
		mustDo(a.t, os.RemoveAll(a.path(".git")))
		a.put(".git", "gitdir: "+a.repo+"/.git\n")
		a.put("README.md", "x\n")
	}, []string{"M README.md"}, ""},
	"a .git link to the user's repository": {func(a *agent) {
		mustDo(a.t, os.RemoveAll(a.path(".git")))
		mustDo(a.t, os.Symlink(a.repo+"/.git", a.path(".git")))
		a.put("README.md", "x\n")
	}, []string{"M README.md"}, ""},
	"no .git any more": {func(a *agent) {
		mustDo(a.t, os.RemoveAll(a.path(".git")))
		a.put("README.md", "x\n")
	}, []string{"M README.md"}, ""},
	"a .git of rubbish": {func(a *agent) {
		mustDo(a.t, os.RemoveAll(a.path(".git")))
		a.put(".git", "rubbish")
		a.put("README.md", "x\n")
	}, []string{"M README.md"}, ""},
	"a .git that is a pipe": {func(a *agent) {
		mustDo(a.t, os.RemoveAll(a.path(".git")))
		mustDo(a.t, unix.Mkfifo(a.path(".git"), 0o600))
	}, nil, ""},
	"a nested repository": {func(a *agent) { a.nested("sub") }, []string{"!nested_repository sub/.git"}, ""},
	"a nested repository beside known files": {func(a *agent) {
		a.nested("src")
	}, []string{"!nested_repository src/.git"}, ""},
	"a nested repository that is ignored": {func(a *agent) { a.nested("node_modules/dep"); a.put("README.md", "x\n") }, []string{"M README.md"}, ""},
	"a nested repository in an ignored folder of a new one": {func(a *agent) {
		a.nested("pkg/node_modules/dep")
		a.put("pkg/a.txt", "x\n")
	}, []string{"A pkg/a.txt"}, ""},
	"a nested repository in a large new folder": {func(a *agent) {
		for i := range maxPeek + 10 {
			a.put(fmt.Sprintf("big/f%d", i), "")
		}
		a.nested("big/deep/er")
	}, []string{"!nested_repository big/deep/er/.git"}, ""},
	"an empty .git below":              {func(a *agent) { mustDo(a.t, os.Mkdir(a.path("src/.git"), 0o755)) }, []string{"!nested_repository src/.git"}, ""},
	"a .git file below":                {func(a *agent) { a.put("src/.git", "gitdir: "+a.repo+"/.git\n") }, []string{"!nested_repository src/.git"}, ""},
	"the alias git~1":                  {func(a *agent) { a.put("src/git~1/config", "x") }, []string{"!nested_repository src/git~1"}, ""},
	"another case of .git at the root": {func(a *agent) { a.put(".GIT/config", "x") }, []string{"!nested_repository .GIT"}, ""},
	"a .git with an invisible rune":    {func(a *agent) { a.put("src/.g\u200cit/config", "x") }, []string{"!nested_repository src/.g\u200cit"}, ""},
	"a .git with a trailing dot":       {func(a *agent) { a.put("src/.git. /config", "x") }, []string{"!nested_repository src/.git. "}, ""},
	"a .git behind a backslash":        {func(a *agent) { a.put(`src/x\.git\config`, "x") }, []string{`!nested_repository src/x\.git\config`}, ""},
	"an attribute that hides lines": {func(a *agent) {
		a.put(".gitattributes", "* -diff binary\n")
		a.put("README.md", strings.Repeat("x\n", 50))
	}, []string{"A .gitattributes", "M README.md"}, ""},
	"an edit whose size and time were put back": {func(a *agent) {
		info, err := os.Stat(a.path("README.md"))
		mustDo(a.t, err)
		a.put("README.md", "HELLO AGAIN\n")
		mustDo(a.t, os.Chtimes(a.path("README.md"), info.ModTime(), info.ModTime()))
	}, []string{"M README.md"}, ""},
	"assume-unchanged, skip-worktree and a sparse checkout": {func(a *agent) {
		a.git("update-index", "--assume-unchanged", "README.md")
		a.git("update-index", "--skip-worktree", "src/search.go")
		a.git("config", "core.sparseCheckout", "true")
		a.put("README.md", "x\n")
		a.put("src/search.go", "x\n")
	}, []string{"M README.md", "M src/search.go"}, ""},
	"its own info/exclude": {func(a *agent) { a.put(".git/info/exclude", "*\n"); a.put("new.txt", "x\n") }, []string{"A new.txt"}, ""},
	"a pipe":               {func(a *agent) { mustDo(a.t, unix.Mkfifo(a.path("pipe"), 0o644)) }, []string{"!fifo pipe"}, ""},
	"a known file that became a pipe": {func(a *agent) {
		mustDo(a.t, os.Remove(a.path("README.md")))
		mustDo(a.t, unix.Mkfifo(a.path("README.md"), 0o644))
	}, []string{"!fifo README.md"}, ""},
	"a .gitignore that became a pipe": {func(a *agent) {
		mustDo(a.t, os.Remove(a.path(".gitignore")))
		mustDo(a.t, unix.Mkfifo(a.path(".gitignore"), 0o644))
		a.put("new.txt", "x\n")
	}, []string{"!fifo .gitignore"}, ""},
	"a .gitattributes in a new folder that is a pipe": {func(a *agent) {
		a.put("n/x.txt", "x")
		mustDo(a.t, unix.Mkfifo(a.path("n/.gitattributes"), 0o644))
	}, []string{"!fifo n/.gitattributes"}, ""},
	"a link for a .gitignore": {func(a *agent) { mustDo(a.t, os.Symlink("../README.md", a.path("src/.gitignore"))) }, []string{"!special_link src/.gitignore"}, ""},
	"a huge .gitignore":       {func(a *agent) { a.put("src/.gitignore", strings.Repeat("x\n", maxSteering)) }, []string{"!too_large src/.gitignore"}, ""},
	"a socket": {func(a *agent) {
		wd, err := os.Getwd()
		mustDo(a.t, err)
		mustDo(a.t, os.Chdir(a.dir)) // the path of a socket is short
		defer os.Chdir(wd)
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: "sock", Net: "unix"})
		mustDo(a.t, err)
		l.SetUnlinkOnClose(false)
		mustDo(a.t, l.Close())
	}, []string{"!socket sock"}, ""},
	"a setuid program": {func(a *agent) {
		a.put("tool", "x")
		mustDo(a.t, os.Chmod(a.path("tool"), 0o755|os.ModeSetuid))
	}, []string{"!setuid tool"}, ""},
	"a hard link to a file of the user's": {func(a *agent) { mustDo(a.t, os.Link(a.repo+"/src/search.go", a.path("mine.go"))) }, []string{"!hard_link mine.go"}, ""},
	"hard links that are ignored": {func(a *agent) {
		a.put("node_modules/a", "x")
		mustDo(a.t, os.Link(a.path("node_modules/a"), a.path("node_modules/b")))
		a.put("README.md", "x\n")
	}, []string{"M README.md"}, ""},
	"an absolute link":   {func(a *agent) { mustDo(a.t, os.Symlink("/etc/passwd", a.path("abs"))) }, []string{"!link_outside abs"}, ""},
	"a link that climbs": {func(a *agent) { mustDo(a.t, os.Symlink("../../x", a.path("src/up"))) }, []string{"!link_outside src/up"}, ""},
	"a link inside":      {func(a *agent) { mustDo(a.t, os.Symlink("../README.md", a.path("src/in"))) }, []string{"A src/in"}, ""},
	"a file that became a link to the user's": {func(a *agent) {
		mustDo(a.t, os.Remove(a.path("README.md")))
		mustDo(a.t, os.Symlink(a.repo+"/README.md", a.path("README.md")))
	}, []string{"!link_outside README.md"}, ""},
	"a name with a newline":             {func(a *agent) { a.put("a\nb", "x") }, []string{"!bad_name a\nb"}, ""},
	"a name that is no text":            {func(a *agent) { a.put("a\xffb", "x") }, []string{"!bad_name a\ufffdb"}, ""},
	"a name that differs by case":       {func(a *agent) { a.put("readme.md", "x") }, []string{"!case_collision readme.md"}, ""},
	"a folder that differs by case":     {func(a *agent) { a.put("SRC/x", "x") }, []string{"!case_collision SRC"}, ""},
	"two new names that differ by case": {func(a *agent) { a.put("n/a", "x"); a.put("n/A", "x") }, []string{"!case_collision n/a"}, ""},
	"a renaming by case":                {func(a *agent) { mustDo(a.t, os.Rename(a.path("README.md"), a.path("readme.md"))) }, []string{"D README.md", "A readme.md"}, ""},
	"a file that is too large": {func(a *agent) {
		a.put("big.bin", "")
		mustDo(a.t, os.Truncate(a.path("big.bin"), 2<<20))
	}, []string{"!too_large big.bin"}, ""},
	"a file in place of a folder": {func(a *agent) {
		mustDo(a.t, os.RemoveAll(a.path("src/deep")))
		a.put("src/deep", "x\n")
	}, []string{"A src/deep", "D src/deep/er/x.txt"}, ""},
	"a folder in place of a file": {func(a *agent) {
		mustDo(a.t, os.Remove(a.path("README.md")))
		a.put("README.md/a", "x\n")
	}, []string{"D README.md", "A README.md/a"}, ""},
	"a folder of ignored files in place of a file": {func(a *agent) {
		mustDo(a.t, os.Remove(a.path("README.md")))
		a.put("README.md/a.log", "x\n")
	}, []string{"D README.md"}, ""},
	"a link in place of a folder": {func(a *agent) {
		mustDo(a.t, os.RemoveAll(a.path("src/deep")))
		mustDo(a.t, os.Symlink("../README.md", a.path("src/deep")))
	}, []string{"A src/deep", "D src/deep/er/x.txt"}, ""},
	"an ignored link in place of a folder": {func(a *agent) {
		a.put(".gitignore", "deep\n")
		mustDo(a.t, os.RemoveAll(a.path("src/deep")))
		mustDo(a.t, os.Symlink(a.repo+"/src/deep", a.path("src/deep")))
	}, []string{"M .gitignore", "D src/deep/er/x.txt"}, ""},
	"a folder in place of a link": {func(a *agent) {
		mustDo(a.t, os.Remove(a.path("link")))
		a.put("link/x", "x\n")
	}, []string{"D link", "A link/x"}, ""},
	"a mode": {func(a *agent) { mustDo(a.t, os.Chmod(a.path("README.md"), 0o755)) }, []string{"M README.md"}, ""},
	"access taken away": {func(a *agent) {
		a.put("locked/x.txt", "x\n")
		mustDo(a.t, os.Chmod(a.path("locked/x.txt"), 0))
		mustDo(a.t, os.Chmod(a.path("locked"), 0o555))
		mustDo(a.t, os.Chmod(a.path("src"), 0))
	}, []string{"A locked/x.txt"}, ""},
	"commits of its own": {func(a *agent) {
		a.put("README.md", "x\n")
		a.git("commit", "-q", "-am", "mine")
		a.git("checkout", "-q", "-b", "mine")
		a.put("new.txt", "x\n")
	}, []string{"M README.md", "A new.txt"}, "refs/heads/mine"},
	"an amended history": {func(a *agent) {
		a.git("checkout", "-q", "--orphan", "lone")
		a.put("README.md", "x\n")
		a.git("commit", "-q", "-am", "lone")
	}, []string{"M README.md"}, "refs/heads/lone"},
	"a detached HEAD and an older checkout": {func(a *agent) { a.git("checkout", "-q", "HEAD~1") }, []string{"M README.md"}, ""},
	"a stash takes its edits away":          {func(a *agent) { a.put("README.md", "x\n"); a.git("stash", "-q") }, nil, ""},
	"a branch, a tag and a ref of looprun's name": {func(a *agent) {
		a.git("branch", "main")
		a.git("tag", "v1")
		a.git("update-ref", "refs/looprun/keep/t1", "HEAD~1")
		a.git("branch", "looprun/t1", "HEAD~1")
	}, nil, ""},
	"a stale lock and a half merge": {func(a *agent) {
		a.put(".git/index.lock", "")
		a.put(".git/MERGE_HEAD", "rubbish\n")
		a.put("README.md", "x\n")
	}, []string{"M README.md"}, ""},
	"a garbage collection of everything": {func(a *agent) {
		a.put("README.md", "x\n")
		a.git("reflog", "expire", "--expire=now", "--all")
		a.git("gc", "-q", "--prune=now")
	}, []string{"M README.md"}, ""},
	"the deletion of the task folders": {func(a *agent) {
		mustDo(a.t, os.RemoveAll(a.path("tasks")))
		a.git("clean", "-q", "-fdx")
	}, nil, ""},
}
