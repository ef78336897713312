package generator

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/round"
)

func TestParseReport(t *testing.T) {
	after := func(f float64) *float64 { return &f }
	tests := map[string]struct {
		given  string
		want   Report
		faults []string
	}{
		"the least":                 {given: `{"status":"no_change"}`, want: Report{Status: "no_change"}},
		"unknown members":           {given: `{"status":"failed","x":{"y":[1]},"Summary":"other case"}`, want: Report{Status: "failed"}},
		"null is missing":           {given: `{"status":"failed","summary":null,"usage":null,"error":null}`, want: Report{Status: "failed"}},
		"a byte order mark":         {given: "\ufeff{\"status\":\"failed\"}\r\n", want: Report{Status: "failed"}},
		"colours and control":       {given: `{"status":"failed","summary":"\u001b[31mred\u001b[0m\u0000\u0007 two\r\nlines"}`, want: Report{Status: "failed", Summary: "red two\nlines"}},
		"an error with a wait":      {given: `{"status":"failed","error":{"code":"rate_limited","message":"m","retry_after_s":1.5}}`, want: Report{Status: "failed", Error: &ReportError{"rate_limited", "m", after(1.5)}}},
		"a wait below zero":         {given: `{"status":"failed","error":{"retry_after_s":-3}}`, want: Report{Status: "failed", Error: &ReportError{RetryAfterS: after(-3)}}},
		"cost as a number":          {given: `{"status":"failed","cost_usd":0.1}`, want: Report{Status: "failed", Cost: money(100_000)}},
		"cost finer than the unit":  {given: `{"status":"failed","cost_usd":0.0000001}`, want: Report{Status: "failed", Cost: money(1)}},
		"cost below zero":           {given: `{"status":"failed","cost_usd":"-1"}`, want: Report{Status: "failed"}, faults: []string{`/cost_usd: want dollars from 0 on, got the string "-1"`}},
		"cost without an end":       {given: `{"status":"failed","cost_usd":"Inf"}`, want: Report{Status: "failed"}, faults: []string{`/cost_usd: want dollars from 0 on, got the string "Inf"`}},
		"tokens below zero":         {given: `{"status":"failed","usage":{"input":-1,"output":1}}`, want: Report{Status: "failed", Usage: &round.Usage{Output: 1}}, faults: []string{"/usage/input: want a whole number from 0 on, got -1"}},
		"a fraction of a token":     {given: `{"status":"failed","usage":{"input":1.5}}`, want: Report{Status: "failed", Usage: &round.Usage{}}, faults: []string{"/usage/input: want a whole number from 0 on, got 1.5"}},
		"a session that is a flag":  {given: `{"status":"failed","session_id":"--yolo"}`, want: Report{Status: "failed"}, faults: []string{"/session_id: want up to 200 letters, digits and ._:/- that begin with a letter or digit"}},
		"no status":                 {given: `{}`, faults: []string{"/status: is missing, want one of candidate_ready, no_change, needs_input, failed"}},
		"a status of one's own":     {given: `{"status":"DONE"}`, faults: []string{`/status: want one of candidate_ready, no_change, needs_input, failed, got "DONE"`}},
		"a status that is a number": {given: `{"status":1}`, faults: []string{"/status: want a string, got 1"}},
		"every fault at once": {
			given:  `{"status":"failed","summary":[],"usage":3,"error":"oops"}`,
			want:   Report{Status: "failed"},
			faults: []string{"/summary: want a string, got a list", "/usage: want an object, got 3", `/error: want an object, got the string "oops"`},
		},
		"a list":         {given: `[]`, faults: []string{"/: want an object, got a list"}},
		"null":           {given: `null`, faults: []string{"/: want an object, got nothing"}},
		"nothing":        {given: ``, faults: []string{"/: is empty, want an object"}},
		"half a report":  {given: `{"status":`, faults: []string{"/: is no JSON: unexpected end of JSON input"}},
		"two reports":    {given: `{} {}`, faults: []string{"/: is no JSON: invalid character '{' after top-level value"}},
		"words of a run": {given: `I am done`, faults: []string{"/: is no JSON: invalid character 'I' looking for beginning of value"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, faults := ParseReport([]byte(tt.given))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ParseReport differs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.faults, faults); diff != "" {
				t.Errorf("faults differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseReportBoundsTexts(t *testing.T) {
	r, _ := ParseReport([]byte(`{"status":"no_change","summary":"` + strings.Repeat("é", 100_000) + `"}`))
	if len(r.Summary) > maxText || !utf8.ValidString(r.Summary) || !strings.HasSuffix(r.Summary, cutMark) {
		t.Errorf("summary has %d bytes and ends with %q; want at most %d, cut between letters", len(r.Summary), r.Summary[len(r.Summary)-6:], maxText)
	}
}

// Whatever a generator writes, no record gets invalid or endless text, and the
// status is one of the known ones or a fault is told.
func FuzzParseReport(f *testing.F) {
	f.Add([]byte(`{"status":"needs_input","question":"\u001b]0;x\u0007?","usage":{"input":1},"cost_usd":"0.5","error":{"retry_after_s":1e9}}`))
	f.Add([]byte("\ufeff{\"status\":\"failed\",\"summary\":\"\xff\xfe\"}"))
	f.Add([]byte(`[[[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, faults := ParseReport(data)
		if r.Status == "" && len(faults) == 0 {
			t.Error("no status and no fault")
		}
		for _, s := range []string{r.Status, r.Summary, r.Question, r.Approach, r.SessionID} {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1b\r") || len(s) > 2*maxText {
				t.Errorf("text %q is not fit for a record", s)
			}
		}
		if r.Usage != nil && r.Usage.Tokens() < 0 || r.Cost != nil && *r.Cost < 0 {
			t.Errorf("negative amounts: %+v, %v", r.Usage, r.Cost)
		}
		if len(faults) > maxFaults {
			t.Errorf("%d faults", len(faults))
		}
	})
}
