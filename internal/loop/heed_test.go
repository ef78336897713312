package loop

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

func TestAFileHasChangedOnceItHasSettled(t *testing.T) {
	at := func(size int64) sight { return sight{size: size} }
	tests := map[string]struct {
		looks []int64 // sizes, a glance apart; the first is known
		want  []bool
	}{
		"what stays is no change":            {[]int64{1, 1, 1}, []bool{false, false}},
		"a change is told a glance later":    {[]int64{1, 2, 2, 2}, []bool{false, true, false}},
		"a file that is written is let be":   {[]int64{1, 2, 3, 4, 4}, []bool{false, false, false, true}},
		"a file that goes and comes back":    {[]int64{1, 0, 1, 1}, []bool{false, false, true}},
		"two changes are told one by one":    {[]int64{1, 2, 2, 3, 3}, []bool{false, true, false, true}},
		"a file that is removed has changed": {[]int64{1, 0, 0}, []bool{false, true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := settling{now: at(test.looks[0])}
			var got []bool
			for _, size := range test.looks[1:] {
				got = append(got, s.changed(at(size)))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("changed = %v; want %v", got, test.want)
			}
		})
	}
}

// heard is an observer that keeps warnings.
type heard struct {
	silent
	all []string
}

func (h *heard) Warn(text string) { h.all = append(h.all, text) }

func TestAWarningIsGivenAgainOnlyAfterAPassWithoutIt(t *testing.T) {
	h := &heard{}
	o := newOnce(h)
	for _, pass := range [][]string{{"disk", "disk"}, {"disk", "tree"}, {"disk"}, {}, {"disk"}} {
		o.turn()
		for _, text := range pass {
			o.Warn(text)
		}
	}
	if want := []string{"disk", "tree", "disk"}; !slices.Equal(h.all, want) {
		t.Errorf("warned %q; want %q", h.all, want)
	}
}

func TestAWatchWakesForTheFirstThingThatIsDue(t *testing.T) {
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	tests := map[string]struct {
		pass Pass
		left []int // minutes at which tasks may go on
		want time.Time
	}{
		"nothing is awaited":              {want: time.Time{}},
		"a file that may not start yet":   {pass: Pass{Waiting: []queue.Waiting{{Until: at(9)}, {Until: at(4)}}}, want: at(4)},
		"a file after others has no time": {pass: Pass{Waiting: []queue.Waiting{{Why: queue.After}}}, left: []int{7}, want: at(7)},
		"a task that waits":               {pass: Pass{Waiting: []queue.Waiting{{Until: at(9)}}}, left: []int{8, 3}, want: at(3)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := &watch{left: map[string]time.Time{}}
			for i, minutes := range test.left {
				w.left[string(rune('a'+i))] = at(minutes)
			}
			if got := w.wakeAt(test.pass); !got.Equal(test.want) {
				t.Errorf("wakeAt = %v; want %v", got, test.want)
			}
		})
	}
}

func TestWhenATaskThatWasLeftIsLookedAtAgain(t *testing.T) {
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	l := &Loop{opts: Options{Now: func() time.Time { return noon }}}
	l.cfg.Queue.Rescan = 30_000_000_000
	w := &watch{Loop: l}
	tests := map[string]struct {
		left record.PassView
		want time.Time
	}{
		"never before its wait is over":      {record.PassView{NotBefore: "2026-01-31T12:05:00Z"}, noon.Add(5*time.Minute + time.Second)},
		"at once when a pause ends":          {record.PassView{Reason: task.PauseFlag}, time.Time{}},
		"now and then where nobody can tell": {record.PassView{Reason: task.DirtyWorktree}, noon.Add(30 * time.Second)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := w.again(test.left); !got.Equal(test.want) {
				t.Errorf("again = %v; want %v", got, test.want)
			}
		})
	}
}

// A pause may be set, met by a pass, and taken back between two glances.
func TestAPauseThatNoGlanceSawEndsToo(t *testing.T) {
	store, err := record.Open(filepath.Join(t.TempDir(), LoopDir))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer stop()
		w := &watch{Loop: &Loop{opts: Options{}.withDefaults(), store: store}, woken: make(chan struct{}, 1)}
		go w.heed(ctx)
		time.Sleep(2*glance + glance/2)
		if len(w.woken) > 0 {
			t.Fatal("it woke for nothing")
		}
		w.paused.Store(true)
		time.Sleep(glance)
		synctest.Wait()
		if len(w.woken) == 0 {
			t.Error("it did not wake after a pause that is over")
		}
	})
}
