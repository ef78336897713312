package round

import (
	"testing"
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
)

// A task that went to another model stays there until the first one's breaker
// has closed, whatever it fails with meanwhile.
func TestAFallbackStaysUntilTheFirstModelsBreakerCloses(t *testing.T) {
	tooLong := 48 * time.Hour
	type step struct {
		first string // what the facts say of the first model
		model string // of the next start
	}
	tests := map[string][]step{
		"held when it was left, works later": {{FirstHeld, "b"}, {FirstHeld, "b"}, {FirstWorks, "a"}},
		"held by other tasks afterwards":     {{FirstWorks, "b"}, {FirstHeld, "b"}, {FirstWorks, "a"}},
		"its breaker never opened":           {{FirstWorks, "b"}, {FirstWorks, "b"}, {FirstWorks, "b"}},
		"still held":                         {{FirstHeld, "b"}, {FirstHeld, "b"}, {FirstHeld, "b"}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			p := testPolicy()
			p.Models = []string{"a", "b"}
			s := State{}.Apply(Event{Kind: Claim, Claimed: &Claimed{Task: task.Task{ID: "t1"}, Policy: p, At: noon}})
			for i, step := range steps {
				failure := recovery.Failure{Category: recovery.JSONError, Detail: string(rune('a' + i))}
				if i == 0 { // longer than the task has: only another model is left
					failure = recovery.Failure{Category: recovery.RateLimited, RetryAfter: &tooLong}
				}
				f := Facts{Now: noon.Add(time.Minute)}
				s = s.Apply(Event{Kind: Start, Facts: &f})
				s = s.Apply(Event{Kind: Generate, Try: &Try{N: i + 1, Model: s.Request.Model, SessionID: "s", Failure: failure}})
				f.First = step.first
				d := decide(s, f)
				s = s.Apply(Event{Kind: Decide, Facts: &f, Decision: &d})
				if s.Request.Model != step.model || d.Kind != task.Retry {
					t.Fatalf("after try %d, first model %s: %s %s with model %q; want a retry with %q", i+1, step.first, d.Kind, d.Strategy, s.Request.Model, step.model)
				}
				if d.Back && s.Request.Resume != "" {
					t.Errorf("the session of %s is gone on with in the first model", "b")
				}
			}
		})
	}
}
