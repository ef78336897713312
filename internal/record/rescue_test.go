package record_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
)

// vandals are what a process can do to a journal that nothing keeps from it.
var vandals = map[string]struct {
	do   func(t *testing.T, dir string)
	kept bool
}{
	"a line was added": {func(t *testing.T, dir string) {
		must(t, os.WriteFile(dir+"/journal.jsonl", append(raw(t, dir), `{"seq":9}`+"\n"...), 0o600))
	}, true},
	"it was emptied":         {func(t *testing.T, dir string) { must(t, os.Truncate(dir+"/journal.jsonl", 0)) }, true},
	"it was cut":             {func(t *testing.T, dir string) { must(t, os.Truncate(dir+"/journal.jsonl", 50)) }, true},
	"it is gone":             {func(t *testing.T, dir string) { must(t, os.Remove(dir+"/journal.jsonl")) }, false},
	"another took its place": {func(t *testing.T, dir string) { must(t, os.Rename(dir+"/state.json", dir+"/journal.jsonl")) }, true},
	"a link took its place": {func(t *testing.T, dir string) {
		swap(t, dir, func(p string) error { return os.Symlink("/etc/passwd", p) })
	}, false},
	"a folder took its place": {func(t *testing.T, dir string) {
		swap(t, dir, func(p string) error { return os.MkdirAll(p+"/x", 0o700) })
	}, false},
	"all records are gone": {func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)) }, false},
	"other records took their": {func(t *testing.T, dir string) {
		must(t, errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700), os.WriteFile(dir+"/journal.jsonl", nil, 0o600)))
	}, true},
}

func raw(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	must(t, err)
	return data
}

func swap(t *testing.T, dir string, put func(path string) error) {
	t.Helper()
	must(t, errors.Join(os.Remove(dir+"/journal.jsonl"), put(dir+"/journal.jsonl")))
}

func TestARescuedJournalIsWhatItWas(t *testing.T) {
	for name, v := range vandals {
		t.Run(name, func(t *testing.T) {
			path := place(t)
			s := openStore(t, path)
			j := begin(t, s, "t1")
			must(t, s.Render(j))
			dir := s.TaskDir("t1")
			before := raw(t, dir)
			v.do(t, dir)
			forged, _ := os.ReadFile(dir + "/journal.jsonl")
			kept, err := j.Rescue()
			must(t, err)
			if diff := cmp.Diff(string(before), string(raw(t, dir))); diff != "" {
				t.Errorf("the journal differs (-before +after):\n%s", diff)
			}
			if (kept != "") != v.kept {
				t.Errorf("kept as %q; want kept %v", kept, v.kept)
			}
			if v.kept {
				if got := string(readFile(t, dir, kept)); got != string(forged) {
					t.Errorf("%s holds %q; want what was found", kept, got)
				}
			}
			must(t, j.Append(noon, round.Event{Kind: round.Preflight, Preflight: &round.PreflightResult{}}))
			if again := openTask(t, openStore(t, path), "t1"); again.Head() != j.Head() {
				t.Errorf("read again its head is %s; want %s", again.Head(), j.Head())
			}
		})
	}
}

// failing lets nothing change from its n-th call on.
type failing struct{ n int }

var errFailed = errors.New("the disk is gone")

func (f *failing) Before(fsx.Op) error {
	if f.n--; f.n < 0 {
		return errFailed
	}
	return nil
}

// Whatever a rescue dies of, the task has a journal: without one it would be
// claimed a second time.
func TestARescueNeverLeavesATaskWithoutItsJournal(t *testing.T) {
	for n := 0; ; n++ {
		seam := &failing{n: 1 << 30}
		path := place(t)
		s := openStore(t, path, seam)
		j := begin(t, s, "t1")
		dir := s.TaskDir("t1")
		must(t, os.Truncate(dir+"/journal.jsonl", 50))
		seam.n = n
		_, err := j.Rescue()
		if _, there := os.Lstat(dir + "/journal.jsonl"); there != nil {
			t.Fatalf("after %d operations: %v", n, there)
		}
		if err == nil {
			if n == 0 {
				t.Error("a rescue changed nothing")
			}
			return
		}
	}
}
