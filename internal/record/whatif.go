package record

import (
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// What another policy would have made of a task, as far as its record tells.
const (
	SameEnd    = "same"         // every decision would have been the same
	EndsSooner = "ends_sooner"  // it would have ended there
	EndsOther  = "ends_other"   // it ended there, and would have in another way
	GoesOn     = "goes_on"      // it ended there, and would have gone on
	OtherWay   = "another_way"  // it went on, and would have gone on in another way
	Unfinished = "not_finished" // the same so far, but the task has not ended
)

// A WhatIf is the first point at which a task would have gone another way under
// another policy. Of what would have come after it no record can tell.
type WhatIf struct {
	TaskID  string        `json:"task_id"`
	Outcome string        `json:"outcome"`
	Ended   task.Decision `json:"ended,omitempty"`
	Reason  task.Reason   `json:"reason,omitempty"` // of its end

	Round    int    `json:"round,omitempty"`
	Try      int    `json:"try,omitempty"`
	Recorded string `json:"recorded,omitempty"`
	Derived  string `json:"derived,omitempty"`

	// Tries and Cost came after that point. They would have been saved where the
	// task ends sooner; else nobody knows.
	Tries int           `json:"tries"`
	Cost  unit.Money    `json:"cost_usd"`
	Added int           `json:"tries_added_at_least,omitempty"`
	Delay unit.Duration `json:"delay,omitempty"` // how much longer the waits up to there would have been
}

// Compare derives the decisions of a journal anew under p, with the limits that
// a person raised for the task raised in p as well.
func Compare(h History, p round.Policy) WhatIf {
	w := WhatIf{TaskID: h.State.Task.ID, Outcome: SameEnd}
	if h.State.Next == round.End {
		w.Ended, w.Reason = h.State.Decision.Kind, h.State.Decision.Reason
	} else {
		w.Outcome = Unfinished
	}
	events := make([]round.Event, len(h.Lines))
	for i, l := range h.Lines {
		events[i] = l.Event
	}
	fork, forked := round.Under(events, h.State.Claimed.FollowUp.Raise(p))
	if w.Delay = fork.Delay; !forked {
		return w
	}
	before := round.Fold(events[:fork.At])
	w.Round, w.Try = before.Round, before.Tries
	w.Recorded, w.Derived, w.Outcome = way(fork.Recorded), way(fork.Derived), outcome(fork)
	for _, e := range events[fork.At:] {
		w.follows(e)
	}
	if w.Outcome == GoesOn && (fork.Derived == nil || fork.Derived.Kind == task.Retry) {
		w.Added = 1
	}
	return w
}

func (w *WhatIf) follows(e round.Event) {
	switch e.Kind {
	case round.Start:
		w.Tries++
	case round.Generate:
		if e.Try.Cost != nil {
			w.Cost += *e.Try.Cost
		}
	}
}

// outcome says what a fork means for the end of the task.
func outcome(f round.Fork) string {
	recorded, derived := f.Recorded != nil && f.Recorded.Ends(), f.Derived != nil && f.Derived.Ends()
	switch {
	case derived && recorded:
		return EndsOther
	case derived:
		return EndsSooner
	case recorded:
		return GoesOn
	}
	return OtherWay
}

// way says in a few words what a decision leads to.
func way(d *round.Decision) string {
	switch {
	case d == nil:
		return "start"
	case d.Strategy != "":
		return string(d.Kind) + " " + string(d.Strategy)
	}
	return string(d.Kind) + " " + string(d.Reason)
}
