package loop

import (
	"testing"
	"time"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

func TestATryHasWhatIsLeft(t *testing.T) {
	const hour = time.Hour
	tests := map[string]struct {
		spent  time.Duration // of the wall clock
		since  time.Duration // the claim
		paused time.Duration
		want   time.Duration
	}{
		"its own limit":                      {0, 0, 0, 30 * time.Minute},
		"what is left of the wall clock":     {hour + 50*time.Minute, 2 * hour, 0, 10 * time.Minute},
		"what is left until the deadline":    {0, 24*hour - 5*time.Minute, 0, 5 * time.Minute},
		"paused time is not on the deadline": {0, 30 * hour, 20 * hour, 30 * time.Minute},
		"never nothing at all":               {0, 25 * hour, 0, time.Second},
	}
	claimed := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := round.Policy{TryTimeout: unit.Duration(30 * time.Minute), WallClock: unit.Duration(2 * hour), Deadline: unit.Duration(24 * hour)}
			s := round.State{}.Apply(round.Event{Kind: round.Claim, Claimed: &round.Claimed{Policy: p, At: claimed}})
			s.Spent.WallClock = unit.Duration(tt.spent)
			s = s.Apply(round.Event{Kind: round.Start, Facts: &round.Facts{Now: claimed.Add(tt.since), Paused: unit.Duration(tt.paused)}})
			if got := (&host{}).wall(s); got != tt.want {
				t.Errorf("wall = %s; want %s", got, tt.want)
			}
		})
	}
}
