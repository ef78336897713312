//go:build linux || darwin

package workspace

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
