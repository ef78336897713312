package telemetry

import (
	"fmt"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// Trace renders a task that has ended as spans: the task, and in it each step
// of its journal that took time. A try is the span that its generator was given
// as parent, in the words of the conventions for generative AI. Goals, prompts,
// outputs and answers are in no span.
func Trace(h record.History) []Span {
	t := &tracing{trace: record.TraceOf(h.State)}
	for _, l := range h.Lines {
		t.add(l)
	}
	return append([]Span{t.whole(h)}, t.spans...)
}

// A tracing is a trace under way.
type tracing struct {
	trace   record.Trace
	state   round.State
	spans   []Span
	moments []Moment
	begun   time.Time // of the claim
	last    time.Time // when the last step was over
}

func (t *tracing) add(l record.Line) {
	t.state = t.state.Apply(l.Event)
	switch l.Kind {
	case round.Claim:
		t.begun = l.At
	case round.Generate:
		t.try(l)
	case round.Decide:
		t.decided(l)
	case round.Preflight, round.Verify, round.Wait, round.Consult, round.Observe, round.Compensate, round.Land:
		t.step(l)
	}
	t.last = l.At
}

// whole is the span of the task, from its claim to its finish.
func (t *tracing) whole(h record.History) Span {
	s := h.State
	var a attributes
	a.text("looprun.task.id", s.Task.ID)
	a.text("looprun.decision", string(s.Decision.Kind))
	a.text("looprun.reason", string(s.Decision.Reason))
	a.text("looprun.rule", s.Decision.Rule)
	a.text("looprun.commit", s.Landed.Commit)
	a.text("looprun.chain_head", h.Head)
	a.integer("looprun.rounds", int64(s.Round))
	a.integer("looprun.tries", int64(s.Tries))
	span := t.span("task "+s.Task.ID, t.trace.TaskSpan(), "", t.begun, t.last, a)
	span.Events = t.moments
	if span.Status.Code = statusOK; s.Decision.Kind != task.Completed {
		span.Status = Status{statusError, string(s.Decision.Reason)}
	}
	return span
}

// try is a start of the generator. The conventions call it the invocation of
// an agent.
func (t *tracing) try(l record.Line) {
	try := l.Try
	var a attributes
	a.text("gen_ai.operation.name", "invoke_agent")
	a.text("gen_ai.request.model", try.Model)
	a.text("gen_ai.conversation.id", try.SessionID)
	if u := try.Usage; u != nil {
		a.integer("gen_ai.usage.input_tokens", u.Input)
		a.integer("gen_ai.usage.output_tokens", u.Output)
		a.integer("gen_ai.usage.cache_read.input_tokens", u.CacheRead)
		a.integer("gen_ai.usage.cache_creation.input_tokens", u.CacheWrite)
	}
	if try.Cost != nil {
		a.number("looprun.cost_usd", float64(*try.Cost)/1e6)
	}
	a.integer("looprun.round", int64(t.state.Round))
	a.integer("looprun.try", int64(try.N))
	a.text("looprun.strategy", string(try.Strategy))
	a.text("looprun.ended", try.Ended)
	a.integer("looprun.changed_files", int64(len(try.Candidate.Changed)))
	span := t.span("invoke_agent", t.trace.TrySpan(try.N), t.trace.TaskSpan(), try.Started, try.Started.Add(time.Duration(try.DurationMS)*time.Millisecond), a)
	if c := try.Failure.Category; c != "" && c != recovery.None {
		span.failed(string(c))
	}
	t.spans = append(t.spans, span)
}

// step is what looprun did itself since the step before. What belongs to a
// round names it.
func (t *tracing) step(l record.Line) {
	var a attributes
	if t.state.Round > 0 {
		a.integer("looprun.round", int64(t.state.Round))
	}
	span := t.span(string(l.Kind), t.trace.PartSpan(l.Seq), t.trace.TaskSpan(), t.last, l.At, nil)
	switch l.Kind {
	case round.Preflight:
		span.blame(string(l.Preflight.Reason))
	case round.Verify:
		span.judged(*l.Evidence, &a)
	case round.Land:
		a.text("looprun.land.mode", l.Landed.Mode)
		a.text("looprun.commit", l.Landed.Commit)
		span.blame(string(l.Landed.Reason))
	}
	span.Attributes = append(a, span.Attributes...)
	t.spans = append(t.spans, span)
}

// judged tells of each check as of a moment: only its duration is on record.
func (s *Span) judged(e round.Evidence, a *attributes) {
	accepted := len(e.Boundary) == 0
	for _, c := range e.Checks {
		accepted = accepted && c.Passed
		var m attributes
		m.text("looprun.profile", c.Profile)
		m.truth("looprun.passed", c.Passed)
		m.integer("looprun.exit_code", int64(c.ExitCode))
		m.integer("looprun.duration_ms", c.DurationMS)
		s.Events = append(s.Events, Moment{At: s.End, Name: "check", Attributes: m})
	}
	a.truth("looprun.accepted", accepted)
	if !accepted {
		s.failed("not_accepted")
	}
}

func (t *tracing) decided(l record.Line) {
	d := l.Decision
	var a attributes
	a.text("looprun.decision", string(d.Kind))
	a.text("looprun.reason", string(d.Reason))
	a.text("looprun.rule", d.Rule)
	a.text("looprun.strategy", string(d.Strategy))
	a.text("looprun.failure_signature", d.Signature.Hash)
	t.moments = append(t.moments, Moment{At: nano(l.At), Name: fmt.Sprintf("decision %s", d.Kind), Attributes: a})
}

// span never ends before it begins, whatever the clock did meanwhile.
func (t *tracing) span(name, id, parent string, from, to time.Time, a attributes) Span {
	if to.Before(from) {
		to = from
	}
	return Span{Trace: string(t.trace), ID: id, Parent: parent, Name: name, Kind: kindInternal, Start: nano(from), End: nano(to), Attributes: a}
}

func (s *Span) blame(reason string) {
	if reason != "" {
		s.failed(reason)
	}
}

func (s *Span) failed(kind string) {
	s.Status = Status{statusError, kind}
	var a attributes
	a.text("error.type", kind)
	s.Attributes = append(s.Attributes, a...)
}
