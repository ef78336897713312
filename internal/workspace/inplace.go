package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/object"

	"looprun.dev/looprun/internal/fsx"
)

// ErrDirty is in the error of Prepare for a checkout with changes of the user.
var ErrDirty = errors.New("the checkout has changes")

// Dirty lists what in the checkout differs from HEAD: staged, unstaged and
// untracked paths other than Ignore's. A clean checkout is remembered by its
// stamps, so that looking again starts no git.
func (s *Space) Dirty(ctx context.Context) ([]string, error) {
	base, _, err := s.Base(ctx)
	if err != nil {
		return nil, err
	}
	t := s.work
	t.load()
	env := s.surroundings()
	if t.facts.Of == base && t.facts.Env == env {
		diff, err := compare(t.dir, t.known, t.skips())
		if err != nil {
			return nil, fmt.Errorf("look through the checkout: %w", err)
		}
		if diff.empty() {
			return nil, nil
		}
	}
	dirty, err := s.survey(ctx, base, env)
	if err != nil {
		return nil, fmt.Errorf("look through the checkout: %w", err)
	}
	return dirty, nil
}

// surroundings change when something other than the files decides what counts
// as a change: the user's index, the ignore rules, the settings.
func (s *Space) surroundings() string {
	h := sha256.New()
	for _, file := range []string{s.userIndex(), filepath.Join(s.repo.common, "info", "exclude"), filepath.Join(s.repo.common, "info", "attributes"), s.repo.excludesFile(os.Getenv)} {
		st, _ := lstat(file) // a missing file has the zero stamp
		fmt.Fprintf(h, "%s %v\n", file, st)
	}
	fmt.Fprint(h, s.ctl.config())
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (s *Space) userIndex() string { return filepath.Join(s.repo.gitDir, "index") }

// survey takes the stamps of everything, then asks git what differs. A file
// that is written in between shows the next time by its stamp.
func (s *Space) survey(ctx context.Context, base, env string) ([]string, error) {
	t := s.work
	all, err := expand(t.dir, "", 1<<30)
	if err != nil {
		return nil, err
	}
	dirty, ignored, err := s.status(ctx, base)
	if err != nil || len(dirty) > 0 {
		t.forget()
		return dirty, err
	}
	if _, err := s.git.run(ctx, t.call("read-tree", base)); err != nil {
		return nil, err
	}
	entries, err := readIndex(t.index)
	if err != nil {
		return nil, err
	}
	t.facts = facts{Of: base, Env: env, Ignored: ignored}
	t.known = t.knownOf(all, entries)
	if err := t.settle(ctx); err != nil {
		return nil, err
	}
	return nil, t.save()
}

// knownOf keeps of all files those that a snapshot looks at. Submodules are
// the user's: what is in them is left alone.
func (t *tree) knownOf(all []found, entries []indexed) listing {
	skip := append(slices.Clone(t.outside), t.facts.Ignored...)
	known := listing{"": nil}
	for _, e := range entries {
		if e.mode&kindMask == kindModule {
			skip = append(skip, e.path)
			t.facts.Ignored = append(t.facts.Ignored, e.path)
		}
	}
	left := skips{}
	for _, path := range skip {
		left.add(path)
	}
	dropped := map[string]bool{".git": true}
	for _, f := range all {
		dir, name := split(f.path)
		switch {
		case dropped[dir] || left[dir][name] || f.path == ".git":
			dropped[f.path] = f.kind() == kindDir
		case f.kind() == kindDir:
			known[f.path] = nil
			known[dir] = append(known[dir], entry{Name: name, stamp: f.stamp})
		default:
			known[dir] = append(known[dir], entry{Name: name, stamp: f.stamp})
		}
	}
	return known
}

// status asks git about the checkout with a copy of the user's index, through
// the control directory: no setting, hook or filter that stands in the
// checkout's own .git takes part.
func (s *Space) status(ctx context.Context, base string) (dirty, ignored []string, err error) {
	if err := s.ctl.put(filepath.Join(s.ctl.dir, "HEAD"), base+"\n"); err != nil {
		return nil, nil, err
	}
	c := s.work.call("status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=normal", "--ignored=traditional", "--ignore-submodules=dirty")
	c.index = s.scratch("user")
	if isFile(s.userIndex()) {
		if err := fsx.Scratch(s.slot).CopyFile(s.userIndex(), filepath.Base(c.index)); err != nil {
			return nil, nil, err
		}
	}
	out, err := s.git.run(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	for _, rec := range strings.Split(string(out), "\x00") {
		path, skip := statusPath(rec)
		switch {
		case path == "" || covers(s.opts.Ignore, strings.Trim(path, "/")):
		case skip:
			ignored = append(ignored, strings.Trim(path, "/"))
		default:
			dirty = append(dirty, path)
		}
	}
	return dirty, ignored, nil
}

// statusPath reads one record of porcelain version 2: the path, and whether it
// is only ignored.
func statusPath(rec string) (path string, ignored bool) {
	kind, rest, _ := strings.Cut(rec, " ")
	fields := map[string]int{"1": 8, "2": 9, "u": 10, "?": 1, "!": 1}[kind]
	if fields == 0 {
		return "", false
	}
	for ; fields > 1; fields-- {
		_, rest, _ = strings.Cut(rest, " ")
	}
	return rest, kind == "!"
}

// adopt takes the checkout as it is for the tree to work in.
func (s *Space) adopt(ctx context.Context, base string) error {
	dirty, err := s.Dirty(ctx)
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return fmt.Errorf("%w, as %q", ErrDirty, dirty[0])
	}
	if s.work.facts.Of != base {
		return fmt.Errorf("HEAD is %.12s, not %.12s: %w", s.work.facts.Of, base, ErrNoBase)
	}
	return nil
}

// landHere commits the candidate on the branch that is checked out. The ref is
// the commit point; the user's index follows for the changed paths alone.
func (s *Space) landHere(ctx context.Context, l Landing) (Landed, error) {
	parents := s.parents(l.Commit)
	if len(parents) != 1 {
		return Landed{}, fmt.Errorf("candidate %.12s: %w", l.Commit, ErrNoBase)
	}
	head, ref := s.repo.head()
	if ref == "" {
		ref = "HEAD"
	}
	lock := s.userIndex() + ".lock"
	if _, err := os.Lstat(lock); err == nil {
		return Landed{}, &LandError{Ref: ref, Want: l.Commit, Why: fmt.Sprintf("%q is held", lock)}
	}
	if head != l.Commit {
		err := s.moveRefs(ctx, "commit "+l.Task, refChange{ref, parents[0], l.Commit})
		if exitCode(err) >= 0 {
			return Landed{}, &LandError{Ref: ref, Want: l.Commit, Have: head, Why: err.Error(), cause: err}
		}
		if err != nil {
			return Landed{}, err
		}
	}
	done := Landed{Mode: "commit", Branch: strings.TrimPrefix(ref, "refs/heads/"), Commit: l.Commit}
	return done, s.follow(ctx, parents[0], l.Commit)
}

// follow brings the user's index, and what is known of the checkout, from one
// commit to the next.
func (s *Space) follow(ctx context.Context, from, to string) error {
	base, err := s.openObjects().commit(from)
	if err != nil {
		return err
	}
	now, err := s.store.commit(to)
	if err != nil {
		return err
	}
	pairs := map[string][2]object.TreeEntry{}
	if err := s.store.differ("", base.TreeHash, now.TreeHash, pairs); err != nil {
		return err
	}
	var lines strings.Builder
	for path, pair := range pairs { // git sorts them
		e := pair[1]
		fmt.Fprintf(&lines, "%06o %s 0\t%s\x00", uint32(e.Mode), e.Hash, path)
	}
	c := call{gitDir: s.ctl.dir, index: s.userIndex(), stdin: []byte(lines.String())}
	c.args = []string{"update-index", "--add", "--replace", "-z", "--index-info"}
	if _, err := s.git.run(ctx, c); err != nil {
		return fmt.Errorf("bring the index to %.12s: %w", to, err)
	}
	s.trees[to] = now.TreeHash.String()
	s.work.forget() // the next look at the checkout is a whole one
	return nil
}
