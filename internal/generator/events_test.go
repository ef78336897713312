package generator

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"looprun.dev/looprun/internal/recovery"
)

func TestEventsOfReadsAnyOutput(t *testing.T) {
	const good = `{"type":"item.completed","item":{"type":"agent_message","text":"All done."}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}`
	tests := map[string]struct {
		stdout string
		seen   bool
	}{
		"a last line without an end":  {good, true},
		"CRLF":                        {strings.ReplaceAll(good, "\n", "\r\n") + "\r\n", true},
		"text between":                {"Warning: x\n" + good + "\n\nbye\n", true},
		"bytes that are no text":      {"\xff\x00\n" + good + "\n", true},
		"nothing":                     {"", false},
		"a line too long to be one":   {`{"type":"turn.completed","x":"` + strings.Repeat("y", maxEvent) + `"}` + "\n", false},
		"such a line before the last": {strings.Repeat("y", maxEvent+1) + "\n" + good + "\n", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e, err := eventsOf("codex")(strings.NewReader(tt.stdout), strings.NewReader(""))
			if err != nil || e.Seen != tt.seen || e.Good != tt.seen {
				t.Errorf("seen %v, good %v, %v; want %v", e.Seen, e.Good, err, tt.seen)
			}
			if tt.seen && (e.Summary != "All done." || e.Usage == nil || e.Usage.Input != 5) {
				t.Errorf("the event tells %q, %+v; want its message and usage", e.Summary, e.Usage)
			}
		})
	}
	fault := errors.New("disk")
	if _, err := eventsOf("codex")(iotest.ErrReader(fault), strings.NewReader("")); !errors.Is(err, fault) {
		t.Errorf("a log that cannot be read gives %v; want %v", err, fault)
	}
}

// A session's id becomes an argument of the next start.
func TestEventsOfTakesNoSessionThatIsAFlag(t *testing.T) {
	e, _ := eventsOf("codex")(strings.NewReader(`{"type":"thread.started","thread_id":"--dangerously"}`), strings.NewReader(""))
	if e.SessionID != "" {
		t.Errorf("session = %q; want none", e.SessionID)
	}
}

// A program that said its last word and then hangs has ended by itself; one
// that hangs before it has not.
func TestRunBelievesTheLastWordOfAProgramThatHangs(t *testing.T) {
	const good = `{"type":"result","subtype":"success","is_error":false,"result":"All done.","session_id":"s-1","usage":{"input_tokens":5,"output_tokens":2}}`
	const bad = `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"slow down","session_id":"s-1"}`
	tests := map[string]struct {
		stdout string
		want   recovery.Category
	}{
		"after a good end":   {good, recovery.None},
		"after a bad end":    {bad, recovery.Stalled},
		"before any":         {`{"type":"system","subtype":"init","session_id":"s-1"}`, recovery.Stalled},
		"with half an event": {good[:40], recovery.Stalled},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := startOf(t, "printHang", map[string]string{"FAKE_STDOUT": tt.stdout + "\n"})
			s.Adapter, _ = Find("claude")
			s.Silence = 300 * time.Millisecond
			try := runFake(t, s)
			if try.Failure.Category != tt.want || try.Ended != recovery.EndedSilence {
				t.Errorf("Run = %s, %s; want %s, and that looprun ended it", try.Failure.Category, try.Ended, tt.want)
			}
		})
	}
}

// Output is hostile: whatever a program prints, its numbers and its session are
// fit for a record.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"type":"turn.completed","usage":{"input_tokens":1e300,"cached_input_tokens":-5}}`))
	f.Add([]byte(`{"type":"result","total_cost_usd":1e18,"usage":{"input_tokens":-1},"session_id":"-x"}`))
	f.Add([]byte("{\n{\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range presets() {
			e, err := eventsOf(name)(bytes.NewReader(data), bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if u := e.Usage; u != nil && (min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 || u.Tokens() < 0) {
				t.Errorf("%s: usage %+v", name, *u)
			}
			if e.Cost != nil && *e.Cost < 0 || e.SessionID != "" && !IsSessionID(e.SessionID) {
				t.Errorf("%s: cost %v, session %q", name, e.Cost, e.SessionID)
			}
		}
	})
}
