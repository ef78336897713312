package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"looprun.dev/looprun/internal/recovery"
)

// A Case is one saved output of a CLI, with what it should be classified as.
type Case struct {
	Source   string    `json:"source"`
	CLI      string    `json:"cli"`
	ExitCode *int      `json:"exit_code"` // nil: not known
	Output   string    `json:"stderr_or_output"`
	Expected *Expected `json:"-"` // nil: nothing is expected
}

// Expected is what a case says of itself. What is nil was not said;
// RetryAfterS is judged only if HasRetryAfter is set, and nil then means that no
// wait is given.
type Expected struct {
	Category      recovery.Category
	Retryable     *bool
	RetryAfterS   *float64
	HasRetryAfter bool
}

// A CaseResult is what a case was classified as.
type CaseResult struct {
	Category    recovery.Category `json:"category"`
	Retryable   bool              `json:"retryable"`
	RetryAfterS *float64          `json:"retry_after_s"`
	Rule        string            `json:"rule"`
	Mismatch    []string          `json:"-"` // how it differs from what was expected
}

// ReadCase reads one line of a file of cases. What has not the form of a case is
// taken for one saved output of a program that is not known.
func ReadCase(line []byte) (Case, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(bytes.TrimPrefix(line, []byte("\ufeff")), &members) != nil || members["stderr_or_output"] == nil {
		return Case{CLI: "any", Output: string(line)}, nil
	}
	var c Case
	if err := json.Unmarshal(bytes.TrimPrefix(line, []byte("\ufeff")), &c); err != nil {
		return Case{}, fmt.Errorf("read case: %w", err)
	}
	expected, err := readExpected(members)
	c.Expected = expected
	return c, err
}

func readExpected(members map[string]json.RawMessage) (*Expected, error) {
	var e Expected
	for name, into := range map[string]any{
		"expected_category": &e.Category, "retryable": &e.Retryable, "retry_after_s": &e.RetryAfterS,
	} {
		if raw, given := members[name]; given {
			if err := json.Unmarshal(raw, into); err != nil {
				return nil, fmt.Errorf("read case: %s: %w", name, err)
			}
		}
	}
	if e.Category == "" {
		return nil, nil
	}
	_, e.HasRetryAfter = members["retry_after_s"]
	return &e, nil
}

// Signs are what the case shows.
func (c Case) Signs() recovery.Signs { return FromOutput(c.CLI, c.ExitCode, c.Output) }

// Classify classifies the case and says how that differs from what is expected.
func (c Case) Classify(user []recovery.CompiledPattern) CaseResult {
	f := recovery.Classify(c.Signs(), user)
	r := CaseResult{Category: f.Category, Retryable: f.Retryable, Rule: f.Rule}
	if f.RetryAfter != nil {
		s := f.RetryAfter.Seconds()
		r.RetryAfterS = &s
	}
	r.Mismatch = c.Expected.differences(r)
	return r
}

// ClassifyCase reads and classifies one line of a file of cases.
func ClassifyCase(line []byte) (CaseResult, error) {
	c, err := ReadCase(line)
	if err != nil {
		return CaseResult{}, err
	}
	return c.Classify(nil), nil
}

func (e *Expected) differences(r CaseResult) []string {
	if e == nil {
		return nil
	}
	var all []string
	if r.Category != e.Category {
		all = append(all, fmt.Sprintf("category is %s, expected %s", r.Category, e.Category))
	}
	if e.Retryable != nil && r.Retryable != *e.Retryable {
		all = append(all, fmt.Sprintf("retryable is %t, expected %t", r.Retryable, *e.Retryable))
	}
	if e.HasRetryAfter && !sameWait(r.RetryAfterS, e.RetryAfterS) {
		all = append(all, fmt.Sprintf("retry_after_s is %s, expected %s", wait(r.RetryAfterS), wait(e.RetryAfterS)))
	}
	return all
}

// sameWait lets a wait be rounded up to whole seconds: it may be longer than
// asked, never shorter.
func sameWait(got, want *float64) bool {
	if got == nil || want == nil {
		return got == want
	}
	return math.Abs(*got-*want) < 1e-6 || *want == math.Ceil(*got)
}

func wait(s *float64) string {
	if s == nil {
		return "null"
	}
	return fmt.Sprint(*s)
}
