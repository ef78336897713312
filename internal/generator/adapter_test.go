package generator

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
)

func TestArgv(t *testing.T) {
	cli := Adapter{
		Command: []string{"agent", "exec"}, Resume: []string{"resume", "{session}"},
		Model: []string{"-m", "{model}"}, Always: []string{"--json", "--file={prompt}", "-"},
	}
	home := filepath.FromSlash("/loop")
	tests := map[string]struct {
		adapter Adapter
		start   Start
		want    []string
	}{
		"a program of one's own gets no arguments":  {Adapter{}, Start{Command: []string{"agent.sh", "-x"}, Model: "m", ResumeID: "s"}, []string{"agent.sh", "-x"}},
		"a command with a slash is loop.yaml's":     {Adapter{}, Start{Command: []string{"./agent.sh"}, Home: home}, []string{filepath.Join(home, "agent.sh")}},
		"one in a folder above too":                 {Adapter{}, Start{Command: []string{"../bin/agent"}, Home: home}, []string{filepath.FromSlash("/bin/agent")}},
		"the adapter's own command":                 {cli, Start{PromptPath: "p.md"}, []string{"agent", "exec", "--json", "--file=p.md", "-"}},
		"a model and a session":                     {cli, Start{PromptPath: "p.md", Model: "m-1", ResumeID: "ses_1"}, []string{"agent", "exec", "resume", "ses_1", "-m", "m-1", "--json", "--file=p.md", "-"}},
		"a command of loop.yaml with an adapter":    {cli, Start{Command: []string{"mine"}, PromptPath: "p"}, []string{"mine", "--json", "--file=p", "-"}},
		"a placeholder in a value is not filled in": {cli, Start{PromptPath: "p", Model: "{session}"}, []string{"agent", "exec", "-m", "{session}", "--json", "--file=p", "-"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := append([]string{}, tt.start.Command...)
			if diff := cmp.Diff(tt.want, tt.adapter.argv(tt.start)); diff != "" {
				t.Errorf("argv differs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, append([]string{}, tt.start.Command...)); diff != "" {
				t.Errorf("argv changed the command of the start:\n%s", diff)
			}
		})
	}
}

func TestFind(t *testing.T) {
	if _, ok := Find("no-such"); ok {
		t.Error("Find knows an adapter that is not there")
	}
	for _, name := range Names() {
		if a, ok := Find(name); !ok || a.Name != name || a.Prompt == "" {
			t.Errorf("Find(%q) = %+v, %v; want that adapter, with a way in for the prompt", name, a, ok)
		}
	}
}

// A program with a terminal event is judged by it, whatever its exit code says,
// and its report wins where both tell something.
func TestRunReadsTheTerminalEvent(t *testing.T) {
	s := startOf(t, "say", map[string]string{"FAKE_STDOUT": "quota\n", "FAKE_REPORT": `{"status":"no_change","summary":"by report"}`})
	s.Adapter.Read = func(stdout, stderr io.Reader) (Ending, error) {
		data, err := io.ReadAll(stdout)
		e := Ending{Summary: "by event", SessionID: "ses_7", Usage: &round.Usage{Input: 5}, InnerRetries: 2}
		e.Seen = true
		e.Codes = []string{"insufficient_" + strings.TrimSpace(string(data))}
		return e, err
	}
	try := runFake(t, s)
	if try.Failure.Category != recovery.QuotaExhausted {
		t.Errorf("category = %s; want quota_exhausted, although the exit code is 0", try.Failure.Category)
	}
	if try.Summary != "by report" || try.SessionID != "ses_7" || try.Usage.Input != 5 || try.InnerRetries != 2 {
		t.Errorf("the try tells %q, %q, %+v, %d; want the report's summary and the rest of the event", try.Summary, try.SessionID, try.Usage, try.InnerRetries)
	}
}

// A program that must end with an event and did not has failed, exit 0 or not.
func TestRunMissesTheTerminalEvent(t *testing.T) {
	s := startOf(t, "say", nil)
	s.Adapter.Read = func(io.Reader, io.Reader) (Ending, error) { return Ending{}, nil }
	if try := runFake(t, s); try.Failure.Category == recovery.None {
		t.Error("a run without its terminal event passes as success")
	}
}

// The exit code alone is enough where the adapter knows its meaning.
func TestRunKnowsExitCodes(t *testing.T) {
	s := startOf(t, "say", map[string]string{"FAKE_EXIT": "53"})
	s.Adapter.Exits = map[int]recovery.Category{53: recovery.TurnLimit}
	if try := runFake(t, s); try.Failure.Category != recovery.TurnLimit {
		t.Errorf("category = %s; want turn_limit", try.Failure.Category)
	}
}
