package record_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
)

func TestActiveTasksAreThoseWithoutAResult(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	runTask(t, s, "done", passes)
	runTask(t, s, "asked", fails, fails)
	begin(t, s, "open")
	begin(t, s, "another")
	must(t, fsx.Scratch(where).MkdirAll("tasks/never-written"), fsx.Scratch(where).MkdirAll("tasks/empty"))
	writeFile(t, "", where, "tasks/empty/journal.jsonl")
	writeFile(t, "", where, "tasks/a-file")
	got, err := s.Active()
	if err != nil || !slices.Equal(got, []string{"another", "open"}) {
		t.Errorf("Active = %v, %v; want another and open", got, err)
	}
}

// Opening what is there disturbs nobody: an instance that finds the lock taken
// has already opened the store.
func TestOpeningAStoreThatIsThereChangesNothing(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	must(t, runTask(t, s, "t1", passes).Close())
	before := stamps(t, where)
	seam := &fsxtest.Recorder{}
	must(t, openStore(t, where, seam).Close())
	if n := seam.Count(); n > 0 {
		t.Errorf("%d changes: %v", n, seam.Ops())
	}
	if diff := cmp.Diff(before, stamps(t, where)); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}

// Every pass of cron over tasks that wait would else wear the disk down.
func TestAPassThatChangesNoTaskWritesNothing(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	must(t, begin(t, s, "t1").Close(), s.Leave(), s.Close())
	seam := &fsxtest.Recorder{}
	again := openStore(t, where, seam)
	_, err := again.Recover()
	j := openTask(t, again, "t1")
	must(t, err, again.Complete(j), again.Tell(j), j.Close(), again.Leave())
	if n := seam.Count(); n > 0 {
		t.Errorf("%d changes: %v", n, seam.Ops())
	}
}

// The fsyncs of a task of one round, by what they are for: three to make its
// journal, one for each line or batch, and one that makes all views durable.
func TestFsyncsOfATask(t *testing.T) {
	seam := &fsxtest.Recorder{}
	s := openStore(t, place(t), seam)
	runTask(t, s, "before", passes)
	must(t, s.Leave())
	seam.Reset()
	for name, tt := range map[string]struct {
		tries []string
		want  int
	}{
		"one":   {[]string{idle}, 3 + 1 + 1 + 1 + 1}, // preflight, start, generate, verdict with the end
		"two":   {[]string{passes}, 3 + 1 + 1 + 1 + 1 + 1 + 1},
		"three": {[]string{unsound, passes}, 3 + 1 + 3 + 3 + 1 + 1},
	} {
		seam.Reset()
		runTask(t, s, name, tt.tries...)
		if got := seam.Syncs(); got != tt.want {
			t.Errorf("%v: %d fsyncs; want %d", tt.tries, got, tt.want)
		}
		seam.Reset()
		must(t, s.Leave())
		if got := seam.Syncs(); got != 1 {
			t.Errorf("the end of the pass: %d fsyncs; want 1", got)
		}
	}
}

func TestOpenRefusesWhatIsNoDirectory(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, "", dir, "file")
	if s, err := record.Open(filepath.Join(dir, "file")); err == nil {
		t.Errorf("Open of a file = %v; want an error", s)
	}
	must(t, fsx.Scratch(dir).MkdirAll("loop"))
	writeFile(t, "", dir, "loop/results")
	if _, err := record.Open(filepath.Join(dir, "loop")); err == nil {
		t.Error("Open with a file named results = nil; want an error")
	}
}

func TestACrashOfRecoverIsRecoveredFrom(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	must(t, runTask(t, s, "t1", unsound, passes).Close(), begin(t, s, "t2").Close(), s.Close())
	want := contents(t, where)
	spoil := func(path string) {
		for _, name := range []string{"results/t1.json", "tasks/t1/plan-round-002.json", "tasks/t2/state.json"} {
			writeFile(t, "{}", path, name)
		}
		writeFile(t, "torn", path, "tasks/.tmp-0123456789abcdef")
	}
	disk, err := fsxtest.ReadDisk(where)
	must(t, err)
	for n := 1; ; n++ {
		copied := place(t)
		must(t, fsx.Scratch(copied).MkdirAll(""), disk.WriteTo(copied))
		spoil(copied)
		crashed := fsxtest.Run(func() {
			seam := fsxtest.CrashAt(n)
			s, err := record.Open(copied, seam)
			must(t, err)
			defer s.Close()
			_, err = s.Recover()
			must(t, err, s.Leave())
		})
		again := openStore(t, copied)
		_, err := again.Recover()
		must(t, err, again.Leave())
		got := contents(t, copied)
		for name := range got {
			if matched, _ := filepath.Match("*.differs*", filepath.Base(name)); matched {
				delete(got, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("crash at change %d (-want +got):\n%s", n, diff)
		}
		if !crashed {
			t.Logf("%d crashes", n-1)
			return
		}
	}
}

// Several workers record at once, each its own task.
func TestTasksAreRecordedSideBySide(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	errs := make(chan error)
	const tasks = 8
	for i := range tasks {
		go func() {
			id := fmt.Sprint("t", i)
			j, err := s.Begin(id, noon, claim(t, id))
			if err == nil {
				p := &player{store: s, journal: j, tries: []string{unsound, passes}, now: noon}
				err = errors.Join(s.Render(j), s.Tell(j), p.play(), j.Close())
			}
			errs <- err
		}()
	}
	for range tasks {
		must(t, <-errs)
	}
	must(t, s.Leave())
	for i := range tasks {
		if got := len(events(t, where, fmt.Sprint("t", i))); got != 12 {
			t.Errorf("t%d: %d events; want 12", i, got)
		}
	}
}
