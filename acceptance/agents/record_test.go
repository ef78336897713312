package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// fixtures is where the everyday tests of the adapters find what was seen here.
const fixtures = "../../internal/generator/testdata/agents"

// seen is what stands at the head of a fixture: how the run ended, and how it
// was understood.
type seen struct {
	Ended        string            `json:"ended"`
	Exit         int               `json:"exit"`
	Resume       string            `json:"resume,omitempty"`
	Before       generator.Told    `json:"before,omitzero"`
	Changed      bool              `json:"changed"`
	Category     recovery.Category `json:"category"`
	Rule         string            `json:"rule"`
	Status       int               `json:"status,omitempty"`
	RetryAfter   *time.Duration    `json:"retry_after_ns,omitempty"`
	Usage        *round.Usage      `json:"usage"`
	Cost         *unit.Money       `json:"cost_usd"`
	Session      string            `json:"session"`
	Summary      string            `json:"summary"`
	InnerRetries int               `json:"inner_retries,omitempty"`
}

func changedIn(b *bench, before bool) func(context.Context) (bool, error) {
	return func(context.Context) (bool, error) { return b.changed() && !before, nil }
}

// record keeps what the CLI printed and how it was understood.
func (b *bench) record(t *testing.T, name string, try round.Try) {
	t.Helper()
	if os.Getenv("LOOPRUN_AGENTS_RECORD") == "" || t.Failed() {
		return
	}
	f := try.Failure
	comment, err := json.MarshalIndent(seen{
		Ended: try.Ended, Exit: try.ExitCode, Resume: b.start.ResumeID, Before: b.start.Before, Changed: b.changed() && b.start.ResumeID == "",
		Category: f.Category, Rule: f.Rule, Status: f.Status, RetryAfter: f.RetryAfter, Usage: try.Usage, Cost: try.Cost,
		Session: try.SessionID, Summary: try.Summary, InnerRetries: try.InnerRetries,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	ar := &txtar.Archive{Comment: append(comment, '\n')}
	for _, f := range []struct{ name, path string }{
		{"stdout", filepath.Join(b.start.TaskDir, try.Stdout.Path)}, {"stderr", filepath.Join(b.start.TaskDir, try.Stderr.Path)},
	} {
		data, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		ar.Files = append(ar.Files, txtar.File{Name: f.name, Data: b.reduce(data)})
	}
	ar.Files = append(ar.Files, b.storeFiles(try)...)
	dir := filepath.Join(fixtures, b.cli.name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".txtar"), txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

// storeFiles are the logs in the store that tell how an answer ended, as far as
// they do.
func (b *bench) storeFiles(try round.Try) []txtar.File {
	store := filepath.Join(b.start.Store, b.cli.name)
	var files []txtar.File
	if data, err := os.ReadFile(filepath.Join(store, "telemetry.log")); err == nil {
		files = append(files, txtar.File{Name: "store/telemetry.log", Data: responses(data)})
	}
	name := filepath.Join("debug", try.SessionID+".txt")
	if data, err := os.ReadFile(filepath.Join(store, name)); err == nil && b.cli.name == "qwen" {
		var kept []byte
		for line := range bytes.Lines(data) {
			if bytes.Contains(line, []byte("[QWEN_CODE_CHAT]")) || bytes.Contains(line, []byte("[TOOL_SCHEDULER]")) {
				kept = append(kept, line...)
			}
		}
		files = append(files, txtar.File{Name: "store/" + filepath.ToSlash(name), Data: kept})
	}
	return files
}

// responses are the records of a telemetry that tell of an answer.
func responses(data []byte) []byte {
	var kept []byte
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var record struct {
			Attributes map[string]any `json:"attributes"`
		}
		if d.Decode(&record) != nil {
			return kept
		}
		if record.Attributes["event.name"] == "gemini_cli.api_response" {
			one, _ := json.MarshalIndent(record, "", "  ")
			kept = append(append(kept, one...), '\n')
		}
	}
}

// maxLine is the length over which a line of a fixture is shortened.
const maxLine = 3000

var noise = regexp.MustCompile(`^\{"type":"(message_update|message_start|tool_execution_update|turn_start)"`)

// scratch are the names of temporary files, slug what a CLI makes of such a name.
var (
	scratch = regexp.MustCompile(`/tmp/[\w./:+-]+`)
	slug    = regexp.MustCompile(`-tmp-[\w-]+`)
)

// reduce takes out of an output what a fixture needs not: paths of the machine,
// pieces of messages, long lists.
func (b *bench) reduce(data []byte) []byte {
	text := string(data)
	for _, path := range []struct{ path, name string }{
		{cache(), "/cache"}, {b.start.Dir, "/tree"}, {b.env["HOME"], "/home/user"}, {filepath.Dir(b.start.Dir), "/work"},
	} {
		text = strings.ReplaceAll(text, path.path, path.name)
	}
	text = scratch.ReplaceAllString(text, "/tmp/file")
	text = slug.ReplaceAllString(text, "-work-tree")
	var out []byte
	for line := range strings.Lines(text) {
		if noise.MatchString(line) {
			continue
		}
		if len(line) > maxLine {
			line = shorten(line)
		}
		out = append(out, line...)
	}
	return out
}

// shorten shortens the lists and texts of a line of JSON.
func shorten(line string) string {
	var v any
	if json.Unmarshal([]byte(line), &v) != nil {
		return line[:maxLine] + "\n"
	}
	data, _ := json.Marshal(less(v))
	return string(data) + "\n"
}

func less(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = less(e)
		}
		return v
	case []any:
		for i, e := range v {
			v[i] = less(e)
		}
		return v[:min(len(v), 8)]
	case string:
		return v[:min(len(v), 600)]
	}
	return v
}
