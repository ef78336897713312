//go:build unix

package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A collected is a request of OTLP, read by the rules of its JSON form: ids in
// hexadecimal, whole numbers as strings.
type collected struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []collectedAttribute }
		ScopeSpans []struct {
			Scope struct{ Name, Version string }
			Spans []collectedSpan
		}
	}
}

type collectedSpan struct {
	TraceID           string `json:"traceId"`
	SpanID            string `json:"spanId"`
	ParentSpanID      string `json:"parentSpanId"`
	Name              string
	Kind              int
	StartTimeUnixNano string
	EndTimeUnixNano   string
	Attributes        []collectedAttribute
	Events            []struct {
		TimeUnixNano, Name string
		Attributes         []collectedAttribute
	}
	Status struct {
		Code    int
		Message string
	}
}

type collectedAttribute struct {
	Key   string
	Value map[string]any
}

// collectorMain is a collector of traces: it runs the command of its arguments
// with its own address in the environment, then prints what it was sent, a line
// a span, and ends with the exit code of the command.
func collectorMain() {
	var mu sync.Mutex
	var spans []collectedSpan
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var c collected
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		check(d.Decode(&c))
		if r.URL.Path != "/v1/traces" || r.Header.Get("Authorization") != "Bearer a b" {
			check(fmt.Errorf("%s with %v", r.URL.Path, r.Header))
		}
		for _, resource := range c.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				spans = append(spans, scope.Spans...)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{}`)
	}))
	defer server.Close()
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, "OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20a%20b")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	_ = cmd.Run()
	for _, line := range tellSpans(spans) {
		fmt.Println(line)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// tellSpans checks that spans make whole traces, and says each with its parent.
func tellSpans(spans []collectedSpan) (lines []string) {
	names := map[string]string{}
	for _, s := range spans {
		if names[s.TraceID+s.SpanID] != "" {
			check(errors.New("a span was sent twice: " + s.Name))
		}
		names[s.TraceID+s.SpanID] = s.Name
	}
	for _, s := range spans {
		from, err1 := strconv.ParseInt(s.StartTimeUnixNano, 10, 64)
		to, err2 := strconv.ParseInt(s.EndTimeUnixNano, 10, 64)
		if err := errors.Join(err1, err2); err != nil || to < from || !hex32.MatchString(s.TraceID) || !hex16.MatchString(s.SpanID) {
			check(fmt.Errorf("no span: %+v, %w", s, err))
		}
		if s.ParentSpanID != "" && names[s.TraceID+s.ParentSpanID] == "" {
			check(fmt.Errorf("the parent of %q is in another trace, or in none", s.Name))
		}
		line := fmt.Sprintf("%s in %q status %d %s", s.Name, names[s.TraceID+s.ParentSpanID], s.Status.Code, s.Status.Message)
		for _, a := range s.Attributes {
			line += fmt.Sprintf(" %s=%v", a.Key, only(a.Value))
		}
		for _, e := range s.Events {
			line += " [" + e.Name + "]"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

var hex32, hex16 = regexp.MustCompile(`^[0-9a-f]{32}$`), regexp.MustCompile(`^[0-9a-f]{16}$`)

// only is the one field of a value. A whole number has to be a string.
func only(value map[string]any) any {
	for kind, v := range value {
		if _, text := v.(string); len(value) != 1 || text != strings.Contains("stringValue intValue", kind) {
			check(fmt.Errorf("no value: %v", value))
		}
		return v
	}
	check(errors.New("a value without a field"))
	return nil
}
