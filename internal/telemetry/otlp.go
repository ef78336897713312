package telemetry

import (
	"strconv"
	"time"
)

// The JSON form of OTLP, as far as it is sent: ids are hexadecimal, times and
// integers are strings.

// A Request is the body of one export of traces.
type Request struct {
	ResourceSpans []ResourceSpans `json:"resourceSpans"`
}

// ResourceSpans are the spans of one looprun.
type ResourceSpans struct {
	Resource   Resource     `json:"resource"`
	ScopeSpans []ScopeSpans `json:"scopeSpans"`
}

// A Resource says what the spans are of.
type Resource struct {
	Attributes []Attribute `json:"attributes"`
}

// ScopeSpans are the spans that one library made: this one.
type ScopeSpans struct {
	Scope Scope  `json:"scope"`
	Spans []Span `json:"spans"`
}

// A Scope names a library.
type Scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// A Span is something that took time.
type Span struct {
	Trace      string      `json:"traceId"`
	ID         string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []Attribute `json:"attributes,omitempty"`
	Events     []Moment    `json:"events,omitempty"`
	Status     Status      `json:"status"`
}

// A Moment is something that happened in a span.
type Moment struct {
	At         string      `json:"timeUnixNano"`
	Name       string      `json:"name"`
	Attributes []Attribute `json:"attributes,omitempty"`
}

// A Status is how a span ended.
type Status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// The numbers of the protocol.
const (
	kindInternal = 1
	statusOK     = 1
	statusError  = 2
)

// An Attribute is a key with its value.
type Attribute struct {
	Key   string `json:"key"`
	Value Value  `json:"value"`
}

// A Value is one of its fields.
type Value struct {
	Text    *string  `json:"stringValue,omitempty"`
	Integer *string  `json:"intValue,omitempty"`
	Number  *float64 `json:"doubleValue,omitempty"`
	Bool    *bool    `json:"boolValue,omitempty"`
}

// attributes leaves out what has no value.
type attributes []Attribute

func (a *attributes) text(key, value string) {
	if value != "" {
		*a = append(*a, Attribute{key, Value{Text: &value}})
	}
}

func (a *attributes) integer(key string, n int64) {
	value := strconv.FormatInt(n, 10)
	*a = append(*a, Attribute{key, Value{Integer: &value}})
}

func (a *attributes) number(key string, n float64) {
	*a = append(*a, Attribute{key, Value{Number: &n}})
}

func (a *attributes) truth(key string, b bool) {
	*a = append(*a, Attribute{key, Value{Bool: &b}})
}

// nano is a time in the form of the protocol.
func nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
