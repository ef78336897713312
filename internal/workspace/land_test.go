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

// commitOn makes a commit of the user's on a branch that is not checked out.
func (f *fixture) commitOn(branch, file, text string) string {
	f.t.Helper()
	tree := filepath.Join(f.t.TempDir(), "other")
	f.git("worktree", "add", "-q", tree, branch)
	writeFile(f.t, filepath.Join(tree, file), text)
	f.git("-C", tree, "add", "-A")
	f.git("-C", tree, "commit", "-q", "-m", "user's")
	f.git("worktree", "remove", tree)
	return f.git("rev-parse", branch)
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

func TestAMergeMovesABranchThatIsNotCheckedOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("branch", "trunk")
	f.opts.Base = "trunk"
	s, base := f.prepared()
	commit := f.candidate(s, "a.txt", "a\n")
	for range 2 {
		done, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "merge", Branch: "looprun/t1"})
		mustDo(t, err)
		if want := (Landed{Mode: "merge", Branch: "trunk", Commit: commit}); done != want {
			t.Errorf("Land = %+v; want %+v", done, want)
		}
	}
	if got := f.git("rev-parse", "trunk", "trunk^"); got != commit+"\n"+base {
		t.Errorf("trunk = %s", got)
	}
	after := f.userState()
	for _, moved := range []string{"refs/heads/trunk", ".git/logs/refs/heads/trunk"} {
		f.before[moved] = after[moved]
	}
	f.untouched()
}

func TestAMergeWithABaseThatMovedIsVerifiedBeforeItLands(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("branch", "trunk")
	f.opts.Base = "trunk"
	s, _ := f.prepared()
	commit := f.candidate(s, "a.txt", "a\n")
	tip := f.commitOn("trunk", "b.txt", "b\n")
	l := Landing{Task: "t1", Commit: commit, Mode: "merge", Branch: "looprun/t1"}
	first, err := s.Land(t.Context(), l)
	mustDo(t, err)
	if first.Verify == "" || f.git("rev-parse", "trunk") != tip {
		t.Fatalf("Land = %+v; want a merge to verify and trunk unmoved", first)
	}
	dir, err := s.CheckTree(t.Context(), first.Verify, nil)
	mustDo(t, err)
	if got := files(t, dir); got["a.txt"] != "a\n" || got["b.txt"] != "b\n" {
		t.Errorf("check tree of the merge = %v", got)
	}
	tip = f.commitOn("trunk", "c.txt", "c\n") // moved again in the meantime
	l.Merged = first.Verify
	second, err := s.Land(t.Context(), l)
	mustDo(t, err)
	if second.Verify == "" || second.Verify == first.Verify {
		t.Fatalf("Land on a base that moved again = %+v; want another merge to verify", second)
	}
	l.Merged = second.Verify
	for range 2 {
		done, err := s.Land(t.Context(), l)
		mustDo(t, err)
		if want := (Landed{Mode: "merge", Branch: "trunk", Commit: second.Verify}); done != want {
			t.Errorf("Land = %+v; want %+v", done, want)
		}
	}
	if got, want := f.git("rev-parse", "trunk", "trunk^1", "trunk^2"), strings.Join([]string{second.Verify, tip, commit}, "\n"); got != want {
		t.Errorf("trunk = %s; want %s", got, want)
	}
}

func TestAMergeConflictNamesThePathsAndMovesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("branch", "trunk")
	f.opts.Base = "trunk"
	s, _ := f.prepared()
	commit := f.candidate(s, "README.md", "a\n")
	f.commitOn("trunk", "README.md", "b\n")
	refs := f.refs()
	_, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "merge", Branch: "looprun/t1"})
	var conflict *Conflict
	if !errors.As(err, &conflict) || cmp.Diff(conflict.Paths, []string{"README.md"}) != "" {
		t.Fatalf("Land = %v; want a conflict in README.md", err)
	}
	if diff := cmp.Diff(refs, f.refs()); diff != "" {
		t.Error(diff)
	}
}

func TestABranchThatIsCheckedOutIsNotMovedUnderItsUser(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base string
		do   func(*fixture)
		want string
	}{
		"HEAD":                {"HEAD", func(*fixture) {}, "main is checked out at"},
		"in another worktree": {"trunk", func(f *fixture) { f.git("worktree", "add", "-q", filepath.Join(f.t.TempDir(), "w"), "-b", "trunk") }, "trunk is checked out at"},
		"a detached HEAD":     {"HEAD", func(f *fixture) { f.git("checkout", "-q", "--detach") }, "is no branch"},
		"a commit":            {"main~1", func(*fixture) {}, "is no branch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c.do(f)
			f.opts.Base = c.base
			s, _ := f.prepared()
			commit := f.candidate(s, "a.txt", "a\n")
			done, err := s.Land(t.Context(), Landing{Task: "t1", Commit: commit, Mode: "merge", Branch: "looprun/t1"})
			mustDo(t, err)
			if done.Mode != "branch" || done.Branch != "looprun/t1" || !strings.Contains(done.Note, c.want) {
				t.Errorf("Land = %+v; want the branch and a note of %q", done, c.want)
			}
			f.untouched()
		})
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

func TestTasksAreStackedOnWhatWasAccepted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s, base := f.prepared()
	var commits []string
	for _, task := range []string{"t1", "t2", "t3"} {
		mustDo(t, s.Prepare(t.Context(), task, base))
		c := f.candidate(s, task+".txt", task+"\n")
		_, err := s.Land(t.Context(), Landing{Task: task, Commit: c, Mode: "none"})
		mustDo(t, err)
		commits = append(commits, c)
	}
	one, err := s.Stack(t.Context(), base, commits[:1])
	mustDo(t, err)
	if one != commits[0] {
		t.Errorf("Stack of one = %.12s; want the commit itself, %.12s", one, commits[0])
	}
	all, err := s.Stack(t.Context(), base, commits)
	mustDo(t, err)
	again, err := s.Stack(t.Context(), base, commits)
	mustDo(t, err)
	known, err := s.Stack(t.Context(), all, commits)
	mustDo(t, err)
	if again != all || known != all {
		t.Errorf("Stack = %.12s, again %.12s, on itself %.12s; want the same", all, again, known)
	}
	mustDo(t, s.Prepare(t.Context(), "t4", all))
	got := files(t, s.Dir())
	for _, task := range []string{"t1", "t2", "t3"} {
		if got[task+".txt"] != task+"\n" {
			t.Errorf("%s.txt is not in the stacked tree", task)
		}
	}
	if got := f.git("rev-parse", "refs/looprun/keep/t4"); got != all {
		t.Errorf("keep-ref = %s; want %s", got, all)
	}
	f.candidate(s, "README.md", "t4\n")
	mustDo(t, s.Prepare(t.Context(), "t5", base))
	other := f.candidate(s, "t2.txt", "another\n")
	_, err = s.Stack(t.Context(), all, []string{other})
	var conflict *Conflict
	if !errors.As(err, &conflict) || cmp.Diff(conflict.Paths, []string{"t2.txt"}) != "" {
		t.Errorf("Stack = %v; want a conflict in t2.txt", err)
	}
	f.untouched()
}
