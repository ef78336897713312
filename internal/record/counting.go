package record

import (
	"slices"
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// counting walks through one journal and adds to the tally what its lines say.
type counting struct {
	tally  *Tally
	since  time.Time
	counts bool // the line at hand is to be counted
	state  round.State

	step     *step // the last one, until the try after it was answered
	answered bool  // the decision about the try, or the verdict, was counted
	charged  int   // the tries that were booked
	used     []use
}

// A step is one use of a strategy whose outcome is not known yet.
type step struct {
	category  recovery.Category
	strategy  recovery.Strategy
	signature string
	repeated  bool // it had been used on this very failure before
	counts    bool
}

type use struct {
	strategy  recovery.Strategy
	signature string
}

func (c *counting) add(l Line) {
	switch l.Kind {
	case round.Claim:
		c.count(func(t *Tally) { t.Tasks[Claims]++ })
	case round.Generate:
		c.answered = false
		c.count(func(t *Tally) { t.tried(*l.Try) })
	case round.Preflight:
		c.answered = false
	case round.Verify:
		c.answered = false
		c.count(func(t *Tally) { t.verified(*l.Evidence) })
	case round.Decide:
		c.decided(*l.Decision, l.At)
	case round.Finish:
		c.count(func(t *Tally) { t.ended(c.state) })
	}
	c.state = c.state.Apply(l.Event)
}

func (c *counting) count(f func(*Tally)) {
	if c.counts {
		f(c.tally)
	}
}

func (t *Tally) tried(try round.Try) {
	t.Tries++
	f := try.Failure
	if f.Category == "" || f.Category == recovery.None {
		return
	}
	t.FailedOnes++
	if f.Rule != "" {
		t.Rules[f.Rule]++
	}
	if !f.Retryable {
		t.Hopeless++
	}
}

func (t *Tally) verified(e round.Evidence) {
	red := map[string]bool{}
	for _, c := range e.Checks {
		red[c.Profile] = red[c.Profile] || !c.Passed
	}
	for name, failed := range red {
		colours := entry(t.Profiles, name)
		colours.Runs++
		if failed {
			colours.Red++
		}
	}
}

func (t *Tally) ended(s round.State) {
	t.Tasks[string(s.Decision.Kind)]++
	t.Stops[s.Decision.Reason]++
	if s.Decision.Kind == task.Completed {
		t.Needed[s.Tries]++
	}
}

// entry is the element of a map of pointers, made if it is missing.
func entry[K comparable, V any](m map[K]*V, key K) *V {
	if m[key] == nil {
		m[key] = new(V)
	}
	return m[key]
}

// decided counts a decision, and what it says of the step before it. Asking
// what happened outside, and a start that was refused, answer no try.
func (c *counting) decided(d round.Decision, at time.Time) {
	c.count(func(t *Tally) { t.Decisions[d.Rule]++ })
	if c.state.Next != round.Start && d.Kind != task.Observe && d.Kind != task.Compensate {
		c.answer(d)
	}
	if d.Kind == task.Retry {
		c.took(d, at)
	}
}

// answer counts what a try came to, once: a decision may be taken anew after a
// command was asked.
func (c *counting) answer(d round.Decision) {
	if c.answered {
		return
	}
	c.answered = true
	c.count(func(t *Tally) {
		if d.Category != "" {
			t.Failures[d.Category]++
		}
		switch {
		case d.Reason == task.RecoveryAborted:
			t.Aborted++
		case d.Rule == "used_up":
			t.Exhausted++
		}
		if c.state.Tries > c.charged {
			t.charge(d, c.state.Try)
		}
	})
	c.charged = c.state.Tries
	if c.step != nil && d.Category != recovery.Interrupted {
		c.resolve(*c.step, d)
		c.step = nil
	}
}

// charge books a try under what it came to.
func (t *Tally) charge(d round.Decision, try round.Try) {
	key := string(d.Category)
	switch {
	case d.Kind == task.Completed:
		key = "passed"
	case key == "":
		key = string(recovery.None)
	}
	entry(t.Costs, key).charge(try)
}

// resolve counts the outcome of a step.
func (c *counting) resolve(s step, d round.Decision) {
	if !c.counts || !s.counts {
		return
	}
	passed, again := d.Kind == task.Completed, d.Category == s.category
	same := again && d.Signature.Hash == s.signature
	for _, o := range c.tally.outcomes(s) {
		switch {
		case passed:
			o.Passed++
		case same:
			o.Same++
		default:
			o.Changed++
		}
		if !again {
			o.Successes++
		}
	}
	if !again {
		c.tally.Recovered++
	}
	if same && s.repeated {
		c.tally.Repeats++
	}
}

// outcomes are the three places in which a step is counted.
func (t *Tally) outcomes(s step) []*Outcomes {
	if t.Recoveries[s.category] == nil {
		t.Recoveries[s.category] = map[recovery.Strategy]*Outcomes{}
	}
	return []*Outcomes{entry(t.ByCategory, s.category), entry(t.ByStrategy, s.strategy), entry(t.Recoveries[s.category], s.strategy)}
}

// took counts the use of a strategy. Its outcome is counted if it is itself
// within the time that is looked at.
func (c *counting) took(d round.Decision, at time.Time) {
	u := use{d.Strategy, d.Signature.Hash}
	c.step = &step{
		category: d.Category, strategy: d.Strategy, signature: d.Signature.Hash,
		repeated: u.signature != "" && slices.Contains(c.used, u), counts: !at.Before(c.since),
	}
	c.used = append(c.used, u)
	c.count(func(t *Tally) {
		t.Steps++
		for _, o := range t.outcomes(*c.step) {
			o.Attempts++
		}
	})
}
