package generator

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"

	"looprun.dev/looprun/internal/fsx"
)

// cutFinish is the finish reason of an answer that ended at the token limit.
const cutFinish = "length"

// maxTelemetry is the size over which a program's own log is not read.
const maxTelemetry = 64 << 20

// cutOff asks the adapter whether the last answer was cut off.
func (s Start) cutOff(session string) bool {
	if s.Adapter.Cut == nil || s.store() == "" {
		return false
	}
	dir, err := fsx.Open(s.store())
	if err != nil {
		return false
	}
	defer dir.Close()
	return s.Adapter.Cut(dir, session)
}

// telemetryFile is where gemini writes its telemetry, below its store.
const telemetryFile = "telemetry.log"

// geminiCut: an answer that was cut ends like any other in the events. Only the
// telemetry has the reason: a row of JSON objects, of which api_response tells
// of one answer.
func geminiCut(store *fsx.Dir, _ string) bool {
	data, err := store.Read(telemetryFile, maxTelemetry)
	if err != nil {
		return false
	}
	cut := false
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var record struct {
			Attributes struct {
				Event  string   `json:"event.name"`
				Role   string   `json:"role"`
				Finish []string `json:"finish_reasons"`
			} `json:"attributes"`
		}
		if d.Decode(&record) != nil {
			return cut
		}
		if a := record.Attributes; a.Event == "gemini_cli.api_response" && (a.Role == "" || a.Role == "main") {
			cut = slices.Contains(a.Finish, cutFinish) || slices.Contains(a.Finish, "MAX_TOKENS")
		}
	}
}

// qwenCut: qwen asks the model to go on three times, then takes what it has.
// Only its debug log tells that the last of these requests was made; what comes
// behind it shows whether it was the run's last.
func qwenCut(store *fsx.Dir, session string) bool {
	if session == "" || path.Base(session) != session {
		return false
	}
	data, err := store.Read(path.Join("debug", session+".txt"), maxTelemetry)
	if err != nil {
		return false
	}
	at := bytes.LastIndex(data, []byte("[QWEN_CODE_CHAT] Output still truncated after escalation. Recovery attempt 3/3."))
	return at >= 0 && !bytes.Contains(data[at:], []byte("[TOOL_SCHEDULER]"))
}
