//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A git that was killed with its looprun leaves the locks of the refs that it
// was moving. They go with the next start; those of the user's git stay.
func TestLocksOfADeadGitGo(t *testing.T) {
	tests := map[string]struct {
		noted string
		age   time.Duration // of the lock when the note was written
		want  bool          // the lock is there afterwards
	}{
		"of a ref that was moving":             {noted: "refs/looprun/land/t1\nrefs/heads/looprun/t1"},
		"of the packed refs":                   {noted: "refs/looprun/keep/t2"},
		"from before the note":                 {noted: "refs/heads/looprun/t1", age: time.Minute, want: true},
		"from long after it":                   {noted: "refs/heads/looprun/t1", age: -time.Minute, want: true},
		"of a ref that was not moving":         {noted: "refs/heads/looprun/t2", want: true},
		"outside, by a note that was damaged":  {noted: "../repo/.git/refs/heads/looprun/t1", want: true},
		"without any note, whoever has it now": {want: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			s := f.open()
			lock := ".git/refs/heads/looprun/t1.lock"
			if name == "of the packed refs" {
				lock = ".git/packed-refs.lock"
			}
			f.write(lock, "")
			at := time.Now()
			if tt.noted != "" {
				note := filepath.Join(s.slot, movingFile)
				writeFile(t, note, tt.noted)
				mustDo(t, os.Chtimes(note, at, at))
			}
			mustDo(t, os.Chtimes(filepath.Join(f.repo, lock), at, at.Add(-tt.age)))
			s = f.open()
			if _, err := os.Lstat(filepath.Join(f.repo, lock)); (err == nil) != tt.want {
				t.Errorf("the lock is there: %v; want %v", err == nil, tt.want)
			}
			if _, err := os.Lstat(filepath.Join(s.slot, movingFile)); err == nil {
				t.Error("the note is still there")
			}
		})
	}
}

// The note may be lost with the power. An old lock on a ref of looprun's own is
// of a git that is gone, and so is one that was taken with it.
func TestOldLocksGoWhenTheMachineHasStartedAnew(t *testing.T) {
	f := newFixture(t)
	s := f.open()
	long := time.Now().Add(-time.Hour)
	locks := map[string]struct {
		at   time.Time
		want bool
	}{
		"refs/looprun/land/t1":  {long, false},
		"refs/heads/looprun/t1": {long, false},
		"packed-refs":           {long, false},
		"refs/heads/main":       {long.Add(time.Minute), true},
		"refs/looprun/keep/t2":  {time.Now(), true},
	}
	for ref, lock := range locks {
		f.write(".git/"+ref+".lock", "")
		mustDo(t, os.Chtimes(filepath.Join(f.repo, ".git", ref+".lock"), lock.at, lock.at))
	}
	for _, anew := range []bool{false, true} {
		if anew {
			_ = os.Remove(filepath.Join(s.slot, "ws.json")) // there is none before the first task
		} else {
			mustDo(t, s.setState(state{Phase: phaseReady}))
		}
		f.open()
		for ref, lock := range locks {
			_, err := os.Lstat(filepath.Join(f.repo, ".git", ref+".lock"))
			if want := lock.want || !anew; (err == nil) != want {
				t.Errorf("anew: %v: the lock of %s is there: %v; want %v", anew, ref, err == nil, want)
			}
		}
	}
}
