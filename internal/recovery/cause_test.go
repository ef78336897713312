package recovery

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadCause(t *testing.T) {
	span := func(d time.Duration) *time.Duration { return &d }
	for name, test := range map[string]struct {
		text string
		want Cause
	}{
		"words alone": {"Credit balance is too low", Cause{Text: "Credit balance is too low"}},
		"a body after words": {
			`Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`,
			Cause{Codes: []string{"error", "rate_limit_error"}, Text: "Error: 429\nslow down"},
		},
		"a body in a string in a body": {
			`[API Error: {"error":{"message":"{\n \"error\": {\n \"code\": 429,\n \"message\": \"exhausted\", \"status\": \"RESOURCE_EXHAUSTED\"}}","code":429,"status":"Too Many Requests"}}]`,
			Cause{Status: 429, Codes: []string{"RESOURCE_EXHAUSTED"}, Text: "[API Error:\nexhausted"},
		},
		"a status in the body's code": {`{"error":{"code":402,"message":"no credits"}}`, Cause{Status: 402, Text: "no credits"}},
		"a wait in the body":          {`{"error":{"details":[{"retryDelay":"34s"}]}}`, Cause{RetryAfter: span(34 * time.Second)}},
		"a wait in headers":           {`{"responseHeaders":{"retry-after":"3","date":"x"}}`, Cause{RetryAfter: span(3 * time.Second)}},
		"milliseconds":                {`{"retry_after_ms":1500}`, Cause{RetryAfter: span(1500 * time.Millisecond)}},
		"an instant":                  {`{"resets_at":1796086800}`, Cause{ResetAt: time.Date(2026, 12, 1, 1, 0, 0, 0, time.UTC)}},
		"the first value is kept":     {`{"status":500,"error":{"status":429}}`, Cause{Status: 500}},
		"a port is no status":         {`{"code":8080,"message":"m"}`, Cause{Text: "m"}},
		"a sentence is no code":       {`{"error":"it is all over"}`, Cause{Text: "it is all over"}},
		"an absurd wait":              {`{"retry_after":-1,"retry_after_ms":1e300}`, Cause{}},
		"a body that is cut":          {`failed: {"error":{"message":"qu`, Cause{Text: `failed: {"error":{"message":"qu`}},
		"nothing":                     {"", Cause{}},
	} {
		if diff := cmp.Diff(ReadCause(test.text), test.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
}

func TestReadCauseIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"deep":       strings.Repeat(`{"error":`, 5000) + "1" + strings.Repeat("}", 5000),
		"wide":       `{"errors":[` + strings.Repeat(`{"message":"a","code":"c"},`, 5000) + `{}]}`,
		"long":       strings.Repeat("x", 1<<20),
		"all braces": strings.Repeat("{", 1<<16),
	} {
		c := ReadCause(text)
		if len(c.Text) > maxCauseText+1 || len(c.Codes) > 20 {
			t.Errorf("%s: kept %d bytes and %d codes", name, len(c.Text), len(c.Codes))
		}
	}
}

func TestStatusInWords(t *testing.T) {
	for text, want := range map[string]int{
		"429 Rate limit reached":                         429,
		"Error: 429 {\"type\":\"error\"}":                429,
		"API Error: 500 Internal server error":           500,
		"[API Error: 401 Incorrect API key provided]":    401,
		"unexpected status 529 <unknown status code>":    529,
		"exceeded retry limit, last status: 429 Too":     429,
		"Request failed with status code 503":            503,
		"API Error: Request rejected (429) · later":      429,
		"HTTP/1.1 502 Bad Gateway":                       502,
		"got status: 429 Too Many Requests":              429,
		"Error code: 400 - {'error': ...}":               400,
		"{ code: 429, message: 'x' }":                    429,
		"CAPIError: 400 400 Bad Request":                 400,
		"Repeated 529 Overloaded errors":                 529,
		"litellm.RateLimitError: 429":                    429,
		"413429 bytes read":                              0,
		"error on line 529":                              0,
		"listening on port 500":                          0,
		"wrote 404 files":                                0,
		"exit code 1 after 429 tests":                    0,
		"resets in 500 seconds":                          0,
		"TestRetryAfter429 passed":                       0,
		"max_tokens: 64000 > 32000":                      0,
		"This model supports at most 429 tokens at once": 0,
	} {
		if got := statusIn(text); got != want {
			t.Errorf("statusIn(%q) = %d; want %d", text, got, want)
		}
	}
}
