package round

import (
	"slices"
	"testing"
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A command can make a task wait, but not for longer than a chain may, nor past
// its deadline: then it is passed over.
func TestACommandsWaitHasTheBoundsOfAChain(t *testing.T) {
	const hour = time.Hour
	tests := map[string]struct {
		delay time.Duration
		next  Kind
	}{
		"at once":                 {0, Start},
		"a wait":                  {hour, Wait},
		"the longest":             {6 * hour, Wait},
		"longer than any wait":    {6*hour + time.Second, Decide},
		"to where the time is up": {20 * hour, Decide},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := State{Policy: testPolicy(), Round: 1, Rounds: []*Round{{N: 1}}, Claimed: Claimed{At: noon}, Now: noon, Next: Consult}
			s.Policy.Deadline = unit.Duration(10 * hour)
			s.Decision = Decision{Kind: task.Retry, Strategy: "x-mine"}
			s = s.Apply(Event{Kind: Consult, Consulted: &Consulted{Status: GoOn, Delay: unit.Duration(tt.delay)}})
			if s.Next != tt.next {
				t.Errorf("Next = %s; want %s", s.Next, tt.next)
			}
			if over := slices.Contains(s.PassedOver, recovery.Strategy("x-mine")); over != (tt.next == Decide) {
				t.Errorf("passed over: %v", over)
			}
		})
	}
}
