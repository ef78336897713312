package round

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/unit"
)

func TestUnderAnotherPolicy(t *testing.T) {
	const twice = "try changed -> fail A\ntry changed -> fail A"
	tests := map[string]struct {
		given  string
		policy func(*Policy)
		want   string // what forked and how, "" for nothing
	}{
		"the same policy decides the same": {twice, func(*Policy) {}, ""},
		"a limit that was never near changes nothing": {twice,
			func(p *Policy) { p.MaxTries = 3 }, ""},
		"one round stops at the first failure": {twice,
			func(p *Policy) { p.MaxRounds = 1 }, "retry verification_failed_replan, not blocked max_rounds_reached"},
		"a higher limit of equal failures goes on": {twice,
			func(p *Policy) { p.SameFailure = 3 }, "needs_input same_failure_limit_reached, not retry verification_failed_replan"},
		"one try is not started again": {"try changed timeout -> fail A\ntry changed -> pass",
			func(p *Policy) { p.MaxTries = 1 }, "retry recovery_step, not blocked max_tries_reached"},
		"a chain without steps ends at once": {"try unchanged json_error\ntry changed -> pass",
			func(p *Policy) { p.Chains = map[recovery.Category]recovery.Chain{} }, "retry recovery_step, not blocked json_error"},
		"another strategy is another way": {"try unchanged json_error\ntry changed -> pass",
			func(p *Policy) { own(p, recovery.JSONError, []string{"retry"}) }, "retry recovery_step, not retry recovery_step"},
		"a start that no money was left for": {"try changed -> pass",
			func(p *Policy) { p.MinTryCost = p.Cost + 1 }, "start, not blocked cost_exhausted"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, h := play(t, tt.given)
			p := h.journal[0].Claimed.Policy
			tt.policy(&p)
			fork, forked := Under(h.journal, p)
			if got := way(fork, forked); got != tt.want {
				t.Errorf("Under = %q; want %q", got, tt.want)
			}
		})
	}
}

func way(f Fork, forked bool) string {
	if !forked {
		return ""
	}
	say := func(d *Decision) string {
		if d == nil {
			return "start"
		}
		return string(d.Kind) + " " + string(d.Reason)
	}
	return say(f.Recorded) + ", not " + say(f.Derived)
}

// What one policy held back another one would have started.
func TestUnderAPolicyThatHasTheMoney(t *testing.T) {
	poor := testPolicy()
	poor.DailyCost, poor.MinTryCost, poor.Deadline = 0, 1, unit.Duration(24*time.Hour)
	claim, f := claimEvent(poor), Facts{Now: noon}
	d, _ := refuse(State{}.Apply(claim), f)
	fork, forked := Under([]Event{claim, {Kind: Decide, Facts: &f, Decision: &d}}, testPolicy())
	if got, want := way(fork, forked), "held daily_budget, not start"; got != want {
		t.Errorf("Under = %q; want %q", got, want)
	}
}

func TestUnderTellsHowMuchLongerItWouldHaveWaited(t *testing.T) {
	_, h := play(t, "try unchanged network\ntry unchanged network\ntry changed -> pass")
	p := h.journal[0].Claimed.Policy
	p.Backoff.Base *= 3
	fork, forked := Under(h.journal, p)
	if want := unit.Duration(30e9); forked || fork.Delay != want {
		t.Errorf("Under = %+v, %v; want a delay of %v", fork, forked, want)
	}
}

// A history never differs from itself.
func TestUnderItsOwnPolicyNothingForks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := playChaos(t)
		if fork, forked := Under(events, events[0].Claimed.Policy); forked || fork.Delay != 0 {
			t.Fatalf("Under = %+v, %v; want no fork", fork, forked)
		}
	})
}
