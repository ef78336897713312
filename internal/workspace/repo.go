package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A repo is the user's repository, as it was when it was opened. Its config is
// read once, before any generator runs.
type repo struct {
	top     string // real path of the checkout
	gitDir  string
	common  string   // differs from gitDir in a linked worktree
	objects []string // absolute object directories: its own, then its alternates
	shallow []byte
	config  []setting
}

// A setting is one line of git's config with the file class it stands in.
type setting struct{ scope, key, value string }

// findRepo finds the repository whose top is path, without starting git.
func findRepo(path string) (*repo, error) {
	top, err := filepath.EvalSymlinks(path)
	if err == nil {
		top, err = filepath.Abs(top)
	}
	if err != nil {
		return nil, fmt.Errorf("find %q: %w", path, err)
	}
	r := &repo{top: top}
	if r.gitDir, err = gitDirOf(top); err != nil {
		return nil, notTop(top, err)
	}
	if r.common, err = pointed(filepath.Join(r.gitDir, "commondir"), r.gitDir); errors.Is(err, os.ErrNotExist) {
		r.common, err = r.gitDir, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open repository %q: %w", top, err)
	}
	if r.objects, err = objectDirs(filepath.Join(r.common, "objects"), 0); err != nil {
		return nil, fmt.Errorf("open repository %q: %w", top, err)
	}
	if r.shallow, err = readSmall(filepath.Join(r.common, "shallow"), 64<<20); errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return r, err
}

// gitDirOf reads dir/.git, which is a directory or a file that names one.
func gitDirOf(dir string) (string, error) {
	dot := filepath.Join(dir, ".git")
	info, err := os.Stat(dot)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return filepath.EvalSymlinks(dot)
	}
	b, err := readSmall(dot, 1<<16)
	if err != nil {
		return "", err
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%q names no git directory", dot)
	}
	return filepath.EvalSymlinks(absFrom(dir, to))
}

// notTop says why there is no repository at dir.
func notTop(dir string, err error) error {
	if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("open repository %q: %w", dir, err)
	}
	if isDir(filepath.Join(dir, "objects")) && isDir(filepath.Join(dir, "refs")) {
		return fmt.Errorf("open repository %q: %w", dir, ErrBare)
	}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, ".git")); err == nil {
			return fmt.Errorf("open repository %q: %w: the top is %q", dir, ErrSubdirectory, up)
		}
	}
	return fmt.Errorf("open repository %q: %w", dir, ErrNoRepository)
}

// objectDirs follows alternates, as git does, at most five deep. A generator's
// tree borrows from all of them directly.
func objectDirs(dir string, depth int) ([]string, error) {
	dirs := []string{dir}
	b, err := readSmall(filepath.Join(dir, "info", "alternates"), 1<<20)
	if errors.Is(err, os.ErrNotExist) || depth == 5 {
		return dirs, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, `"`) {
			continue
		}
		more, err := objectDirs(absFrom(dir, line), depth+1)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, more...)
	}
	return dirs, nil
}

// load reads the config that git sees in the checkout and refuses what this
// package cannot work on.
func (r *repo) load(ctx context.Context, g *door) error {
	out, err := g.run(ctx, call{
		gitDir: r.gitDir, workTree: r.top, own: true, args: []string{"config", "--list", "--show-scope", "-z"},
	})
	if err != nil {
		return fmt.Errorf("read the config of %q: %w", r.top, err)
	}
	r.config = parseConfig(out)
	if f := r.value("extensions.objectformat"); f != "" && f != "sha1" {
		return fmt.Errorf("open repository %q: objects are named by %s: %w", r.top, f, ErrUnsupported)
	}
	if isTrue(r.value("core.bare")) {
		return fmt.Errorf("open repository %q: %w", r.top, ErrBare)
	}
	if wt := r.value("core.worktree"); wt != "" && !sameFile(absFrom(r.gitDir, wt), r.top) {
		return fmt.Errorf("open repository %q: core.worktree is %q: %w", r.top, wt, ErrUnsupported)
	}
	return nil
}

// parseConfig reads scope NUL key LF value NUL. A key without a value is true.
func parseConfig(out []byte) []setting {
	var all []setting
	parts := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		key, value, ok := strings.Cut(parts[i+1], "\n")
		if !ok {
			value = "true"
		}
		all = append(all, setting{scope: parts[i], key: key, value: value})
	}
	return all
}

// value is the last setting of key, as git reads it.
func (r *repo) value(key string) string {
	v := ""
	for _, s := range r.config {
		if s.key == key {
			v = s.value
		}
	}
	return v
}

// partial tells whether objects may be missing that a remote promised.
func (r *repo) partial() bool {
	for _, s := range r.config {
		if s.key == "extensions.partialclone" || strings.HasPrefix(s.key, "remote.") && strings.HasSuffix(s.key, ".promisor") {
			return true
		}
	}
	return false
}

func isTrue(v string) bool {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// pointed reads a file that holds the path of a directory.
func pointed(file, from string) (string, error) {
	b, err := readSmall(file, 1<<16)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absFrom(from, strings.TrimRight(string(b), "\r\n")))
}

func absFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// within tells whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// readSmall reads a file of the user's repository, refusing one that no git
// would have written.
func readSmall(file string, max int64) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %q: not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(b)) > max {
		return nil, fmt.Errorf("read %q: more than %d bytes", file, max)
	}
	return b, err
}
