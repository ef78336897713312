package record

import (
	"strconv"
	"time"

	"looprun.dev/looprun/internal/round"
)

// A Trace is the id, in the form of W3C Trace Context, under which all is told
// that happens to a task from its claim to its end: in events.jsonl, to its
// generators, and in what is exported afterwards. It follows from the record,
// so that it is the same whoever works it out, and whenever.
type Trace string

// TraceOf is the trace of a task that was claimed.
func TraceOf(s round.State) Trace {
	return Trace(Digest([]byte(s.Task.ID + "\x00" + s.Claimed.At.UTC().Format(time.RFC3339Nano)))[:32])
}

// span is the id of a part of the trace.
func (t Trace) span(name string) string { return Digest([]byte(string(t) + "\x00" + name))[:16] }

// TaskSpan is the id of the whole task's span.
func (t Trace) TaskSpan() string { return t.span("task") }

// PartSpan is the id of the span of one part of the task, as its journal has it:
// the line seq.
func (t Trace) PartSpan(seq int) string { return t.span("line " + strconv.Itoa(seq)) }

// TrySpan is the id of the span of try n: what a generator traces is below it.
func (t Trace) TrySpan(n int) string { return t.span("try " + strconv.Itoa(n)) }

// Parent is a traceparent header that makes try n the parent of whatever reads it.
func (t Trace) Parent(n int) string { return "00-" + string(t) + "-" + t.TrySpan(n) + "-01" }
