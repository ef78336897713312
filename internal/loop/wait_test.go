package loop

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// waiting is a host whose task t1 was told to wait for a time, and its state.
// shift is how far the clock of the machine is off the one that timers go by.
func waiting(t *testing.T, kind task.Decision, wait time.Duration, shift *time.Duration) (*host, round.State) {
	t.Helper()
	store, err := record.Open(filepath.Join(t.TempDir(), LoopDir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	now := func() time.Time { return time.Now().Add(*shift).Round(0) }
	l := &Loop{opts: Options{Now: now}.withDefaults(), store: store, breakers: record.NewBreakers(store.Loop())}
	l.cfg.Generator.Adapter = "exec"
	j, err := store.Begin("t1", now(), round.Claimed{Task: task.Task{ID: "t1", Goal: "g"}, At: now()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	s := j.State()
	s.Policy.InlineWait = unit.Duration(30 * time.Second)
	s.Next, s.After, s.Now, s.NotBefore = round.Wait, round.Start, now(), now().Add(wait)
	s.Decision = round.Decision{Kind: kind, Reason: task.TransientBackoff, NotBefore: s.NotBefore}
	return &host{worker: &worker{pass: &pass{Loop: l}}, journal: j}, s
}

func TestWaits(t *testing.T) {
	const hour = time.Hour
	tests := map[string]struct {
		kind  task.Decision
		wait  time.Duration
		shift time.Duration // of the clock, after the wait was decided
		took  time.Duration
		over  bool
	}{
		"a short wait is made here":                        {task.Retry, 20 * time.Second, 0, 20 * time.Second, true},
		"the longest that is made here":                    {task.Retry, 30 * time.Second, 0, 30 * time.Second, true},
		"a longer one is left":                             {task.Retry, 31 * time.Second, 0, 0, false},
		"a hold is left, however short":                    {task.Held, time.Second, 0, 0, false},
		"one that is over is over":                         {task.Held, -time.Second, 0, 0, true},
		"the clock is set back: no longer than decided":    {task.Retry, 20 * time.Second, -8 * hour, 20 * time.Second, true},
		"the clock is set back: a long wait is left":       {task.Retry, 2 * time.Minute, -8 * hour, 0, false},
		"the clock is ahead: what was deferred is over":    {task.Retry, 2 * hour, 8 * hour, 0, true},
		"the clock is ahead by less: the rest of the wait": {task.Retry, hour, hour - 10*time.Second, 10 * time.Second, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var shift time.Duration
				h, s := waiting(t, tt.kind, tt.wait, &shift)
				shift = tt.shift
				began := time.Now()
				over, err := h.Wait(t.Context(), s)
				if took := time.Since(began); over != tt.over || took != tt.took || err != nil {
					t.Errorf("Wait = %v, %v after %s; want %v after %s", over, err, took, tt.over, tt.took)
				}
			})
		})
	}
}

// The machine's clock jumps while a wait goes on: the timer does not follow.
func TestAClockThatJumpsDoesNotShortenAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shift time.Duration
		h, s := waiting(t, task.Retry, 20*time.Second, &shift)
		began := time.Now()
		time.AfterFunc(5*time.Second, func() { shift = 8 * time.Hour })
		if over, err := h.Wait(t.Context(), s); !over || err != nil || time.Since(began) != 20*time.Second {
			t.Errorf("Wait = %v, %v after %s; want true after 20s", over, err, time.Since(began))
		}
	})
}

// A deferred wait over several passes after the clock was set back eight hours
// takes as long as it was to take, from when that was first seen.
func TestADeferredWaitIsNotExtendedByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shift time.Duration
		h, s := waiting(t, task.Retry, 20*time.Minute, &shift)
		shift = -8 * time.Hour
		for _, minute := range []int{0, 7, 19} {
			if over, err := h.Wait(t.Context(), s); over || err != nil {
				t.Errorf("in minute %d: Wait = %v, %v; want it left", minute, over, err)
			}
			if left, want := h.remaining(s, h.opts.Now()), time.Duration(20-minute)*time.Minute; left != want {
				t.Errorf("in minute %d: %s are left; want %s", minute, left, want)
			}
			time.Sleep(map[int]time.Duration{0: 7 * time.Minute, 7: 12 * time.Minute, 19: time.Minute}[minute])
		}
		if over, err := h.Wait(t.Context(), s); !over || err != nil {
			t.Errorf("after 20 minutes: Wait = %v, %v; want true", over, err)
		}
	})
}

func TestWhatEndsAWaitEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shift time.Duration
		h, s := waiting(t, task.Retry, 30*time.Second, &shift)
		began := time.Now()
		time.AfterFunc(3*time.Second, func() {
			if err := record.Cancel(h.store.Loop(), "t1", time.Now()); err != nil {
				t.Error(err)
			}
		})
		over, err := h.Wait(t.Context(), s)
		if took := time.Since(began); !over || err != nil || took < 3*time.Second || took > 4*time.Second {
			t.Errorf("cancelled after 3s: Wait = %v, %v after %s; want true within a second", over, err, took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		var shift time.Duration
		h, s := waiting(t, task.Retry, 30*time.Second, &shift)
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		began := time.Now()
		if over, err := h.Wait(ctx, s); over || err != nil || time.Since(began) != 3*time.Second {
			t.Errorf("stopped after 3s: Wait = %v, %v after %s; want false at once", over, err, time.Since(began))
		}
	})
}

// A task that is held goes on when its target works again, before its own time.
func TestAHeldTaskGoesOnWithItsTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shift time.Duration
		h, s := waiting(t, task.Held, 15*time.Minute, &shift)
		s.Decision.Reason, s.Decision.After = task.Auth, round.Start
		trip := func(c record.Circuit) record.Circuit {
			return c.Blamed(record.Blame{Task: "t1", At: time.Now(), Reason: task.Auth, AtOnce: true, Reset: time.Minute}, h.breaking())
		}
		change := func(f func(record.Circuit) record.Circuit) {
			if _, err := h.breakers.Change(h.account(), f); err != nil {
				t.Fatal(err)
			}
		}
		want := func(when string, want bool) {
			if over, err := h.Wait(t.Context(), s); over != want || err != nil {
				t.Errorf("%s: Wait = %v, %v; want %v", when, over, err, want)
			}
		}
		change(trip)
		want("while it is open", false)
		time.Sleep(time.Minute)
		want("when it may be looked at", true)
		change(func(c record.Circuit) record.Circuit {
			return c.Leased("t2", time.Now(), time.Now().Add(time.Hour))
		})
		want("while another task looks", false)
		change(func(c record.Circuit) record.Circuit { return c.Worked("t2") })
		want("when that worked", true)
		h.heldNow = true
		want("but not in the pass that held it", false)
		time.Sleep(time.Hour)
		want("however long that takes", false)
	})
}
