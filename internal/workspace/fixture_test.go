//go:build linux || darwin

package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A fixture is a user's repository with everything that must stay as it is:
// branches, a stash, a staged file, an edit, an untracked file, config, hooks.
type fixture struct {
	t      *testing.T
	repo   string
	dir    string // where trees live
	canary string // exists once something planted was run
	calls  [][]string
	opts   Options
	before map[string]string
	gits   map[int]bool
	try    int
}

var when = time.Date(2030, 4, 5, 6, 7, 8, 0, time.UTC)

// TestMain gives git an empty home, for all tests at once.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "looprun-home-")
	if err != nil {
		panic(err)
	}
	for k, v := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": "", "GIT_CONFIG_NOSYSTEM": "1"} {
		os.Setenv(k, v)
	}
	defer os.RemoveAll(home)
	m.Run()
}

// template is the repository that every fixture starts as.
var template = sync.OnceValue(func() string {
	home, _ := os.UserHomeDir()
	repo := filepath.Join(home, "template")
	for name, text := range map[string]string{
		"README.md": "hello\n", "src/search.go": "package src\n\nfunc A() {}\n", "src/deep/er/x.txt": "x\n",
		"run.sh": "#!/bin/sh\n", ".gitignore": "node_modules/\n*.log\n/.loop/\n/tasks/\n",
	} {
		_ = os.MkdirAll(filepath.Dir(filepath.Join(repo, name)), 0o755)
		_ = os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644)
	}
	_ = os.Chmod(filepath.Join(repo, "run.sh"), 0o755)
	_ = os.Symlink("README.md", filepath.Join(repo, "link"))
	script := `set -e
git init -q -b main
git config user.name User
git config user.email user@example.com
git add -A
git commit -q -m one
echo hello again >README.md
git commit -q -am two
mkdir .loop tasks`
	c := exec.Command("sh", "-c", script)
	c.Dir = repo
	if out, err := c.CombinedOutput(); err != nil {
		panic(string(out))
	}
	return repo
})

func newFixture(t *testing.T) *fixture {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, repo: filepath.Join(top, "user repo"), dir: filepath.Join(top, "state"), canary: filepath.Join(top, "canary")}
	f.copy(template(), f.repo)
	f.opts = Options{
		Repo: f.repo, Loop: filepath.Join(f.repo, ".loop"), Dir: f.dir, Ignore: []string{"tasks/", ".loop/"},
		Timeout: time.Minute,
		Trace:   func(argv []string) { f.calls = append(f.calls, argv) },
	}
	return f
}

// messUp gives the checkout all that a user may have lying about.
func (f *fixture) messUp() {
	f.write("README.md", "stashed\n")
	f.git("stash", "-q")
	f.git("branch", "other", "HEAD~1")
	f.git("tag", "v1")
	f.write("staged.txt", "staged\n")
	f.git("add", "staged.txt")
	f.write("src/search.go", "package src\n\n// being edited\n")
	f.write("untracked.txt", "u\n")
	f.write("node_modules/dep/index.js", "x\n")
	mustDo(f.t, os.Chmod(filepath.Join(f.repo, "link"), 0o777))
	f.write(".git/hooks/reference-transaction", "#!/bin/sh\ntouch '"+f.canary+"'\n")
	f.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch '"+f.canary+"'\n")
	for _, h := range []string{"reference-transaction", "post-index-change"} {
		mustDo(f.t, os.Chmod(filepath.Join(f.repo, ".git/hooks", h), 0o755))
	}
}

// open opens a Space and remembers what the user's side looks like.
func (f *fixture) open() *Space {
	f.t.Helper()
	if f.before == nil {
		f.before = f.userState()
	}
	s, err := Open(context.Background(), f.opts)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// prepared is a Space with a tree for task t1.
func (f *fixture) prepared() (*Space, string) {
	f.t.Helper()
	s := f.open()
	base, _, err := s.Base(f.t.Context())
	mustDo(f.t, err)
	mustDo(f.t, s.Prepare(f.t.Context(), "t1", base))
	return s, base
}

// userState is everything of the user's that may not change, by name: files
// with mode and time, index, config, hooks, reflogs, HEAD and refs.
func (f *fixture) userState() map[string]string {
	f.t.Helper()
	all := map[string]string{}
	mustDo(f.t, filepath.WalkDir(f.repo, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(f.repo, path)
		if skip := map[string]bool{".loop": true, ".git/objects": true, ".git/refs": true, ".git/packed-refs": true, ".git/logs/refs/heads/looprun": true}; skip[rel] {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !e.IsDir() {
			all[rel] = describeFile(path, e)
		}
		return nil
	}))
	for line := range strings.Lines(f.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)")) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(name, "refs/looprun/") && !strings.HasPrefix(name, "refs/heads/looprun/") {
			all[name] = rest
		}
	}
	return all
}

func describeFile(path string, e fs.DirEntry) string {
	info, err := e.Info()
	if err != nil {
		return err.Error()
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, _ := os.Readlink(path)
		return "link " + to
	}
	b, _ := os.ReadFile(path)
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%v %s %s", info.Mode(), info.ModTime().Format(time.RFC3339Nano), hex.EncodeToString(sum[:]))
}

// untouched fails the test if anything of the user's changed, or if something
// planted was run.
func (f *fixture) untouched() {
	f.t.Helper()
	if diff := cmp.Diff(f.before, f.userState()); diff != "" {
		f.t.Errorf("the user's side changed (-before +after):\n%s", diff)
	}
	if _, err := os.Lstat(f.canary); err == nil {
		f.t.Error("something planted was run")
	}
	if out, err := f.tryGit("fsck", "--strict", "--no-dangling"); err != nil {
		f.t.Errorf("fsck: %v\n%s", err, out)
	}
}

func (f *fixture) tryGit(args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir = f.repo
	c.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := c.CombinedOutput()
	return string(out), err
}

func (f *fixture) git(args ...string) string {
	f.t.Helper()
	out, err := f.tryGit(args...)
	if err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimRight(out, "\n")
}

func (f *fixture) write(name, text string) {
	f.t.Helper()
	writeFile(f.t, filepath.Join(f.repo, name), text)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	mustDo(t, os.MkdirAll(filepath.Dir(path), 0o755))
	mustDo(t, os.WriteFile(path, []byte(text), 0o644))
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// files lists a tree as path: content, links as "-> target", without .git.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	mustDo(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if rel == ".git" && e.IsDir() {
			return fs.SkipDir
		}
		switch {
		case rel == ".git":
		case e.IsDir():
		case e.Type()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			all[rel] = "-> " + to
		case e.Type().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[rel] = string(b)
		default:
			all[rel] = e.Type().String()
		}
		return nil
	}))
	return all
}
