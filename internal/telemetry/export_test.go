package telemetry

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestWhatACollectorMayAnswer(t *testing.T) {
	tests := map[string]struct {
		status  []int // of each answer in turn; the last stays
		body    string
		wait    string // Retry-After
		err     string
		asked   int
		patient bool
	}{
		"it took all":               {status: []int{200}, body: `{}`, asked: 1},
		"it says nothing":           {status: []int{200}, asked: 1},
		"it took all, and says so":  {status: []int{200}, body: `{"partialSuccess": {"rejectedSpans": "0"}}`, asked: 1},
		"it refused some":           {status: []int{200}, body: `{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too old"}}`, err: "the collector refused 2 spans: too old", asked: 1},
		"it is busy for a moment":   {status: []int{503, 429, 200}, body: `{}`, asked: 3, patient: true},
		"it is busy for too long":   {status: []int{503}, wait: "3600", err: "the collector answered 503", asked: 1},
		"it does not want us":       {status: []int{401, 200}, err: "the collector answered 401", asked: 1},
		"it sends us elsewhere":     {status: []int{307, 200}, err: "the collector answered 307", asked: 1},
		"it took what is no number": {status: []int{200}, body: `{"partialSuccess": {"rejectedSpans": []}}`, asked: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var got Request
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil || len(got.ResourceSpans) != 1 || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Key") != "k" {
					t.Errorf("got %v, %v, %v; want one resource as JSON, with the header", r.Header, got, err)
				}
				w.Header().Set("Location", "/elsewhere")
				w.Header().Set("Retry-After", test.wait)
				w.WriteHeader(test.status[min(asked, len(test.status)-1)])
				_, _ = w.Write([]byte(test.body))
				asked++
			}))
			defer server.Close()
			limit := 200 * time.Millisecond
			if test.patient {
				limit = 10 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			x := Exporter{Endpoint: server.URL + "/v1/traces", Headers: map[string]string{"X-Key": "k"}, Pause: time.Millisecond}
			err := x.Send(ctx, []Span{{Name: "s"}})
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) || asked != test.asked {
				t.Errorf("Send = %v, asked %d times; want %q, %d", err, asked, test.err, test.asked)
			}
		})
	}
}

func TestTheAddressOfACollectorIsNotTold(t *testing.T) {
	for _, endpoint := range []string{"http://127.0.0.1:1/secret", "::secret::"} {
		err := Exporter{Endpoint: endpoint}.Send(t.Context(), nil)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("Send to %q = %v; want an error without the path", endpoint, err)
		}
	}
}

func FuzzAnswerOfACollector(f *testing.F) {
	f.Add([]byte(`{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "x"}}`))
	f.Add([]byte(`{"partialSuccess": {"rejectedSpans": 2}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if err := partly(answer); err != nil && !json.Valid(answer) {
			t.Errorf("partly(%q) = %v; want nothing said by what is no JSON", answer, err)
		}
	})
}
