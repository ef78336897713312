package loop

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// Two failures of one task bring the breaker to the edge: the third is to be
// another task's, if there is any.
func TestWhoseWaitAnotherTaskMayUse(t *testing.T) {
	tests := map[string]struct {
		failed []string // whose tries failed on the target so far
		mode   string
		limits Limits
		others bool
		want   bool
	}{
		"one failure is no pattern yet":                {failed: []string{"t1"}},
		"one more failure of another would hold it":    {failed: []string{"t1", "t1"}, want: true},
		"what another failed at holds it without that": {failed: []string{"t2", "t1"}},
		"in place there is one checkout":               {failed: []string{"t1", "t1"}, mode: config.InPlace},
		"a pass of one task has no other":              {failed: []string{"t1", "t1"}, limits: Limits{MaxTasks: 1}},
		"a failure that is not the target's":           {failed: []string{"t1", "t1"}, others: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var shift time.Duration
				h, s := waiting(t, task.Retry, 10*time.Second, &shift)
				h.limits, h.cfg.Workspace.Mode = tt.limits, tt.mode
				h.cfg.Recovery.Breaker = recovery.Breaker{Consecutive: 3, Tasks: 2, InWindow: 5, Window: unit.Duration(10 * time.Minute), Open: unit.Duration(time.Minute)}
				s.Decision.Category = recovery.Overloaded
				if tt.others {
					s.Decision.Category = recovery.JSONError
				}
				for _, id := range tt.failed {
					_, err := h.breakers.Change(h.model(""), func(c record.Circuit) record.Circuit {
						return c.Blamed(record.Blame{Task: id, At: time.Now(), Reason: task.BreakerOpen}, h.breaking())
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				if got := h.stepsAside(s); got != tt.want {
					t.Errorf("stepsAside = %v; want %v", got, tt.want)
				}
			})
		})
	}
}

// A task that is aside comes back when its wait is over, at once when it is
// cancelled, and is told of when the pass ends before.
func TestATaskAsideComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shift time.Duration
		h, _ := waiting(t, task.Retry, 10*time.Second, &shift)
		for _, id := range []string{"t1", "t2", "t3"} {
			wait := map[string]time.Duration{"t1": 10 * time.Second, "t2": time.Minute, "t3": time.Hour}[id]
			h.setAside(aside{id: id, until: time.Now().Add(wait), left: &record.PassView{TaskID: id}})
		}
		due := func(want ...string) {
			t.Helper()
			ids, again, err := h.dueAside()
			if err != nil || !slices.Equal(ids, want) || again.Sub(time.Now()) > cancelPoll {
				t.Errorf("after %s: dueAside = %v, in %s, %v; want %v", time.Now().Format("04:05"), ids, time.Until(again), err, want)
			}
		}
		due()
		time.Sleep(10 * time.Second)
		due("t1")
		if err := record.Cancel(h.store.Loop(), "t2", time.Now()); err != nil {
			t.Fatal(err)
		}
		due("t2")
		h.leaveAside()
		if left := h.result.Left; len(left) != 1 || left[0].TaskID != "t3" {
			t.Errorf("Left = %v; want t3 alone", left)
		}
	})
}
