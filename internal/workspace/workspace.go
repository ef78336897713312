// Package workspace owns the tree that a generator works in and everything
// that becomes of it: it is made from a base commit, read exactly when the
// generator has ended, turned into a commit, checked out anew for the checks,
// and handed over. It is the only door to git.
//
// It never runs git against a .git directory that the generator could write:
// a bare control directory of its own, outside the checkout, holds the config,
// the index and the new objects. In the user's repository it moves only refs
// below refs/looprun/ and the one ref that a landing is about, each with its
// old value.
//
// One Space belongs to one goroutine. The caller holds the lock of .loop.
package workspace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
)

// Options say where a Space stands and what belongs in its trees.
type Options struct {
	Repo    string   // the top of the user's checkout
	Loop    string   // the .loop directory; its real path names the control directory
	Dir     string   // where trees live; "" is the user's state directory
	Base    string   // HEAD, a branch or any commit expression; "" is HEAD
	InPlace bool     // work in the checkout itself
	Slot    int      // trees of one .loop are numbered from 0
	Setup   []Setup  // commands that every new tree needs
	Env     []string // the exact environment of setup commands
	Share   []string // ignored folders taken from the checkout, relative to it
	Ignore  []string // folders that are never part of a candidate, as tasks/ and .loop/
	MaxFile int64    // a changed file above it is refused before git reads it; 0 is 1 GiB

	Timeout time.Duration       // of one git process; 0 is ten minutes
	Seam    fsx.Seam            // sees every durable write
	Trace   func(args []string) // sees every git process before it starts, without its settings
}

// A Space is one tree for work and one for checks, used by task after task.
type Space struct {
	opts    Options
	git     *door
	repo    *repo
	ctl     *control
	slot    string // directory of this slot's trees and records
	token   string // in the names of the temporary files of this process
	work    *tree
	check   *tree
	state   state
	sandbox child.Sandbox      // of the setup commands
	last    *seen              // what the last Snapshot found
	trees   map[string]string  // commit: its tree
	theirs  map[string]bool    // commits that the user's repository has
	store   *objects           // opened when first needed
	shares  map[string][]found // the shared folders as they were at Prepare
	count   time.Duration      // limit of the counting of lines, if not countTime
	began   int64              // objects written since are synced with the next commit
}

// Open finds the user's repository and makes the control directory ready. It
// takes away what a dead process left half done and changes nothing in the
// user's repository.
func Open(ctx context.Context, o Options) (*Space, error) {
	s := &Space{opts: o.withDefaults(), token: rand.Text()[:10], trees: map[string]string{}, theirs: map[string]bool{}, began: time.Now().Add(-2 * time.Second).UnixNano()}
	var err error
	if s.repo, err = findRepo(o.Repo); err != nil {
		return nil, err
	}
	key, err := s.keyDir()
	if err != nil {
		return nil, err
	}
	if s.git, err = openDoor(ctx, key, s.opts); err != nil {
		return nil, err
	}
	if err := s.repo.load(ctx, s.git); err != nil {
		return nil, err
	}
	if s.ctl, err = openControl(key, s.repo, s.opts.Seam); err != nil {
		return nil, err
	}
	if err := s.openSlot(ctx, key); err != nil {
		return nil, err
	}
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.Base == "" {
		o.Base = "HEAD"
	}
	if o.MaxFile <= 0 {
		o.MaxFile = 1 << 30
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Minute
	}
	return o
}

// keyDir is the directory that belongs to this .loop alone. It must lie
// outside the checkout, or the generator's tree would hold itself.
func (s *Space) keyDir() (string, error) {
	loop, err := filepath.EvalSymlinks(s.opts.Loop)
	if err != nil {
		return "", fmt.Errorf("find %q: %w", s.opts.Loop, err)
	}
	dir := s.opts.Dir
	if dir == "" {
		dir = StateDir(os.Getenv)
	}
	sum := sha256.Sum256([]byte(loop))
	key := filepath.Join(dir, hex.EncodeToString(sum[:8]))
	d, err := fsx.MkdirAll(key, s.seams()...)
	if err != nil {
		return "", fmt.Errorf("make %q: %w", key, err)
	}
	defer d.Close()
	if s.opts.Dir == "" && !ownOnly(dir) {
		return "", fmt.Errorf("use %q: %w", dir, ErrNotPrivate)
	}
	if key, err = filepath.EvalSymlinks(key); err != nil {
		return "", fmt.Errorf("find %q: %w", key, err)
	}
	if within(s.repo.top, key) {
		return "", fmt.Errorf("workspace.dir %q lies inside the repository %q: %w", dir, s.repo.top, ErrInside)
	}
	return key, nil
}

func (s *Space) seams() []fsx.Seam {
	if s.opts.Seam == nil {
		return nil
	}
	return []fsx.Seam{s.opts.Seam}
}

// openSlot reads the slot's record and clears what a dead process left.
func (s *Space) openSlot(ctx context.Context, key string) error {
	name := strconv.Itoa(s.opts.Slot)
	if s.opts.InPlace {
		name = "checkout"
	}
	s.slot = filepath.Join(key, "trees", name)
	d, err := fsx.MkdirAll(s.slot, s.seams()...)
	if err != nil {
		return fmt.Errorf("make %q: %w", s.slot, err)
	}
	defer d.Close()
	if s.state = readState(d); s.state.Tree != "" {
		s.trees[s.state.Base] = s.state.Tree
	}
	s.git.mark = "workspace-" + filepath.Base(key) + "-" + name
	if err := errors.Join(s.endLeftovers(ctx), s.unlockRefs(ctx)); err != nil {
		return err
	}
	if err := clearTemps(s.slot); err != nil {
		return err
	}
	s.work, s.check = s.newTree("work"), s.newTree("check")
	if s.opts.InPlace {
		s.work.dir = s.repo.top
		s.work.outside = s.opts.Ignore
	}
	return nil
}

func (s *Space) newTree(name string) *tree {
	return &tree{
		git:   s.git,
		ctl:   s.ctl,
		dir:   filepath.Join(s.slot, name),
		index: filepath.Join(s.slot, name+".index"),
		notes: filepath.Join(s.slot, name+".stamps"),
	}
}

// StateDir is where trees live unless loop.yaml says otherwise: below the
// user's state directory or, without HOME, in a private folder of /var/tmp.
func StateDir(getenv func(string) string) string {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "looprun")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "looprun")
	}
	return filepath.Join("/var/tmp", "looprun-"+strconv.Itoa(os.Getuid()))
}

// Confine gives the setup commands an environment and a sandbox, which need not
// open the tree, HOME and TMPDIR.
func (s *Space) Confine(sandbox child.Sandbox, env []string) { s.sandbox, s.opts.Env = sandbox, env }

// Dir is the directory that the generator starts in.
func (s *Space) Dir() string { return s.work.dir }

// Objects are the folders of objects that the trees borrow from.
func (s *Space) Objects() []string {
	return append([]string{s.ctl.objects}, s.repo.objects...)
}

// GitDirs are the user's own git directories: that of the checkout, and the one
// that it has in common with others.
func (s *Space) GitDirs() []string { return slices.Compact([]string{s.repo.gitDir, s.repo.common}) }

// Root is the top of the user's checkout.
func (s *Space) Root() string { return s.repo.top }
