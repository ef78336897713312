package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWarnings(t *testing.T) {
	const pattern = "patterns: [{id: a, when: {regex: x}, category: x-mine, class: input}]"
	tests := map[string]struct {
		data string
		want []string // FIELD: message
	}{
		"decision row 90 more equal failures than rounds": {enough("stop: {max_rounds_per_task: 3, same_failure_limit: 5}"),
			[]string{"stop.same_failure_limit: never has an effect: 5 failed verifications do not fit into 3 rounds"}},
		"more equal failures than tries": {enough("stop: {same_failure_limit: 9}"),
			[]string{"stop.same_failure_limit: never has an effect: 9 equal failures do not fit into 8 tries"}},
		"as many equal failures as rounds": {enough("stop: {max_rounds_per_task: 3, same_failure_limit: 3}"), nil},
		"more rounds than tries": {enough("stop: {max_rounds_per_task: 9}"),
			[]string{"stop.max_rounds_per_task: never has an effect: 9 rounds do not fit into 8 tries"}},
		"more wall clock than deadline": {enough("stop: {wall_clock: 25h}"),
			[]string{"stop.wall_clock: never has an effect: 25h is above stop.deadline (24h)"}},
		"longer waits than the deadline": {enough("stop: {deadline: 5h}"),
			[]string{"recovery.backoff.max_wait: never has an effect: 6h is above stop.deadline (5h)"}},
		"a try longer than the task": {enough("generator: {timeout: 3h}"),
			[]string{"generator.timeout: never has an effect: 3h is above stop.wall_clock (2h)"}},
		"silence as long as the try": {enough("generator: {silence: 30m}"),
			[]string{"generator.silence: never has an effect: 30m is not below generator.timeout (30m)"}},
		"a check longer than the task": {"verification: {profiles: {u: [{run: [a], timeout: 3h}]}}",
			[]string{"verification.profiles.u[0].timeout: never has an effect: 3h is above stop.wall_clock (2h)"}},
		"a check that names only what fails": {"verification: {profiles: {u: [{run: [go, test, ./...]}]}}",
			[]string{"verification.profiles.u[0].run: go test names only tests that fail, so one that a candidate takes away is not missed: add -v or -json"}},
		"a check that names all":       {"verification: {profiles: {u: [{run: [go, test, -v, ./...]}, {run: [go, test, --json]}]}}", nil},
		"a check that writes a report": {"verification: {profiles: {u: [{run: [go, test], report: r.xml, format: junit}]}}", nil},
		"a branch that is not made": {enough("land: {mode: patch, branch: \"x/{id}\"}"),
			[]string{"land.branch: never has an effect: land.mode is patch"}},
		"a canary that is off has nothing to skip": {"verification: {profiles: {u: [{run: [a]}]}, canary: false, canary_skip: {u: why}}",
			[]string{"verification.canary_skip: never has an effect: verification.canary is false"}},
		"a strategy that no chain uses": {enough("recovery: {strategies: {x-a: {run: [a]}}}"),
			[]string{"recovery.strategies.x-a: never has an effect: no chain uses it"}},
		"a chain of a class that ends the task": {enough("recovery: {chains: {boundary_violation: {then: hold}}}"),
			[]string{"recovery.chains.boundary_violation: never has an effect: class guard ends the task before any chain"}},
		"a chain of a category of one's own that asks": {enough("recovery: {chains: {x-mine: {then: hold}}, " + pattern + "}"),
			[]string{"recovery.chains.x-mine: never has an effect: class input ends the task before any chain"}},
		"a chain of a class that holds": {enough("recovery: {chains: {auth: {steps: [{strategy: retry}]}}}"),
			[]string{"recovery.chains.auth: never has an effect: class ambient holds the target before any chain"}},
		"quota has a chain": {enough("recovery: {chains: {quota_exhausted: {then: block}}}"), nil},
		"steps of a chain that is off": {enough("recovery: {chains: {network: {enabled: false, steps: [{strategy: retry}]}}}"),
			[]string{"recovery.chains.network.steps: never has an effect: the chain is switched off"}},
		"a fallback without a second model": {enough("recovery: {chains: {network: {steps: [{strategy: fallback_model}]}}}"),
			[]string{"recovery.chains.network.steps[0]: never has an effect: generator.models has no second model"}},
		"a fallback with two models": {enough("generator: {models: [a, b]}\nrecovery: {chains: {network: {steps: [{strategy: fallback_model}]}}}"), nil},
		"continue without resume": {enough("recovery: {chains: {turn_limit: {steps: [{strategy: continue}]}}}"),
			[]string{"recovery.chains.turn_limit.steps[0]: never has an effect: generator.resume is false"}},
		"continue where the adapter may resume": {enough("generator: {adapter: codex}\nrecovery: {chains: {turn_limit: {steps: [{strategy: continue}]}}}"), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, faults := Parse("/repo/loop.yaml", []byte(tt.data))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			var got []string
			for _, w := range c.Warnings() {
				got = append(got, w.Field+": "+w.Msg)
				if !w.Warning || w.Line < 1 {
					t.Errorf("warning %+v is not marked so, or has no place", w)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Warnings differ (-want +got):\n%s", diff)
			}
		})
	}
}
