package record_test

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
)

func at(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

func pausedFor(t *testing.T, loop *fsx.Dir, since, now int) int {
	t.Helper()
	d, err := record.PausedFor(loop, at(since), at(now))
	must(t, err)
	return int(d.Std().Minutes())
}

func TestPausedTimeIsAddedUp(t *testing.T) {
	loop := lockDir(t)
	pause := func(from, to int) {
		t.Helper()
		if set, err := record.SetPause(loop, record.Pause{Since: at(from), Reason: "lunch"}); !set || err != nil {
			t.Fatalf("SetPause = %v, %v", set, err)
		}
		if cleared, err := record.ClearPause(loop, at(to)); !cleared || err != nil {
			t.Fatalf("ClearPause = %v, %v", cleared, err)
		}
	}
	pause(10, 20)
	pause(30, 35)
	set, err := record.SetPause(loop, record.Pause{Since: at(50)})
	must(t, err)
	if again, err := record.SetPause(loop, record.Pause{Since: at(55)}); !set || again || err != nil {
		t.Errorf("SetPause twice = %v, then %v, %v; want true, then false", set, again, err)
	}
	for _, tt := range []struct{ since, now, want int }{
		{0, 60, 10 + 5 + 10}, {0, 52, 17}, {15, 60, 5 + 5 + 10}, {20, 30, 0}, {32, 33, 1}, {40, 45, 0}, {60, 0, 0},
	} {
		if got := pausedFor(t, loop, tt.since, tt.now); got != tt.want {
			t.Errorf("paused between minute %d and %d: %d minutes; want %d", tt.since, tt.now, got, tt.want)
		}
	}
}

// The end of a pause is written down before the flag goes. A crash between the
// two, or two commands at once, must not make the pause count twice.
func TestAPauseThatWasWrittenDownTwiceCountsOnce(t *testing.T) {
	for n := 1; ; n++ {
		dir := fsxtest.TempDir(t)
		crashed := fsxtest.Run(func() {
			loop, err := fsx.Open(dir, fsxtest.CrashAt(n))
			must(t, err)
			defer loop.Close()
			_, err = record.SetPause(loop, record.Pause{Since: at(10)})
			must(t, err)
			_, err = record.ClearPause(loop, at(20))
			must(t, err)
		})
		loop, err := fsx.Open(dir)
		must(t, err)
		_, paused, err := record.PauseFlag(loop)
		must(t, err)
		cleared, err := record.ClearPause(loop, at(25))
		if err != nil || cleared != paused {
			t.Fatalf("crash at change %d: ClearPause = %v, %v; the flag was set: %v", n, cleared, err, paused)
		}
		if got := pausedFor(t, loop, 0, 60); !slices.Contains([]int{0, 10, 15}, got) || got == 0 && paused {
			t.Errorf("crash at change %d: %d minutes were paused", n, got)
		}
		must(t, loop.Close())
		if !crashed {
			return
		}
	}
}

func TestAPauseMadeByHandCounts(t *testing.T) {
	for name, data := range map[string]string{"empty": "", "text": "stop!\n", "no time": `{"reason": "by hand"}`, "garbage": "\x00"} {
		t.Run(name, func(t *testing.T) {
			loop := lockDir(t)
			writeFile(t, data, loop.Path(), "pause")
			must(t, fsx.Scratch(loop.Path()).Chtimes("pause", at(10)))
			p, paused, err := record.PauseFlag(loop)
			if err != nil || !paused || !p.Since.Equal(at(10)) {
				t.Errorf("PauseFlag = %+v, %v, %v; want since its time", p, paused, err)
			}
			if got := pausedFor(t, loop, 0, 30); got != 20 {
				t.Errorf("%d minutes paused; want 20", got)
			}
		})
	}
}

func TestClearingNoPauseIsNoFault(t *testing.T) {
	loop := lockDir(t)
	if cleared, err := record.ClearPause(loop, noon); cleared || err != nil {
		t.Errorf("ClearPause = %v, %v; want false", cleared, err)
	}
	if _, paused, err := record.PauseFlag(loop); paused || err != nil {
		t.Errorf("PauseFlag = %v, %v; want false", paused, err)
	}
}

// A damaged list is told, never taken as no pause at all: a deadline would be
// over too early.
func TestADamagedListOfPausesIsTold(t *testing.T) {
	loop := lockDir(t)
	writeFile(t, "[{", loop.Path(), "pauses.json")
	if _, err := record.PausedFor(loop, noon, noon); err == nil {
		t.Error("PausedFor = nil; want an error")
	}
}

func TestARequestToCancelStaysUntilItIsAnswered(t *testing.T) {
	loop := lockDir(t)
	asked := func(id string) bool {
		t.Helper()
		yes, err := record.Cancelled(loop, id)
		must(t, err)
		return yes
	}
	if asked("t1") {
		t.Error("Cancelled before anybody asked = true")
	}
	must(t, record.Answered(loop, "t1")) // nobody asked: nothing to do
	must(t, record.Cancel(loop, "t1", noon), record.Cancel(loop, "t1", noon))
	if !asked("t1") || asked("t2") {
		t.Error("Cancelled: want t1 alone")
	}
	if got, want := string(readFile(t, loop.Path(), "requests/cancel-t1.json")), `{"verb":"cancel","id":"t1","at":"2026-12-01T12:00:00Z"}`+"\n"; got != want {
		t.Errorf("the request is %q; want %q", got, want)
	}
	must(t, record.Answered(loop, "t1"), record.Answered(loop, "t1"))
	if asked("t1") {
		t.Error("Cancelled after the answer = true")
	}
}

func TestARequestCannotLeaveItsFolder(t *testing.T) {
	loop := lockDir(t)
	before := stamps(t, loop.Path())
	for _, id := range []string{"../t1", "a/b", "../../../etc/x", "a\x00b"} {
		if err := record.Cancel(loop, id, noon); err == nil {
			t.Errorf("Cancel(%q) = nil; want an error", id)
		}
	}
	after := stamps(t, loop.Path())
	delete(after, "requests")
	delete(after, ".")
	delete(before, ".")
	if len(after) != len(before) {
		t.Errorf("files were made: %v", after)
	}
}

// A command writes without the lock. An instance that starts at that moment
// sweeps what it takes for a dead process's temporary file.
func TestAFlagWhoseTemporaryFileIsSweptIsWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	swept := false
	seam := &fsxtest.Recorder{Break: func(_ int, op fsx.Op) error {
		if op.Kind == fsx.OpRename && !swept {
			swept = true
			return syscall.ENOENT
		}
		return nil
	}}
	loop, err := fsx.Open(dir, seam)
	must(t, err)
	defer loop.Close()
	if set, err := record.SetPause(loop, record.Pause{Since: noon}); !set || err != nil || !swept {
		t.Errorf("SetPause = %v, %v; want true", set, err)
	}
}
