//go:build linux || darwin

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// brokenTrees are states that a dead process, a power cut or a generator can
// leave a slot in.
var brokenTrees = map[string]func(f *fixture, s *Space){
	"half checked out": func(f *fixture, s *Space) {
		_ = os.RemoveAll(filepath.Join(s.Dir(), "src"))
		writeFile(f.t, filepath.Join(s.Dir(), "README.md"), "")
	},
	"no stamps":        func(f *fixture, s *Space) { mustDo(f.t, os.Remove(s.work.notes)) },
	"half stamps":      func(f *fixture, s *Space) { mustDo(f.t, os.Truncate(s.work.notes, 40)) },
	"stamps of NULs":   func(f *fixture, s *Space) { mustDo(f.t, os.WriteFile(s.work.notes, make([]byte, 500), 0o600)) },
	"no index":         func(f *fixture, s *Space) { mustDo(f.t, os.Remove(s.work.index)) },
	"half an index":    func(f *fixture, s *Space) { mustDo(f.t, os.Truncate(s.work.index, 100)) },
	"an empty index":   func(f *fixture, s *Space) { mustDo(f.t, os.Truncate(s.work.index, 0)) },
	"a lock of git's":  func(f *fixture, s *Space) { writeFile(f.t, s.work.index+".lock", "x") },
	"no record":        func(f *fixture, s *Space) { mustDo(f.t, os.Remove(filepath.Join(s.slot, "ws.json"))) },
	"a damaged record": func(f *fixture, s *Space) { writeFile(f.t, filepath.Join(s.slot, "ws.json"), "{") },
	"an empty record":  func(f *fixture, s *Space) { writeFile(f.t, filepath.Join(s.slot, "ws.json"), "") },
	"another boot": func(f *fixture, s *Space) {
		for _, file := range []string{"ws.json", "work.stamps"} {
			file = filepath.Join(s.slot, file)
			b, err := os.ReadFile(file)
			mustDo(f.t, err)
			mustDo(f.t, os.WriteFile(file, []byte(strings.ReplaceAll(string(b), bootID(), strings.Repeat("0", len(bootID())))), 0o600))
		}
		// A power cut may leave a file that looks right and is not.
		writeFile(f.t, filepath.Join(s.Dir(), "README.md"), strings.Repeat("\x00", len("hello again\n")))
	},
	"the index of another commit": func(f *fixture, s *Space) {
		// Died between the checkout of a commit that only adds a file and its stamps.
		notes, err := os.ReadFile(s.work.notes)
		mustDo(f.t, err)
		commit := f.candidate(s, "added.txt", "x\n")
		mustDo(f.t, os.Remove(filepath.Join(s.Dir(), "added.txt")))
		mustDo(f.t, s.Prepare(f.t.Context(), "t9", commit))
		mustDo(f.t, os.WriteFile(s.work.notes, notes, 0o600))
		mustDo(f.t, s.setState(state{Phase: phaseChanging, Task: "t9", Base: commit}))
	},
	"no tree":               func(f *fixture, s *Space) { mustDo(f.t, os.RemoveAll(s.Dir())) },
	"an empty tree":         func(f *fixture, s *Space) { mustDo(f.t, os.RemoveAll(s.Dir())); mustDo(f.t, os.Mkdir(s.Dir(), 0o755)) },
	"a file in place of it": func(f *fixture, s *Space) { mustDo(f.t, os.RemoveAll(s.Dir())); writeFile(f.t, s.Dir(), "x") },
	"a link in place of it": func(f *fixture, s *Space) {
		mustDo(f.t, os.RemoveAll(s.Dir()))
		mustDo(f.t, os.Symlink(f.repo, s.Dir()))
	},
	"no control directory":     func(f *fixture, s *Space) { mustDo(f.t, os.RemoveAll(s.ctl.dir)) },
	"no counting directory":    func(f *fixture, s *Space) { mustDo(f.t, os.RemoveAll(s.ctl.count)) },
	"a damaged control config": func(f *fixture, s *Space) { writeFile(f.t, filepath.Join(s.ctl.dir, "config"), "[core") },
	"nothing at all":           func(f *fixture, s *Space) { mustDo(f.t, os.RemoveAll(f.dir)) },
}

func TestABrokenSlotIsMadeRight(t *testing.T) {
	t.Parallel()
	for name, hurt := range brokenTrees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.messUp()
			s, base := f.prepared()
			hurt(f, s)
			s, err := Open(t.Context(), f.opts)
			mustDo(t, err)
			mustDo(t, s.Prepare(t.Context(), "t2", base))
			f.pristine(s, base)
			commit := f.candidate(s, "README.md", "x\n")
			if got := f.git("--git-dir="+s.ctl.dir, "diff-tree", "-r", "--name-only", base, commit); got != "README.md" {
				t.Errorf("the candidate has %q; want README.md", got)
			}
			f.untouched()
		})
	}
}

func TestATreeThatVanishesInMidRoundIsAnEnvironmentFault(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"no tree", "a file in place of it", "a link in place of it"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			s, base := f.prepared()
			brokenTrees[name](f, s)
			if _, err := s.Snapshot(t.Context()); !errors.Is(err, ErrGone) {
				t.Errorf("Snapshot = %v; want %v", err, ErrGone)
			}
			mustDo(t, s.Reset(t.Context()))
			f.pristine(s, base)
			f.untouched()
		})
	}
}

func TestAPreparedTreeKeepsWhatTheGeneratorMade(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, base := f.prepared()
	writeFile(t, filepath.Join(s.Dir(), "new.txt"), "x\n")
	again, err := Open(t.Context(), f.opts)
	mustDo(t, err)
	if task, b, ok := again.Prepared(); task != "t1" || b != base || !ok {
		t.Errorf("Prepared = %s, %s, %t; want t1, %s, true", task, b, ok, base)
	}
	mustDo(t, again.Prepare(t.Context(), "t1", base))
	snap, err := again.Snapshot(t.Context())
	mustDo(t, err)
	if got := shortly(snap); len(got) != 1 || got[0] != "A new.txt" {
		t.Errorf("snapshot = %q; want the new file", got)
	}
	mustDo(t, again.Prepare(t.Context(), "t2", base))
	f.pristine(again, base)
	f.untouched()
}

func TestSlotsDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.opts.Trace = nil
	f.before = f.userState()
	errs := make(chan error, 4)
	for slot := range 4 {
		go func() {
			o := f.opts
			o.Slot = slot
			errs <- f.one(o, "t"+string(rune('a'+slot)))
		}()
	}
	for range 4 {
		mustDo(t, <-errs)
	}
	for _, task := range []string{"ta", "tb", "tc", "td"} {
		if got := f.git("show", "looprun/"+task+":"+task); got != task {
			t.Errorf("%s holds %q", task, got)
		}
	}
	f.untouched()
}

// one takes a task from Open to its branch.
func (f *fixture) one(o Options, task string) error {
	ctx := f.t.Context()
	s, err := Open(ctx, o)
	if err != nil {
		return err
	}
	base, _, err := s.Base(ctx)
	if err != nil {
		return err
	}
	if err := s.Prepare(ctx, task, base); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), task), []byte(task), 0o644); err != nil {
		return err
	}
	snap, err := s.Snapshot(ctx)
	if err != nil {
		return err
	}
	commit, err := s.Commit(ctx, snap, Meta{Task: task, Round: 1, Try: 1, At: when})
	if err != nil {
		return err
	}
	if _, err := s.CheckTree(ctx, commit, nil); err != nil {
		return err
	}
	_, err = s.Land(ctx, Landing{Task: task, Commit: commit, Mode: "branch", Branch: "looprun/" + task})
	return err
}

func TestACommitNeedsTheTreeThatItsSnapshotSaw(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, _ := f.prepared()
	name := filepath.Join(s.Dir(), "README.md")
	writeFile(t, name, "x\n")
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	m := Meta{Task: "t1", Round: 1, Try: 1, At: when}
	writeFile(t, name, "y\n")
	if _, err := s.Commit(t.Context(), snap, m); !errors.Is(err, ErrUnstable) {
		t.Errorf("Commit of a tree that is written to = %v; want %v", err, ErrUnstable)
	}
	writeFile(t, name, "x\n")
	first, err := s.Commit(t.Context(), snap, m)
	mustDo(t, err)
	second, err := s.Commit(t.Context(), snap, m)
	mustDo(t, err)
	if first != second {
		t.Errorf("Commit twice = %s, %s; want the same", first, second)
	}
	lied := snap
	lied.Changes = nil
	lied.Changes = append(lied.Changes, snap.Changes[0])
	lied.Changes[0].Path = "other"
	if _, err := s.Commit(t.Context(), lied, m); !errors.Is(err, ErrUnstable) {
		t.Errorf("Commit with a wrong list of paths = %v; want %v", err, ErrUnstable)
	}
	if _, err := s.Commit(t.Context(), Snapshot{Base: snap.Base, Refusals: []Refusal{{"fifo", "x"}}}, m); err == nil {
		t.Error("a refused snapshot was committed")
	}
}

func TestAGitThatHangsIsEnded(t *testing.T) {
	f := newFixture(t)
	bin := t.TempDir()
	writeFile(t, filepath.Join(bin, "git"), "#!/bin/sh\ncase \"$*\" in *version) echo git version 2.40.0;; *) exec sleep 60;; esac\n")
	mustDo(t, os.Chmod(filepath.Join(bin, "git"), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	f.opts.Timeout = 200 * time.Millisecond
	_, err := Open(t.Context(), f.opts)
	var fault *gitError
	if !errors.As(err, &fault) || fault.Ended != "timeout" {
		t.Errorf("Open = %v; want a timeout", err)
	}
}
