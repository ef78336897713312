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

// candidate makes a commit for task t1 in which file says text.
func (f *fixture) candidate(s *Space, file, text string) string {
	f.t.Helper()
	writeFile(f.t, filepath.Join(s.Dir(), file), text)
	f.try++
	snap, err := s.Snapshot(f.t.Context())
	mustDo(f.t, err)
	commit, err := s.Commit(f.t.Context(), snap, Meta{Task: s.state.Task, Round: 1, Try: f.try, At: when})
	mustDo(f.t, err)
	return commit
}

func TestABranchIsMadeOnceAndNeverMoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, base := f.prepared()
	commit := f.candidate(s, "a.txt", "a\n")
	l := Landing{Task: "t1", Commit: commit, Mode: "branch", Branch: "looprun/t1"}
	f.git("branch", "looprun/t1", base)
	_, err := s.Land(t.Context(), l)
	var refused *LandError
	if !errors.As(err, &refused) || refused.Ref != "refs/heads/looprun/t1" || refused.Have != base {
		t.Fatalf("Land on a branch with another value = %v; want a LandError", err)
	}
	if got := f.git("rev-parse", "looprun/t1"); got != base {
		t.Errorf("the branch moved to %s", got)
	}
	f.git("update-ref", "-d", "refs/heads/looprun/t1")
	for range 3 {
		done, err := s.Land(t.Context(), l)
		mustDo(t, err)
		if want := (Landed{Mode: "branch", Branch: "looprun/t1", Commit: commit}); done != want {
			t.Errorf("Land = %+v; want %+v", done, want)
		}
	}
	want := "refs/heads/looprun/t1 " + commit + "\nrefs/heads/main " + base + "\nrefs/looprun/land/t1 " + commit
	if diff := cmp.Diff(want, f.refs()); diff != "" {
		t.Error(diff)
	}
	f.untouched()
}

func TestALandingGoesPastTheLocksOfTheUsersGit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(".git/index.lock", "")
	f.write(".git/HEAD.lock", "")
	f.git("config", "commit.gpgsign", "true")
	f.git("config", "core.editor", "sleep 1000")
	f.write(".git/hooks/pre-commit", "#!/bin/sh\ncat\n")
	mustDo(t, os.Chmod(filepath.Join(f.repo, ".git/hooks/pre-commit"), 0o755))
	s, _ := f.prepared()
	commit := f.candidate(s, "a.txt", "a\n")
	_, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "branch", Branch: "looprun/t1"})
	mustDo(t, err)
	f.untouched()
}

func TestAHeldRefIsALandErrorAndLandingLaterWorks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, _ := f.prepared()
	commit := f.candidate(s, "a.txt", "a\n")
	l := Landing{Task: "t1", Commit: commit, Mode: "branch", Branch: "looprun/t1"}
	f.write(".git/refs/heads/looprun/t1.lock", "")
	var refused *LandError
	if _, err := s.Land(t.Context(), l); !errors.As(err, &refused) {
		t.Fatalf("Land = %v; want a LandError", err)
	}
	mustDo(t, os.Remove(filepath.Join(f.repo, ".git/refs/heads/looprun/t1.lock")))
	_, err := s.Land(t.Context(), l)
	mustDo(t, err)
	f.untouched()
}

func TestABranchWhoseNameIsAFolderIsALandError(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, base := f.prepared()
	f.git("branch", "looprun/t1/x", base)
	f.before = f.userState()
	commit := f.candidate(s, "a.txt", "a\n")
	var refused *LandError
	if _, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "branch", Branch: "looprun/t1"}); !errors.As(err, &refused) {
		t.Fatalf("Land = %v; want a LandError", err)
	}
	f.untouched()
}

func TestPatchAndNoneLeaveNoBranchButKeepTheCommit(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"patch", "none"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			s, base := f.prepared()
			writeFile(t, filepath.Join(s.Dir(), "bin"), "\x00\x01\x02")
			writeFile(t, filepath.Join(s.Dir(), ".gitattributes"), "* -diff\n")
			commit := f.candidate(s, "a.txt", "a\n")
			for range 2 {
				_, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: mode})
				mustDo(t, err)
			}
			if got, want := f.refs(), "refs/heads/main "+base+"\nrefs/looprun/land/t1 "+commit; got != want {
				t.Errorf("refs = %s; want %s", got, want)
			}
			accepted, err := s.Accepted(t.Context(), "t1")
			mustDo(t, err)
			if accepted != commit {
				t.Errorf("Accepted = %s; want %s", accepted, commit)
			}
			f.applies(s, commit, base)
			f.untouched()
		})
	}
}

// applies fails unless the patch of commit makes its tree out of base.
func (f *fixture) applies(s *Space, commit, base string) {
	f.t.Helper()
	patch, err := s.Patch(f.t.Context(), commit)
	mustDo(f.t, err)
	index := filepath.Join(f.t.TempDir(), "index")
	for _, args := range [][]string{{"read-tree", base}, {"apply", "--cached", "-"}, {"write-tree"}} {
		c := exec.Command("git", args...)
		c.Dir, c.Stdin = f.repo, strings.NewReader(string(patch))
		c.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		out, err := c.CombinedOutput()
		if err != nil {
			f.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		if tree, _ := s.treeOf(f.t.Context(), commit); args[0] == "write-tree" && strings.TrimSpace(string(out)) != tree {
			f.t.Errorf("the patch makes %s; want %s", out, tree)
		}
	}
}

func TestARejectedRoundCanBeHadBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, base := f.prepared()
	one := f.candidate(s, "a.txt", "one\n")
	ref, err := s.Archive(t.Context(), "t1", 1, 1, one)
	mustDo(t, err)
	again, err := s.Archive(t.Context(), "t1", 1, 1, one)
	mustDo(t, err)
	if want := "refs/looprun/t1/r1"; ref != want || again != want {
		t.Errorf("Archive = %s, %s; want %s", ref, again, want)
	}
	writeFile(t, filepath.Join(s.Dir(), "a.txt"), "two\n")
	snap, err := s.Snapshot(t.Context())
	mustDo(t, err)
	two, err := s.Commit(t.Context(), snap, Meta{Task: "t1", Round: 1, Try: 2, At: when})
	mustDo(t, err)
	ref, err = s.Archive(t.Context(), "t1", 1, 2, two)
	mustDo(t, err)
	if want := "refs/looprun/t1/r1.t2"; ref != want {
		t.Errorf("Archive of a later try = %s; want %s", ref, want)
	}
	if got := f.git("show", ref+":a.txt") + f.git("show", "refs/looprun/t1/r1:a.txt"); got != "twoone" {
		t.Errorf("a.txt of both = %q", got)
	}
	if got := f.git("rev-parse", "refs/looprun/t1/r1^"); got != base {
		t.Errorf("parent = %s; want %s", got, base)
	}
	f.untouched()
}

func TestTaskNamesThatLookLikeFoldersOfRefsDoNotCollide(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open()
	base, _, err := s.Base(t.Context())
	mustDo(t, err)
	for _, task := range []string{"r1", "keep", "land", "a.", "x"} {
		mustDo(t, s.Prepare(t.Context(), task, base))
		commit := f.candidate(s, "a.txt", task+"\n")
		_, err := s.Archive(t.Context(), task, 1, 1, commit)
		mustDo(t, err)
		_, err = s.Land(t.Context(), Landing{Task: task, Commit: commit, Mode: "none"})
		mustDo(t, err)
		got, err := s.Accepted(t.Context(), task)
		mustDo(t, err)
		if got != commit {
			t.Errorf("%s: Accepted = %s; want %s", task, got, commit)
		}
	}
	f.untouched()
}
