package round

import (
	"encoding/json"
	"slices"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// Consulted is what a command of loop.yaml said of how to go on: a strategy of
// the user's own, or the summarizer. It is on record before it is used. It
// chooses how to go on, never success.
type Consulted struct {
	Status  string          `json:"status"` // retry, next_strategy, abort; "" with a Fault
	Delay   unit.Duration   `json:"delay,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Inject  string          `json:"inject,omitempty"`  // the last block of the next prompt
	Request json.RawMessage `json:"request,omitempty"` // members for the next request.json
	Fault   string          `json:"fault,omitempty"`   // why its word does not count
	Output  File            `json:"output,omitzero"`
}

// What a strategy's command may answer.
const (
	GoOn         = "retry"
	NextStrategy = "next_strategy"
	GiveUp       = "abort"
)

// consults reports a step that a command has to be asked about first.
func (s State) consults(d Decision) bool {
	_, own := s.Policy.Strategies[d.Strategy]
	return own || d.Strategy == recovery.Summarize && len(s.Policy.Summarizer) > 0
}

// consulted goes on as the command said. One that failed is passed over, and so
// is one that hands on to the next strategy, or asks for a wait that is too long; a summarizer that failed is made
// up for by looprun's own digest.
func (s State) consulted(c Consulted) State {
	s.Consulted = &c
	d := s.Decision
	switch {
	case c.Fault != "" && d.Strategy == recovery.Summarize:
		return s.going(d)
	case c.Status == GoOn && c.Fault == "" && !s.beyond(c.Delay):
		d.Delay = c.Delay
		if d.Delay > 0 {
			d.NotBefore = s.Now.Add(d.Delay.Std())
		}
		s.NotBefore = d.NotBefore
		s = s.going(d)
		if c.Inject != "" {
			s.Request.Inject = c.Inject
		}
		s.Request.Extra = c.Request
		return s
	}
	s.PassedOver = append(slices.Clone(s.PassedOver), d.Strategy)
	s.Next = Decide
	return s
}

// beyond reports a wait that no budget covers. A command can ask for no more
// than a chain may.
func (s State) beyond(delay unit.Duration) bool {
	return delay > 0 && (delay > s.Policy.Backoff.MaxWait || !s.Now.Add(delay.Std()).Before(s.Deadline()))
}

// gaveUp reports that a strategy's command ended the chain.
func (s State) gaveUp() bool {
	return s.Consulted != nil && s.Consulted.Fault == "" && s.Consulted.Status == GiveUp
}

// abort ends the chain with the words of the step, or of the command.
func (v view) abort() Decision {
	d := v.stop("chain", task.Blocked, task.RecoveryAborted)
	d.Detail = or(v.found.step.Message, d.Detail)
	if v.gaveUp() {
		d.Detail = or(v.Consulted.Reason, d.Detail)
	}
	return d
}
