package generator

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestGeminiCut(t *testing.T) {
	answer := func(role, finish string) string {
		return "{\n \"attributes\": {\"event.name\": \"gemini_cli.api_response\", \"role\": \"" + role + "\", \"finish_reasons\": [\"" + finish + "\"]}\n}\n"
	}
	tests := map[string]struct {
		log  string
		want bool
	}{
		"no telemetry":                {"", false},
		"a whole answer":              {answer("main", "stop"), false},
		"one that was cut":            {answer("main", "length"), true},
		"in the API's own word":       {answer("", "MAX_TOKENS"), true},
		"the last one counts":         {answer("main", "length") + answer("main", "stop"), false},
		"a side request does not":     {answer("main", "length") + answer("utility_summarizer", "stop"), true},
		"other records are skipped":   {answer("main", "length") + `{"attributes": {"event.name": "gemini_cli.api_request"}}` + `{"resource": 1}`, true},
		"the words of a prompt":       {`{"attributes": {"event.name": "gemini_cli.user_prompt", "prompt": "finish_reasons: length"}}`, false},
		"a record that is torn":       {answer("main", "length") + `{"attributes": {"ev`, true},
		"records of another form":     {`{"attributes": [1]}` + answer("main", "length"), false},
		"what is no telemetry at all": {"\x00\x01", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := cutBy(t, "gemini", "", telemetryFile, tt.log); got != tt.want {
				t.Errorf("geminiCut = %v; want %v", got, tt.want)
			}
		})
	}
}

func TestQwenCut(t *testing.T) {
	const line = "2026-11-30T22:37:16.176Z [INFO] [QWEN_CODE_CHAT] Output still truncated after escalation. Recovery attempt #/3.\n"
	last := strings.Replace(line, "#", "3", 1)
	tests := map[string]struct {
		log, session string
		want         bool
	}{
		"no log":                            {"", "s-1", false},
		"asked to go on once":               {strings.Replace(line, "#", "1", 1), "s-1", false},
		"three times":                       {last, "s-1", true},
		"and went on to work":               {last + "2026 [DEBUG] [TOOL_SCHEDULER] write_file\n", "s-1", false},
		"another session":                   {last, "s-2", false},
		"no session":                        {last, "", false},
		"a session that would be elsewhere": {last, "x/../s-1", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := cutBy(t, "qwen", tt.session, "debug/s-1.txt", tt.log); got != tt.want {
				t.Errorf("qwenCut = %v; want %v", got, tt.want)
			}
		})
	}
}

// cutBy asks an adapter with this file in its store.
func cutBy(t *testing.T, name, session, file, text string) bool {
	t.Helper()
	s := Start{Store: t.TempDir()}
	s.Adapter, _ = Find(name)
	if text != "" {
		write(t, filepath.Join(s.store(), file), text)
	}
	return s.cutOff(session)
}
