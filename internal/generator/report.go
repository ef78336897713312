package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// The statuses that a generator may give itself. They choose the recovery,
// never success.
const (
	CandidateReady = "candidate_ready"
	NoChange       = "no_change"
	NeedsInput     = "needs_input"
	Failed         = "failed"
)

var statuses = []string{CandidateReady, NoChange, NeedsInput, Failed}

// MaxReport is the size over which a report is not read.
const MaxReport = 1 << 20

// A Report is what a generator says of its own try. Texts are cleaned of
// control characters and bounded.
type Report struct {
	Status    string
	Summary   string
	Question  string
	Approach  string
	SessionID string
	Usage     *round.Usage // nil: not reported
	Cost      *unit.Money  // nil: not reported
	Error     *ReportError
}

// A ReportError is why a generator could not do its work.
type ReportError struct {
	Code        string // a category, or the target's own code
	Message     string
	RetryAfterS *float64 // as written; whether it is believed is for others to say
}

// signs is what of the report counts for classification. A question that was
// put into the summary is one all the same.
func (r Report) signs() *recovery.Report {
	s := &recovery.Report{Status: r.Status, Question: cmp.Or(r.Question, r.Summary)}
	if r.Error != nil {
		s.Code, s.Message, s.RetryAfterS = r.Error.Code, r.Error.Message, r.Error.RetryAfterS
	}
	return s
}

// ParseReport reads a report. Members that it does not know are ignored, null
// is the same as missing. What is wrong is told by its JSON path, all at once;
// the rest of the report stands, so that usage is charged whatever else is bad.
func ParseReport(data []byte) (Report, []string) {
	var r Report
	p := parser{}
	top, ok := p.object("", bytes.TrimPrefix(data, []byte("\ufeff")))
	if !ok {
		return r, p.faults
	}
	r.Status = p.status(top["status"])
	r.Summary = p.text("/summary", top["summary"], maxText)
	r.Question = p.text("/question", top["question"], 2*maxText)
	r.Approach = p.text("/approach", top["approach"], maxText)
	r.SessionID = p.session(top["session_id"])
	r.Usage = p.usage(top["usage"])
	r.Cost = p.cost(top["cost_usd"])
	r.Error = p.failure(top["error"])
	return r, p.faults
}

// maxText is how many bytes of a text of the report go into records.
const maxText = 4000

// maxFaults is how many faults are told.
const maxFaults = 20

// A parser collects faults on its way.
type parser struct{ faults []string }

func (p *parser) fault(path, format string, args ...any) {
	if path == "" {
		path = "/"
	}
	if len(p.faults) < maxFaults {
		p.faults = append(p.faults, path+": "+fmt.Sprintf(format, args...))
	}
}

func missing(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// object reads the members of an object by their exact names.
func (p *parser) object(path string, raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var m map[string]json.RawMessage
	err := json.Unmarshal(raw, &m)
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		p.fault(path, "is empty, want an object")
	case err != nil && json.Valid(raw), err == nil && m == nil:
		p.fault(path, "want an object, got %s", kind(raw))
	case err != nil:
		p.fault(path, "is no JSON: %v", err)
	}
	return m, m != nil && err == nil
}

func (p *parser) text(path string, raw json.RawMessage, limit int) string {
	if missing(raw) {
		return ""
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		p.fault(path, "want a string, got %s", kind(raw))
	}
	return clean(s, limit)
}

func (p *parser) status(raw json.RawMessage) string {
	if missing(raw) {
		p.fault("/status", "is missing, want one of %s", strings.Join(statuses, ", "))
		return ""
	}
	n := len(p.faults)
	s := p.text("/status", raw, maxText)
	if len(p.faults) == n && !slices.Contains(statuses, s) {
		p.fault("/status", "want one of %s, got %q", strings.Join(statuses, ", "), clean(s, 40))
	}
	if !slices.Contains(statuses, s) {
		return ""
	}
	return s
}

// session reads an id that becomes an argument of the next start, so nothing
// that could be read as a flag or as two words passes.
func (p *parser) session(raw json.RawMessage) string {
	s := p.text("/session_id", raw, maxText)
	if s != "" && !IsSessionID(s) {
		p.fault("/session_id", "want up to %d letters, digits and ._:/- that begin with a letter or digit", maxSession)
		return ""
	}
	return s
}

func (p *parser) failure(raw json.RawMessage) *ReportError {
	if missing(raw) {
		return nil
	}
	m, ok := p.object("/error", raw)
	if !ok {
		return nil
	}
	return &ReportError{
		Code:        p.text("/error/code", m["code"], 200),
		Message:     p.text("/error/message", m["message"], maxText),
		RetryAfterS: p.seconds("/error/retry_after_s", m["retry_after_s"]),
	}
}
