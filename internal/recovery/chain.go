package recovery

import (
	"fmt"
	"math"
	"slices"

	"looprun.dev/looprun/internal/unit"
)

// Unbounded is the budget of a step that only the task's own rounds or tries
// bound.
const Unbounded = math.MaxInt32

// A Step is one link of a chain. Max is its budget in a task: how often it may
// be used, over all rounds.
type Step struct {
	Strategy Strategy      `json:"strategy"`
	Max      int           `json:"max"`
	Base     unit.Duration `json:"base,omitempty"` // the wait's own base, factor and cap; zero: recovery.backoff
	Factor   float64       `json:"factor,omitempty"`
	Cap      unit.Duration `json:"cap,omitempty"`
	Text     string        `json:"text,omitempty"`    // remind: the block to add
	Message  string        `json:"message,omitempty"` // abort: what the person is told
	Ratio    float64       `json:"ratio,omitempty"`   // truncate
	Floor    int           `json:"floor,omitempty"`   // truncate, bytes
}

// Then is what follows when a chain is used up.
type Then string

// The ends of a chain.
const (
	ThenBlock  Then = "block"
	ThenHold   Then = "hold"
	ThenReplan Then = "replan" // in mode split
)

// A Chain is the ordered answer to one category.
type Chain struct {
	Disabled bool   `json:"disabled,omitempty"` // straight to Then
	Steps    []Step `json:"steps"`
	Then     Then   `json:"then"`
}

// DefaultChains is the answer to each category that has one. The caller owns
// the result: every call makes it anew.
func DefaultChains() map[Category]Chain {
	step := func(s Strategy, max int) Step { return Step{Strategy: s, Max: max} }
	fallback := step(FallbackModel, 1)
	chains := map[Category]Chain{
		RateLimited:        chain(ThenBlock, step(RetryStep, 5), fallback),
		Overloaded:         chain(ThenBlock, step(RetryStep, 3), fallback),
		Network:            chain(ThenBlock, step(RetryStep, 3), fallback),
		ContextWindow:      chain(ThenReplan, step(Compact, 1), step(Truncate, 3), step(Summarize, 1), fallback),
		OutputTruncated:    chain(ThenReplan, step(Continue, 3), step(Summarize, 1)),
		TurnLimit:          chain(ThenReplan, step(Continue, 2)),
		JSONError:          chain(ThenBlock, step(Remind, 2), fallback),
		EditError:          chain(ThenBlock, step(Remind, 2), fallback),
		EmptyResponse:      chain(ThenBlock, step(Remind, 1), fallback),
		ToolPair:           chain(ThenBlock, step(RetryStep, 1)),
		VerificationFailed: chain(ThenBlock, step(Replan, Unbounded)),
		Timeout:            chain(ThenReplan, step(Continue, 1), step(Summarize, 1)),
		Stalled:            chain(ThenBlock, step(RetryStep, 1), step(Continue, 1)),
		SessionLost:        chain(ThenBlock, step(RetryStep, 1)),
		Crashed:            chain(ThenBlock, step(RetryStep, 2), fallback),
		Interrupted:        chain(ThenBlock, step(RetryStep, Unbounded)),
		QuotaExhausted:     chain(ThenHold, fallback),
		InvalidRequest:     chain(ThenBlock),
		Unknown:            chain(ThenBlock, step(RetryStep, 1)),
	}
	for _, m := range members {
		for _, c := range m.categories {
			if m.class == Guard {
				chains[c] = chain(ThenBlock)
			}
		}
	}
	return chains
}

func chain(then Then, steps ...Step) Chain { return Chain{Steps: steps, Then: then} }

// A ChainFault is one thing wrong in a user's chain. Step counts from 0; it is
// -1 when the fault is the chain's own. Field is the name in loop.yaml.
type ChainFault struct {
	Step  int
	Field string
	Msg   string
}

// Error names the step, the field and what is wrong.
func (f ChainFault) Error() string {
	if f.Step < 0 {
		return fmt.Sprintf("%s: %s", f.Field, f.Msg)
	}
	return fmt.Sprintf("steps[%d].%s: %s", f.Step, f.Field, f.Msg)
}

// CheckChain returns every fault of a chain from loop.yaml that answers c.
// defined are the x- strategies that loop.yaml has. An unknown strategy is a
// fault, not something to skip: a mistyped name must not weaken the recovery of
// a whole night.
func CheckChain(c Category, ch Chain, defined []Strategy) []ChainFault {
	var faults []ChainFault
	if !KnownCategory(c) {
		msg := fmt.Sprintf("unknown category %q", c)
		if near := nearest(string(c), Categories()); near != "" {
			msg += fmt.Sprintf(", did you mean %q", near)
		}
		faults = append(faults, ChainFault{-1, "category", msg})
	}
	if !slices.Contains([]Then{ThenBlock, ThenHold, ThenReplan}, ch.Then) {
		faults = append(faults, ChainFault{-1, "then", fmt.Sprintf("unknown end %q: use block, hold or replan", ch.Then)})
	}
	for i, step := range ch.Steps {
		for _, f := range step.check(defined) {
			faults = append(faults, ChainFault{i, f.Field, f.Msg})
		}
		if step.Strategy == Abort && i != len(ch.Steps)-1 {
			faults = append(faults, ChainFault{i, "strategy", "no step after abort can ever be used"})
		}
	}
	return faults
}

// check returns the faults of one step; their Step is not set.
func (s Step) check(defined []Strategy) []ChainFault {
	var faults []ChainFault
	fault := func(wrong bool, field, msg string) {
		if wrong {
			faults = append(faults, ChainFault{Field: field, Msg: msg})
		}
	}
	if !s.Strategy.builtin() && !(s.Strategy.custom() && slices.Contains(defined, s.Strategy)) {
		fault(true, "strategy", unknownStrategy(s.Strategy, defined).Error())
		return faults
	}
	waits := s.Strategy == RetryStep || s.Strategy.custom()
	fault(s.Max < 1, "max", "must be at least 1")
	fault(s.Base < 0, "base", "must be above zero")
	fault(s.Cap < 0, "cap", "must be above zero")
	fault(s.Base > 0 && s.Cap > 0 && s.Base > s.Cap, "base", "must not be above cap")
	fault(s.Factor != 0 && !(s.Factor >= 1 && s.Factor <= 100), "factor", "must be from 1 to 100")
	fault(!waits && s.Base != 0, "base", "is for strategies that wait")
	fault(!waits && s.Cap != 0, "cap", "is for strategies that wait")
	fault(!waits && s.Factor != 0, "factor", "is for strategies that wait")
	fault(s.Ratio != 0 && !(s.Ratio > 0 && s.Ratio < 1), "ratio", "must be between 0 and 1")
	fault(s.Floor < 0, "floor", "must be above zero")
	fault(s.Strategy != Truncate && s.Ratio != 0, "ratio", "is for truncate")
	fault(s.Strategy != Truncate && s.Floor != 0, "floor", "is for truncate")
	fault(s.Strategy != Remind && s.Text != "", "text", "is for remind")
	fault(s.Strategy != Abort && s.Message != "", "message", "is for abort")
	return faults
}
