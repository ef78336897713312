package child

import (
	"testing"
	"time"
)

func TestLimits(t *testing.T) {
	const s, m = time.Second, time.Minute
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	type look struct {
		after   time.Duration // since the look before
		written int64
		touched time.Time // what active says from now on
		want    string
	}
	// steps are n looks of one second at which nothing happens.
	steps := func(n int) (looks []look) {
		for range n {
			looks = append(looks, look{after: s})
		}
		return looks
	}
	join := func(parts ...[]look) (all []look) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for name, tt := range map[string]struct {
		wall, silence time.Duration
		looks         []look
	}{
		"no limit is ever reached without one": {0, 0, steps(100000)},
		"the wall limit holds to the second":   {m, 0, join(steps(59), []look{{s, 0, time.Time{}, Timeout}})},
		"output does not lift the wall limit":  {3 * s, m, []look{{s, 1, time.Time{}, ""}, {s, 2, time.Time{}, ""}, {s, 3, time.Time{}, Timeout}}},
		"silence is counted from the start":    {0, m, join(steps(59), []look{{s, 0, time.Time{}, Silence}})},
		"output begins the silence anew":       {0, 4 * s, []look{{3 * s, 5, time.Time{}, ""}, {3 * s, 5, time.Time{}, ""}, {s, 5, time.Time{}, Silence}}},
		"a file that changes is a sign of life": {0, 4 * s, []look{
			{2 * s, 0, start.Add(s), ""}, {3 * s, 0, start.Add(4 * s), ""}, {3 * s, 0, start.Add(7 * s), ""}, {4 * s, 0, start.Add(7 * s), Silence}}},
		"a file from before the start is none":       {0, 4 * s, []look{{2 * s, 0, start.Add(-m), ""}, {2 * s, 0, start.Add(-m), Silence}}},
		"a clock set back does not hide a change":    {0, 4 * s, []look{{2 * s, 0, start.Add(s), ""}, {3 * s, 0, start.Add(-time.Hour), ""}, {3 * s, 0, start.Add(-time.Hour), ""}}},
		"eight hours of sleep are not charged":       {m, 10 * s, []look{{9 * s, 0, time.Time{}, ""}, {8 * time.Hour, 0, time.Time{}, ""}, {s, 0, time.Time{}, Silence}}},
		"sleep does not use up the wall limit":       {m, 0, join(steps(59), []look{{8 * time.Hour, 0, time.Time{}, ""}, {s, 0, time.Time{}, Timeout}})},
		"a look that comes a little late is charged": {10 * s, 0, []look{{9 * s, 0, time.Time{}, ""}, {2 * s, 0, time.Time{}, Timeout}}},
	} {
		t.Run(name, func(t *testing.T) {
			var touched time.Time
			l := limits{wall: tt.wall, silence: tt.silence, since: start, active: func() time.Time { return touched }}
			for i, k := range tt.looks {
				touched = k.touched
				if got := l.spend(k.after, k.written); got != k.want {
					t.Fatalf("look %d: spend(%v, %d) = %q; want %q", i, k.after, k.written, got, k.want)
				}
			}
		})
	}
}

// Asking may mean a scan of a whole tree, so that it is done seldom.
func TestActiveIsAskedSeldom(t *testing.T) {
	asked := 0
	l := limits{silence: 10 * time.Minute, active: func() time.Time {
		asked++
		return time.Unix(int64(asked), 0)
	}}
	for range 3600 {
		l.spend(time.Second, 0)
	}
	if asked < 20 || asked > 30 {
		t.Errorf("asked %d times in an hour; want about 24", asked)
	}
}

func TestNextLookIsInTime(t *testing.T) {
	for name, tt := range map[string]struct {
		l    limits
		want time.Duration
	}{
		"without limits":       {limits{}, time.Second},
		"far from the limit":   {limits{wall: time.Hour}, time.Second},
		"near the limit":       {limits{wall: time.Hour, awake: time.Hour - time.Millisecond*20}, 20 * time.Millisecond},
		"past the limit":       {limits{wall: time.Hour, awake: 2 * time.Hour}, time.Millisecond},
		"with a short silence": {limits{silence: 800 * time.Millisecond}, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.l.next(); got != tt.want {
				t.Errorf("next = %v; want %v", got, tt.want)
			}
		})
	}
}
