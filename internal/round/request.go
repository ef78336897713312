package round

import (
	"fmt"
	"strings"

	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
)

// next is the request that d asks for. Only retry leaves it as it was, so that
// the generator is given the same bytes again, unless it goes back to the first
// model.
func (s State) next(d Decision) Request {
	t := s.traits(d.Strategy, d.Category)
	r := s.Request
	r.Round, r.Probe, r.Repeat = s.Round, false, d.Strategy == recovery.RetryStep && !d.NewRound
	r.Resume, r.Reset = s.session(t.Session), t.ResetTree || d.NewRound
	if d.Back { // a session of another model can't be gone on with
		r.Model, r.Resume = s.Policy.Models[0], ""
	}
	if r.Repeat {
		return r
	}
	r.Strategy, r.Mode, r.Why = d.Strategy, d.Mode, string(d.Reason)
	r.Use = uses(s.Used, d.Category, d.Strategy)
	r.Failure, r.Detail, r.Inject = d.Category, d.Detail, s.inject(d)
	r.Plan = s.round().Plan
	switch d.Strategy {
	case recovery.Truncate:
		r = r.cut(d.Step)
	case recovery.FallbackModel:
		r.Model = s.Policy.Models[s.Model]
	}
	return r
}

// The least that truncate leaves of an input, and what it cuts to each time,
// where loop.yaml says nothing.
const (
	leastInput = 500
	half       = 0.5
)

// cut is r with each of looprun's own inputs shorter than before.
func (r Request) cut(step recovery.Step) Request {
	if r.Share == 0 {
		r.Share = 1
	}
	ratio := step.Ratio
	if ratio == 0 {
		ratio = half
	}
	r.Share, r.Floor = r.Share*ratio, step.Floor
	if r.Floor == 0 {
		r.Floor = leastInput
	}
	r.Inject = fmt.Sprintf("%s\nEach part is cut to %.3g of its length, and to no less than %d bytes.", recovery.ShorterText, r.Share, r.Floor)
	return r
}

// session is what the next start resumes, "" for a fresh one.
func (s State) session(want recovery.Session) string {
	switch want {
	case recovery.SessionAsBefore:
		return s.Request.Resume
	case recovery.SessionResume:
		return s.Session
	case recovery.SessionResumeOrFresh:
		if s.Policy.Resume {
			return s.Session
		}
	}
	return ""
}

// traits are those of a strategy that answers c: built in, or the tags that
// loop.yaml gives it.
func (s State) traits(st recovery.Strategy, c recovery.Category) recovery.Traits {
	if own, ok := s.Policy.Strategies[st]; ok {
		traits, _ := recovery.ParseTags(own.Tags) // faults were told when loop.yaml was read
		return traits
	}
	return st.Traits(c)
}

// newEvidence is what the round under way showed that the one before it did
// not know. No detail of a hidden check is in it.
func (s State) newEvidence(d Decision) plan.Evidence {
	e := plan.Evidence{FailureSignature: d.Signature.Hash}
	if s.Judged {
		visible := s.Evidence.Visible()
		for _, b := range visible.BoundaryErrors {
			e.BoundaryErrors = append(e.BoundaryErrors, plan.BoundaryError(b))
		}
		for _, c := range s.Evidence.Checks {
			if !c.Passed && !c.Hidden {
				e.FailedCommands = append(e.FailedCommands, failedCommand(c.Check))
			}
		}
	}
	for _, p := range s.round().Tries {
		if f := p.Try.Failure; failed(f) {
			e.GeneratorFailures = append(e.GeneratorFailures, plan.GeneratorFailure{
				Try: p.Try.N, Category: string(f.Category), Detail: f.Detail,
			})
		}
	}
	return e
}

// LastEvidence is what the last round of a task that ended showed, for a task
// that follows it up.
func (s State) LastEvidence() plan.Evidence { return s.newEvidence(s.Decision) }

func failedCommand(c signature.Check) plan.FailedCommand {
	f := plan.FailedCommand{Argv: c.Argv, ExitCode: c.ExitCode, Signal: c.Signal, Failures: []plan.Failure{}}
	for _, one := range c.Failures {
		f.Failures = append(f.Failures, plan.Failure(one))
	}
	return f
}

// approach says in a line what a round did: in the generator's own words, else
// by what it changed.
func (r Round) approach() string {
	if len(r.Tries) == 0 {
		return ""
	}
	t := r.Tries[len(r.Tries)-1].Try
	if text := or(t.Approach, t.Summary); text != "" {
		return clip(text)
	}
	if len(t.Candidate.Changed) == 0 {
		return "changed nothing"
	}
	var paths []string
	for _, c := range t.Candidate.Changed {
		paths = append(paths, c.Path)
	}
	how := ""
	if t.Strategy != "" {
		how = fmt.Sprintf(" (%s)", t.Strategy)
	}
	return clip("changed " + strings.Join(paths, ", ") + how)
}
