package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
)

// A Setup is a command that a new tree needs, as the installation of what it
// depends on. It runs again only when one of its inputs changed, or when what
// it made was touched.
type Setup struct {
	Run     []string
	Inputs  []string // files of the tree
	Timeout time.Duration
}

const (
	setupTime  = 10 * time.Minute // of a command without a timeout
	setupInput = 64 << 20         // bytes of an input that count
	setupTail  = 4 << 10          // bytes of output in a SetupError
)

// install puts into a tree what share and setup say, unless it is there
// already, made from the same inputs and untouched since. Files of the commit
// that a setup command changed are put back.
func (s *Space) install(ctx context.Context, t *tree, spoilt bool) error {
	key, err := s.setupKey(t)
	if err != nil {
		return err
	}
	if t.facts.Setup == key && !spoilt {
		return nil
	}
	if err := t.uninstall(); err != nil {
		return err
	}
	if err := s.shareInto(ctx, t); err != nil {
		return err
	}
	for _, c := range s.opts.Setup {
		if err := s.runSetup(ctx, t, c); err != nil {
			return err
		}
	}
	if err := s.putBack(ctx, t); err != nil {
		return err
	}
	return s.noteMade(ctx, t, key)
}

// setupKey is a hash of all that setup and share depend on, "" if there is
// nothing to install.
func (s *Space) setupKey(t *tree) (string, error) {
	if len(s.opts.Setup)+len(s.opts.Share) == 0 {
		return "", nil
	}
	h := sha256.New()
	if err := s.hashShares(h); err != nil {
		return "", err
	}
	for _, c := range s.opts.Setup {
		fmt.Fprintf(h, "run %q\n", c.Run)
		for _, in := range c.Inputs {
			t.hashInput(h, in)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// hashInput takes a file that is absent, or no regular file, as such.
func (t *tree) hashInput(h hash.Hash, name string) {
	b, err := t.read(name, setupInput)
	fmt.Fprintf(h, "input %q %t %d\n", name, err == nil, len(b))
	h.Write(b)
}

// uninstall takes away all that setup and share made.
func (t *tree) uninstall() error {
	root := fsx.Scratch(t.dir)
	for dir, entries := range t.known {
		for _, e := range entries {
			if !e.Made {
				continue
			}
			if err := root.RemoveAll(filepath.FromSlash(join(dir, e.Name))); err != nil {
				return fmt.Errorf("clear %q: %w", t.dir, err)
			}
		}
	}
	t.known = t.commitOnly()
	t.facts.Ignored, t.facts.Leaks, t.facts.Setup = nil, nil, ""
	return t.save()
}

// commitOnly are the stamps without those of setup and share.
func (t *tree) commitOnly() listing {
	next := listing{}
	for dir, entries := range t.known {
		kept := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.Made })
		if up, ok := t.known.entry(dir); dir == "" || ok && !up.Made {
			next[dir] = kept
		}
	}
	return next
}

// runSetup runs one command in the tree with nothing of looprun's environment.
func (s *Space) runSetup(ctx context.Context, t *tree, c Setup) error {
	env, err := s.setupEnv()
	if err != nil {
		return err
	}
	wall := c.Timeout
	if wall <= 0 {
		wall = setupTime
	}
	res, err := child.Run(ctx, child.Cmd{
		Argv: c.Run, Wrap: s.sandbox.Writing(t.dir, s.setupDir("home"), s.setupDir("tmp")).Wrap(),
		Dir: t.dir, Env: env, Wall: wall, RunID: s.git.mark,
		Stdout: filepath.Join(s.slot, "setup.out.log"), Stderr: filepath.Join(s.slot, "setup.err.log"),
		Keep: setupTail,
	})
	if err != nil {
		return fmt.Errorf("run setup %q: %w", strings.Join(c.Run, " "), err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if res.Ended == child.Exit && res.ExitCode == 0 && !res.NotFound {
		return nil
	}
	said := slices.Concat(res.Stdout.Head, res.Stdout.Tail, res.Stderr.Head, res.Stderr.Tail)
	fault := &SetupError{Argv: c.Run, Ended: res.Ended, Code: res.ExitCode, Output: strings.ToValidUTF8(string(said), "\ufffd")}
	if res.NotFound {
		fault.Ended = "missing"
	}
	return fault
}

// setupEnv adds a home and a place for temporary files, both empty, unless the
// caller gave its own.
func (s *Space) setupEnv() ([]string, error) {
	env := slices.Clone(s.opts.Env)
	for name, dir := range map[string]string{"HOME": "home", "TMPDIR": "tmp"} {
		if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			continue
		}
		root := fsx.Scratch(s.setupDir(dir))
		if err := root.RemoveAll(""); err != nil {
			return nil, fmt.Errorf("run setup: %w", err)
		}
		if err := root.MkdirAll(""); err != nil {
			return nil, fmt.Errorf("run setup: %w", err)
		}
		env = append(env, name+"="+string(root))
	}
	if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "PATH=") }) {
		env = append(env, "PATH="+s.git.path)
	}
	return env, nil
}

// setupDir is a folder of this slot that setup commands have for themselves.
func (s *Space) setupDir(name string) string { return filepath.Join(s.slot, name) }

// putBack restores files of the commit that setup changed or deleted.
func (s *Space) putBack(ctx context.Context, t *tree) error {
	diff, err := compare(t.dir, t.known, nil)
	if err != nil {
		return err
	}
	removed := map[string]bool{}
	for _, path := range diff.gone {
		removed[path] = true
	}
	for _, f := range diff.changed {
		removed[f.path] = true
		if err := fsx.Scratch(t.dir).RemoveAll(filepath.FromSlash(f.path)); err != nil {
			return fmt.Errorf("clear %q: %w", t.dir, err)
		}
	}
	if len(removed) == 0 {
		return nil
	}
	return t.fill(ctx, t.facts.Of, removed)
}

// noteMade takes the stamps of everything that stands beside the commit's
// files, and asks git once what of it is ignored.
func (s *Space) noteMade(ctx context.Context, t *tree, key string) error {
	diff, err := compare(t.dir, t.known, nil)
	if err != nil {
		return err
	}
	var tops []string
	for _, f := range diff.fresh {
		if misleading(f) {
			return fmt.Errorf("setup made %q, which is no plain file", f.path)
		}
		all := []found{f}
		if f.kind() == kindDir {
			below, err := expand(t.dir, f.path, 1<<30)
			if err != nil {
				return err
			}
			all = append(all, below...)
		}
		for _, m := range all {
			t.known.put(m.path, m.stamp, true)
		}
		tops = append(tops, f.path)
	}
	if t.facts.Ignored, err = s.ignoredTops(ctx, t, tops); err != nil {
		return err
	}
	t.known.sort()
	t.facts.Setup = key
	if err := t.settle(ctx); err != nil {
		return err
	}
	return t.save()
}

// ignoredTops is needed for the tree of work only: there a snapshot passes
// over what git ignores.
func (s *Space) ignoredTops(ctx context.Context, t *tree, tops []string) ([]string, error) {
	if t != s.work {
		return nil, nil
	}
	ignored, err := t.ignoredOf(ctx, tops)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(tops, func(p string) bool { return !ignored[p] }), nil
}
