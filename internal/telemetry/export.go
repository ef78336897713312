package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// An Exporter sends spans to a collector by OTLP over HTTP, as JSON.
type Exporter struct {
	Endpoint string // the whole address, which ends in /v1/traces
	Headers  map[string]string
	Resource []Attribute
	Version  string        // of looprun
	Pause    time.Duration // before it asks again a collector that is busy and names no time; 0 is a second
}

// NewResource describes the looprun that works in dir.
func NewResource(dir, version string) []Attribute {
	var a attributes
	a.text("service.name", "looprun")
	a.text("service.version", version)
	a.text("looprun.dir", dir)
	return a
}

// Request is the body that Send posts.
func (x Exporter) Request(spans []Span) Request {
	return Request{[]ResourceSpans{{
		Resource:   Resource{x.Resource},
		ScopeSpans: []ScopeSpans{{Scope{"looprun.dev/looprun", x.Version}, spans}},
	}}}
}

// Send posts spans, and again where the collector is busy, until ctx ends. Its
// errors leave out the address, which may hold a key.
func (x Exporter) Send(ctx context.Context, spans []Span) error {
	body, err := json.Marshal(x.Request(spans))
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	for {
		again, err := x.post(ctx, body)
		if again == 0 || err == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(again):
		}
	}
}

// post makes one request; again is when to make another, 0 for never.
func (x Exporter) post(ctx context.Context, body []byte) (again time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.Endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, errors.New("the endpoint is no address to post to")
	}
	for name, value := range x.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "looprun/"+x.Version)
	resp, err := collectors.Do(req)
	var about *url.Error
	switch {
	case errors.As(err, &about):
		return 0, fmt.Errorf("reach the collector: %w", about.Err)
	case err != nil:
		return 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch resp.StatusCode {
	case http.StatusOK:
		return 0, errors.Join(err, partly(answer))
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return x.pause(resp.Header.Get("Retry-After")), fmt.Errorf("the collector answered %s", resp.Status)
	}
	return 0, fmt.Errorf("the collector answered %s", resp.Status)
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 1 << 20

var collectors = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// pause is how long to leave a busy collector alone.
func (x Exporter) pause(asked string) time.Duration {
	if s, err := strconv.ParseUint(asked, 10, 16); err == nil && s > 0 {
		return time.Duration(s) * time.Second
	}
	if x.Pause > 0 {
		return x.Pause
	}
	return time.Second
}

// partly is the error of an answer that spans were refused, though the request
// was taken. An answer that says nothing of it is a good one.
func partly(answer []byte) error {
	var a struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"`
			ErrorMessage  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil || a.PartialSuccess.RejectedSpans == "" || a.PartialSuccess.RejectedSpans == "0" {
		return nil
	}
	return fmt.Errorf("the collector refused %s spans: %s", a.PartialSuccess.RejectedSpans, a.PartialSuccess.ErrorMessage)
}
