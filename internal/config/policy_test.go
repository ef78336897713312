package config

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

const threeProfiles = `
verification:
  profiles: {unit: [{run: [u]}], lint: [{run: [l]}], slow: [{run: [s]}]}
  always: [lint]
  canary_skip: {slow: takes an hour, lint: reads nothing}
effects: {deploy: {target: prod, observe: [o]}, mail: {target: smtp}}
boundary: {protect: [a]}
`

func TestPolicyIsLoweredByTheTask(t *testing.T) {
	c, faults := Parse("/repo/loop.yaml", []byte(threeProfiles))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	got := c.Policy(task.Task{
		ID: "t", Verify: []string{"unit"}, Allow: []string{"src/**"}, Protect: []string{"b"}, Operations: []string{"deploy"},
		Limits: task.Limits{MaxRounds: 2, SameFailure: 5, MaxTries: 4, WallClock: minutes(5), Deadline: hours(48), MaxTokens: 7,
			Cost: 1_000_000, MaxChangedFiles: 3, MaxChangedLines: 5000, MaxBytes: 1 << 10},
	})
	d := Default()
	want := round.Policy{
		Land: "branch", MaxRounds: 2, SameFailure: 2, MaxTries: 4, WallClock: minutes(5), Deadline: hours(24), MaxTokens: 7,
		Cost: 1_000_000, DailyCost: 50_000_000, TryTimeout: minutes(30), Baseline: true, Canary: true,
		CanarySkip: map[string]string{"lint": "reads nothing"},
		Backoff:    d.Recovery.Backoff, InlineWait: seconds(30), Hold: minutes(15), Breaker: d.Recovery.Breaker,
		RetryBudget: d.Recovery.RetryBudget, Chains: recovery.DefaultChains(),
		Effects: map[string]round.Effect{"deploy": {Target: "prod", Repeat: "never", Observe: []string{"o"}, Timeout: seconds(60)}},
		Boundary: round.Boundary{Allow: []string{"**"}, TaskAllow: []string{"src/**"}, Protect: []string{"a"}, TaskProtect: []string{"b"},
			MaxFiles: 3, MaxLines: 2000, MaxBytes: 1 << 10},
		Profiles: map[string][]round.Check{
			"unit": {{Run: []string{"u"}, Timeout: minutes(10), Format: "auto", Dir: "."}},
			"lint": {{Run: []string{"l"}, Timeout: minutes(10), Format: "auto", Dir: "."}},
		},
		Always: []string{"lint"},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("Policy differs (-want +got):\n%s", diff)
	}
}

func TestPolicyOfATaskWithoutLimits(t *testing.T) {
	c, _ := Parse("/repo/loop.yaml", []byte(enough("workspace: {mode: in_place}")))
	got := c.Policy(task.Task{ID: "t"})
	if !got.InPlace || got.Land != "none" || got.MaxTries != 8 || got.Boundary.MaxLines != 2000 || len(got.Profiles) != 1 || got.Effects != nil {
		t.Errorf("Policy = %+v; want loop.yaml's limits", got)
	}
}

// The policy goes into a journal and is read from there; it must not change
// when the file is read anew.
func TestPolicyStandsAlone(t *testing.T) {
	c, faults := Parse("/repo/loop.yaml", []byte(everySetting))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	p := c.Policy(task.Task{ID: "t", Verify: []string{"unit"}, Operations: []string{"deploy"}})
	before, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	c.Recovery.Chains["network"].Steps[0].Max = 99
	c.Recovery.Chains["unknown"] = recovery.Chain{}
	c.Recovery.Strategies["x-swap"] = round.Command{}
	c.Recovery.Patterns[0].ID = "changed"
	c.Boundary.Allow[0], c.Verification.Always[0], c.Generator.Models[0], c.Verification.Masks[0].Name = "x", "x", "x", "x"
	c.Verification.CanarySkip["lint"] = "changed"
	if after, _ := json.Marshal(p); string(after) != string(before) {
		t.Errorf("Policy changed with the config:\n%s\n%s", before, after)
	}
	var back round.Policy
	if err := json.Unmarshal(before, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, back, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("Policy does not survive JSON (-want +got):\n%s", diff)
	}
}

func TestKnown(t *testing.T) {
	c, _ := Parse("/repo/loop.yaml", []byte(threeProfiles))
	s := Default().Stop
	want := task.Known{
		Profiles: []string{"lint", "slow", "unit"}, Always: []string{"lint"}, Operations: []string{"deploy", "mail"},
		Limits: task.Limits{MaxRounds: s.MaxRounds, SameFailure: s.SameFailure, MaxTries: s.MaxTries, WallClock: s.WallClock, Deadline: s.Deadline,
			MaxTokens: s.MaxTokens, Cost: s.Cost, MaxChangedFiles: 50, MaxChangedLines: 2000, MaxBytes: 4 << 20},
	}
	if diff := cmp.Diff(want, c.Known()); diff != "" {
		t.Errorf("Known differs (-want +got):\n%s", diff)
	}
}
