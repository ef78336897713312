package record_test

import (
	"testing"
	"time"

	"looprun.dev/looprun/internal/record"
)

func TestAPauseWithAnEndIsOverThen(t *testing.T) {
	loop := lockDir(t)
	set := func(p record.Pause, want bool) {
		t.Helper()
		if got, err := record.SetPause(loop, p); got != want || err != nil {
			t.Fatalf("SetPause(%v) = %v, %v; want %v", p, got, err, want)
		}
	}
	paused := func(minutes int, want bool) {
		t.Helper()
		if _, got, err := record.PausedAt(loop, at(minutes)); got != want || err != nil {
			t.Errorf("PausedAt minute %d = %v, %v; want %v", minutes, got, err, want)
		}
	}
	set(record.Pause{Since: at(0), Until: at(10)}, true)
	paused(9, true)
	paused(10, false)
	if got := pausedFor(t, loop, 0, 30); got != 10 {
		t.Errorf("PausedFor = %d minutes; want 10: the flag stood on, the pause did not", got)
	}

	// A new pause keeps what the one before had been.
	set(record.Pause{Since: at(30), Until: at(40)}, true)
	set(record.Pause{Since: at(31), Until: at(40)}, false)
	if got := pausedFor(t, loop, 0, 35); got != 15 {
		t.Errorf("PausedFor = %d minutes; want 15", got)
	}

	// Another end counts from the same beginning, and so does none.
	set(record.Pause{Since: at(35), Until: at(50)}, true)
	set(record.Pause{Since: at(45)}, true)
	paused(1000, true)
	if cleared, err := record.ClearPause(loop, at(60)); !cleared || err != nil {
		t.Fatalf("ClearPause = %v, %v", cleared, err)
	}
	if got := pausedFor(t, loop, 0, 100); got != 40 {
		t.Errorf("PausedFor = %d minutes; want 40", got)
	}
}

func TestClearingAPauseThatIsOverCountsToItsEnd(t *testing.T) {
	loop := lockDir(t)
	if _, err := record.SetPause(loop, record.Pause{Since: at(0), Until: at(5)}); err != nil {
		t.Fatal(err)
	}
	if _, err := record.ClearPause(loop, at(20)); err != nil {
		t.Fatal(err)
	}
	d, err := record.PausedFor(loop, at(0), at(30))
	if d.Std() != 5*time.Minute || err != nil {
		t.Errorf("PausedFor = %v, %v; want 5m", d, err)
	}
}
