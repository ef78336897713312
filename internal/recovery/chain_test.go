package recovery

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const defaultChains = `
rate_limited: retry (5), fallback_model (1); then block
overloaded: retry (3), fallback_model (1); then block
network: retry (3), fallback_model (1); then block
context_window: compact (1), truncate (3), summarize (1), fallback_model (1); then replan
output_truncated: continue (3), summarize (1); then replan
turn_limit: continue (2); then replan
json_error: remind (2), fallback_model (1); then block
empty_response: remind (1), fallback_model (1); then block
edit_error: remind (2), fallback_model (1); then block
tool_pair: retry (1); then block
verification_failed: replan; then block
boundary_violation: -; then block
secret_detected: -; then block
tampered: -; then block
timeout: continue (1), summarize (1); then replan
stalled: retry (1), continue (1); then block
crashed: retry (2), fallback_model (1); then block
session_lost: retry (1); then block
interrupted: retry; then block
quota_exhausted: fallback_model (1); then hold
invalid_request: -; then block
unknown: retry (1); then block
`

func TestDefaultChains(t *testing.T) {
	chains, seen := DefaultChains(), 0
	var b strings.Builder
	for _, c := range Categories() {
		if ch, ok := chains[c]; ok {
			fmt.Fprintf(&b, "\n%s: %s; then %s", c, written(ch), ch.Then)
			seen++
		}
	}
	if diff := cmp.Diff(b.String()+"\n", defaultChains); diff != "" {
		t.Errorf("default chains (-got +want):\n%s", diff)
	}
	if seen != len(chains) {
		t.Errorf("%d chains are of no category", len(chains)-seen)
	}
}

func written(ch Chain) string {
	var steps []string
	for _, s := range ch.Steps {
		if s.Max == Unbounded {
			steps = append(steps, string(s.Strategy))
		} else {
			steps = append(steps, fmt.Sprintf("%s (%d)", s.Strategy, s.Max))
		}
	}
	if steps == nil {
		return "-"
	}
	return strings.Join(steps, ", ")
}

func TestDefaultChainsHaveNoFaultAndAreTheCallers(t *testing.T) {
	for c, ch := range DefaultChains() {
		if faults := CheckChain(c, ch, nil); faults != nil {
			t.Errorf("CheckChain(%s) = %v; want none", c, faults)
		}
	}
	DefaultChains()[Network].Steps[0].Max = 99
	if got := DefaultChains()[Network].Steps[0].Max; got != 3 {
		t.Errorf("a caller's change shows in the next caller's chain: max %d; want 3", got)
	}
}

func TestFaultsOfUserChains(t *testing.T) {
	step := func(s Strategy, change func(*Step)) Chain {
		st := Step{Strategy: s, Max: 1}
		change(&st)
		return Chain{Steps: []Step{st}, Then: ThenBlock}
	}
	for name, test := range map[string]struct {
		category Category
		chain    Chain
		defined  []Strategy
		want     string
	}{
		"sound":                      {Network, Chain{Steps: []Step{{Strategy: RetryStep, Max: 9, Base: 1, Factor: 3, Cap: 5}, {Strategy: Abort, Max: 1, Message: "stop"}}, Then: ThenBlock}, nil, ""},
		"switched off":               {Network, Chain{Disabled: true, Then: ThenHold}, nil, ""},
		"an own strategy":            {Network, step("x-page", func(s *Step) { s.Base = 1 }), []Strategy{"x-page"}, ""},
		"an own one not defined":     {Network, step("x-pag", func(*Step) {}), []Strategy{"x-page"}, `steps[0].strategy: unknown strategy "x-pag", did you mean "x-page"`},
		"a mistyped strategy":        {Network, step("remiind", func(*Step) {}), nil, `steps[0].strategy: unknown strategy "remiind", did you mean "remind"`},
		"a mistyped category":        {"overload", step(RetryStep, func(*Step) {}), nil, `category: unknown category "overload", did you mean "overloaded"`},
		"an unknown end":             {Network, Chain{Then: "giveup"}, nil, `then: unknown end "giveup": use block, hold or replan`},
		"no budget":                  {Network, step(RetryStep, func(s *Step) { s.Max = 0 }), nil, "steps[0].max: must be at least 1"},
		"a factor that shrinks":      {Network, step(RetryStep, func(s *Step) { s.Factor = 0.5 }), nil, "steps[0].factor: must be from 1 to 100"},
		"a factor that is no number": {Network, step(RetryStep, func(s *Step) { s.Factor = math.NaN() }), nil, "steps[0].factor: must be from 1 to 100"},
		"a base above the cap":       {Network, step(RetryStep, func(s *Step) { s.Base, s.Cap = 9, 3 }), nil, "steps[0].base: must not be above cap"},
		"a wait without waiting":     {Network, step(Remind, func(s *Step) { s.Base = 1 }), nil, "steps[0].base: is for strategies that wait"},
		"a ratio of one":             {ContextWindow, step(Truncate, func(s *Step) { s.Ratio = 1 }), nil, "steps[0].ratio: must be between 0 and 1"},
		"a ratio for another":        {ContextWindow, step(Summarize, func(s *Step) { s.Ratio = 0.5 }), nil, "steps[0].ratio: is for truncate"},
		"a text for another":         {Network, step(RetryStep, func(s *Step) { s.Text = "now" }), nil, "steps[0].text: is for remind"},
		"a message for another":      {Network, step(RetryStep, func(s *Step) { s.Message = "now" }), nil, "steps[0].message: is for abort"},
		"a step after abort":         {Network, Chain{Steps: []Step{{Strategy: Abort, Max: 1}, {Strategy: RetryStep, Max: 1}}, Then: ThenBlock}, nil, "steps[0].strategy: no step after abort can ever be used"},
		"two faults at once":         {Network, step(RetryStep, func(s *Step) { s.Max, s.Text = -1, "now" }), nil, "steps[0].max: must be at least 1; steps[0].text: is for remind"},
	} {
		var said []string
		for _, f := range CheckChain(test.category, test.chain, test.defined) {
			said = append(said, f.Error())
		}
		if got := strings.Join(said, "; "); got != test.want {
			t.Errorf("%s: faults are %q; want %q", name, got, test.want)
		}
	}
}
