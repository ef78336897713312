//go:build linux || darwin

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func inPlace(t *testing.T) *fixture {
	f := newFixture(t)
	f.opts.InPlace = true
	f.write("tasks/inbox/t1.json", "{}")
	f.write("node_modules/dep/index.js", "x\n")
	return f
}

func TestInPlaceARoundWithoutAChangeStartsNoGit(t *testing.T) {
	t.Parallel()
	f := inPlace(t)
	s, _ := f.prepared()
	if len(f.calls) > 6 {
		t.Errorf("%d git processes; want at most 6", len(f.calls))
	}
	again, err := Open(t.Context(), f.opts)
	mustDo(t, err)
	f.calls = nil
	base, _, err := s.Base(t.Context())
	mustDo(t, err)
	dirty, err := s.Dirty(t.Context())
	mustDo(t, err)
	mustDo(t, s.Prepare(t.Context(), "t2", base))
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if len(dirty) > 0 || len(snap.Changes) > 0 || len(f.calls) > 0 {
		t.Errorf("dirty %q, changes %v, git %q; want none", dirty, snap.Changes, f.calls)
	}
	if dirty, err := again.Dirty(t.Context()); err != nil || len(dirty) > 0 {
		t.Errorf("Dirty of another process = %q, %v; want none", dirty, err)
	}
	f.untouched()
}

func TestInPlaceADirtyCheckoutIsNotTakenUp(t *testing.T) {
	t.Parallel()
	for name, mess := range map[string]struct {
		do   func(*fixture)
		want []string
	}{
		"an edit":                {func(f *fixture) { f.write("README.md", "x") }, []string{"README.md"}},
		"a deletion":             {func(f *fixture) { mustDo(f.t, os.Remove(filepath.Join(f.repo, "run.sh"))) }, []string{"run.sh"}},
		"a new file":             {func(f *fixture) { f.write("a b.txt", "x") }, []string{"a b.txt"}},
		"a mode":                 {func(f *fixture) { mustDo(f.t, os.Chmod(filepath.Join(f.repo, "run.sh"), 0o644)) }, []string{"run.sh"}},
		"a staged edit put back": {func(f *fixture) { f.write("README.md", "x"); f.git("add", "."); f.write("README.md", "hello again\n") }, []string{"README.md"}},
		"a task and an ignored file are no change": {func(f *fixture) { f.write("tasks/x.json", "x"); f.write("a.log", "x") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := inPlace(t)
			f.prepared() // the clean checkout is remembered
			mess.do(f)
			s, err := Open(t.Context(), f.opts)
			mustDo(t, err)
			got, err := s.Dirty(t.Context())
			mustDo(t, err)
			if diff := cmp.Diff(mess.want, got); diff != "" {
				t.Error(diff)
			}
			base, _, err := s.Base(t.Context())
			mustDo(t, err)
			if err := s.Prepare(t.Context(), "t2", base); errors.Is(err, ErrDirty) != (mess.want != nil) {
				t.Errorf("Prepare = %v", err)
			}
		})
	}
}

func TestInPlaceACandidateIsCommittedOnTheCurrentBranch(t *testing.T) {
	t.Parallel()
	f := inPlace(t)
	s, base := f.prepared()
	f.calls = nil
	f.write("README.md", "changed\n")
	f.write("new/n.txt", "n\n")
	mustDo(t, os.Remove(filepath.Join(f.repo, "run.sh")))
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	commit, err := s.Commit(t.Context(), snap, Meta{Task: "t1", Round: 1, Try: 1, At: when})
	mustDo(t, err)
	f.write("check.log", "made by a check\n")
	after, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if after.Tree != snap.Tree {
		t.Errorf("tree after the checks = %s; want %s", after.Tree, snap.Tree)
	}
	for range 2 { // again after a crash
		done, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "commit"})
		mustDo(t, err)
		if want := (Landed{Mode: "commit", Branch: "main", Commit: commit}); done != want {
			t.Errorf("Land = %+v; want %+v", done, want)
		}
	}
	if got := f.git("rev-parse", "HEAD", "HEAD^"); got != commit+"\n"+base {
		t.Errorf("HEAD = %s; want %s on %s", got, commit, base)
	}
	if got := f.git("status", "--porcelain"); got != "" {
		t.Errorf("status = %q; want a clean checkout", got)
	}
	if dirty, err := s.Dirty(t.Context()); err != nil || len(dirty) > 0 {
		t.Errorf("Dirty = %q, %v; want none", dirty, err)
	}
}

func TestInPlaceNothingPlantedInTheUsersGitIsRun(t *testing.T) {
	t.Parallel()
	f := inPlace(t)
	s, base := f.prepared()
	ag := f.agent(s)
	for _, kv := range [][2]string{
		{"core.fsmonitor", ag.evil}, {"core.hooksPath", ".git/hooks"}, {"filter.x.clean", ag.evil}, {"filter.x.process", ag.evil}, {"diff.external", ag.evil},
		{"gpg.program", ag.evil}, {"commit.gpgsign", "true"}, {"core.editor", ag.evil}, {"core.pager", ag.evil}, {"core.worktree", filepath.Dir(f.repo)},
		{"core.sshCommand", ag.evil}, {"core.alternateRefsCommand", ag.evil}, {"uploadpack.packObjectsHook", ag.evil}, {"merge.m.driver", ag.evil},
	} {
		f.git("config", kv[0], kv[1])
	}
	for _, h := range []string{"reference-transaction", "post-index-change", "pre-commit", "post-commit"} {
		ag.put(".git/hooks/"+h, "#!/bin/sh\n"+ag.evil+"\n")
		mustDo(t, os.Chmod(ag.path(".git/hooks/"+h), 0o755))
	}
	ag.put(".git/info/attributes", "* filter=x merge=m diff=x\n")
	ag.put(".gitattributes", "* filter=x merge=m\n")
	ag.put("README.md", "changed\n")
	ag.disarm()
	ctx := t.Context()
	snap, err := s.Snapshot(ctx)
	mustDo(t, err)
	if diff := cmp.Diff([]string{"A .gitattributes", "M README.md"}, shortly(snap)); diff != "" {
		t.Error(diff)
	}
	commit, err := s.Commit(ctx, snap, Meta{Task: "t1", Round: 1, At: when})
	mustDo(t, err)
	_, err = s.Archive(ctx, "t1", 1, 1, commit)
	mustDo(t, err)
	_, err = s.Patch(ctx, commit)
	mustDo(t, err)
	_, err = s.Land(ctx, Landing{Task: "t1", Commit: commit, Mode: "commit"})
	mustDo(t, err)
	if _, err := os.Lstat(f.canary); err == nil {
		t.Error("something planted was run")
	}
	if head, _ := s.repo.head(); head != commit {
		t.Errorf("HEAD = %s; want %s on %s", head, commit, base)
	}
}

func TestInPlaceARefusedCandidateIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := inPlace(t)
	s, _ := f.prepared()
	f.agent(s).nested("sub")
	f.agent(s).disarm()
	before := files(t, f.repo)
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if diff := cmp.Diff([]string{"!nested_repository sub/.git"}, shortly(snap)); diff != "" {
		t.Error(diff)
	}
	if err := s.Reset(t.Context()); err == nil {
		t.Error("the user's checkout was reset")
	}
	mustDo(t, s.Remove(t.Context()))
	if diff := cmp.Diff(before, files(t, f.repo)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Lstat(f.canary); err == nil {
		t.Error("something planted was run")
	}
}

func TestInPlaceRepositoriesOfTheUsersInTheCheckoutAreLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.opts.InPlace = true
	f.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "file://"+f.repo, "sub")
	f.git("commit", "-q", "-m", "sub")
	f.git("clone", "-q", f.repo, filepath.Join(f.repo, "node_modules/clone"))
	f.write("sub/README.md", "edited in the submodule\n")
	s, _ := f.prepared()
	f.write("README.md", "x\n")
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	if diff := cmp.Diff([]string{"M README.md"}, shortly(snap)); diff != "" {
		t.Error(diff)
	}
	commit, err := s.Commit(t.Context(), snap, Meta{Task: "t1", Round: 1, At: when})
	mustDo(t, err)
	_, err = s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "commit"})
	mustDo(t, err)
	if got := f.git("diff", "--name-only", "--ignore-submodules=none", "HEAD"); got != "sub" {
		t.Errorf("differs from HEAD: %q; want the edited submodule alone", got)
	}
}

func TestInPlaceALandingIsRefusedWhenHEADMovedOrTheIndexIsHeld(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*fixture){
		"the index is held":  func(f *fixture) { f.write(".git/index.lock", "") },
		"HEAD moved":         func(f *fixture) { f.git("commit", "-q", "--allow-empty", "-m", "user's") },
		"the branch is held": func(f *fixture) { f.write(".git/refs/heads/main.lock", "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := inPlace(t)
			s, _ := f.prepared()
			commit := f.candidate(s, "README.md", "x\n")
			do(f)
			head := f.git("rev-parse", "HEAD")
			_, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "commit"})
			var refused *LandError
			if !errors.As(err, &refused) {
				t.Errorf("Land = %v; want a LandError", err)
			}
			if got := f.git("rev-parse", "HEAD"); got != head {
				t.Errorf("HEAD moved to %s", got)
			}
		})
	}
}

func TestInPlaceAMovedHEADIsNotTakenUpForAnOldBase(t *testing.T) {
	t.Parallel()
	f := inPlace(t)
	s := f.open()
	base, _, err := s.Base(t.Context())
	mustDo(t, err)
	f.git("commit", "-q", "--allow-empty", "-m", "user's")
	if err := s.Prepare(t.Context(), "t1", base); !errors.Is(err, ErrNoBase) {
		t.Errorf("Prepare = %v; want %v", err, ErrNoBase)
	}
}

func TestInPlaceACheckoutThatGitHasNoIndexOfIsDirty(t *testing.T) {
	t.Parallel()
	f := inPlace(t)
	mustDo(t, os.Remove(filepath.Join(f.repo, ".git/index")))
	s := f.open()
	dirty, err := s.Dirty(t.Context())
	mustDo(t, err)
	if len(dirty) == 0 {
		t.Error("Dirty = none; every file is staged for deletion")
	}
}
