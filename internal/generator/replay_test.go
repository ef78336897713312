package generator

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// A recording is a run of a real CLI against a scripted model: what it printed,
// how it ended, and how that must be understood.
type recording struct {
	Ended        string            `json:"ended"`
	Exit         int               `json:"exit"`
	Resume       string            `json:"resume"`
	Before       Told              `json:"before"`
	Changed      bool              `json:"changed"`
	Category     recovery.Category `json:"category"`
	Rule         string            `json:"rule"`
	Status       int               `json:"status"`
	RetryAfter   *time.Duration    `json:"retry_after_ns"`
	Usage        *round.Usage      `json:"usage"`
	Cost         *unit.Money       `json:"cost_usd"`
	Session      string            `json:"session"`
	Summary      string            `json:"summary"`
	InnerRetries int               `json:"inner_retries"`
}

// replayed are the cases that every preset has a recording of.
var replayed = []string{
	"success", "resumed", "rate-limited", "bad-key", "context-full", "cut-output", "empty-answer", "dropped-stream",
	"dropped-connection", "broken-arguments", "never-answers", "lost-session",
}

// presets are the adapters with a terminal event.
func presets() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return name == "exec" })
}

// Every preset understands what its CLI printed in every case that was recorded.
func TestRunUnderstandsEveryRecording(t *testing.T) {
	for _, cli := range presets() {
		for _, name := range replayed {
			t.Run(cli+"/"+name, func(t *testing.T) {
				path := filepath.Join("testdata", "agents", cli, name+".txtar")
				want := readRecording(t, path)
				s := startOf(t, "replay", map[string]string{"FAKE_FIXTURE": absolute(t, path)})
				s.Adapter, _ = Find(cli)
				s.Store, s.ResumeID, s.Before = filepath.Join(filepath.Dir(s.ReportPath), "agent"), want.Resume, want.Before
				s.Changed = func(context.Context) (bool, error) { return want.Changed, nil }
				if want.Ended == recovery.EndedSilence {
					s.Silence = 500 * time.Millisecond
				}
				try := runFake(t, s)
				f := try.Failure
				got := recording{
					Ended: try.Ended, Exit: try.ExitCode, Resume: want.Resume, Before: want.Before, Changed: want.Changed,
					Category: f.Category, Rule: f.Rule, Status: f.Status, RetryAfter: f.RetryAfter, Usage: try.Usage, Cost: try.Cost,
					Session: try.SessionID, Summary: try.Summary, InnerRetries: try.InnerRetries,
				}
				if want.Ended == recovery.EndedSilence {
					got.Exit = want.Exit // the real one may answer to the signal
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("Run differs from the recording (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// What the recordings say must be so for every CLI: the same case is the same
// category, whatever the exit code.
func TestRecordingsOfACaseHaveOneCategory(t *testing.T) {
	want := map[string]recovery.Category{
		"success": recovery.None, "resumed": recovery.None, "rate-limited": recovery.RateLimited, "bad-key": recovery.Auth,
		"context-full": recovery.ContextWindow, "cut-output": recovery.OutputTruncated, "empty-answer": recovery.EmptyResponse,
		"dropped-stream": recovery.Network, "dropped-connection": recovery.Network, "broken-arguments": recovery.EditError,
		"never-answers": recovery.Stalled, "lost-session": recovery.SessionLost,
	}
	except := map[string]recovery.Category{
		"claude/dropped-stream": recovery.None, // it asks again without a stream, and is answered
	}
	for _, cli := range presets() {
		for _, name := range replayed {
			got := readRecording(t, filepath.Join("testdata", "agents", cli, name+".txtar"))
			category, ok := except[cli+"/"+name]
			if !ok {
				category = want[name]
			}
			if got.Category != category {
				t.Errorf("%s/%s is recorded as %s; want %s", cli, name, got.Category, category)
			}
			if name == "rate-limited" && cli != "codex" && (got.RetryAfter == nil || *got.RetryAfter != 3*time.Second) {
				t.Errorf("%s/%s asks to wait %v; want 3s", cli, name, got.RetryAfter)
			}
			if (name == "success" || name == "resumed") && (got.Session == "" || got.Usage == nil) {
				t.Errorf("%s/%s tells session %q and usage %v; want both", cli, name, got.Session, got.Usage)
			}
		}
	}
}

func readRecording(t *testing.T, path string) recording {
	t.Helper()
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(ar.Comment, &r); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return r
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// replay prints what a recording holds, writes its files into the store, and
// ends like the recorded program, or hangs like it.
func replay() {
	prompt, _ := io.ReadAll(os.Stdin)
	if !strings.Contains(string(prompt), "# Task t1") {
		fmt.Fprintln(os.Stderr, "error: no prompt on stdin")
		os.Exit(98)
	}
	ar, err := txtar.ParseFile(os.Getenv("FAKE_FIXTURE"))
	if err != nil {
		panic(err)
	}
	var r recording
	if err := json.Unmarshal(ar.Comment, &r); err != nil {
		panic(err)
	}
	for _, f := range ar.Files {
		switch name, inStore := strings.CutPrefix(f.Name, "store/"); {
		case f.Name == "stdout":
			os.Stdout.Write(f.Data)
		case f.Name == "stderr":
			os.Stderr.Write(f.Data)
		case inStore:
			path := filepath.Join(os.Getenv(storeVariable()), name)
			os.MkdirAll(filepath.Dir(path), 0o700)
			os.WriteFile(path, f.Data, 0o600)
		}
	}
	if r.Ended == recovery.EndedSilence {
		time.Sleep(time.Minute)
	}
	os.Exit(r.Exit)
}

// storeVariable is the variable by which a program was pointed to its store.
func storeVariable() string {
	for _, name := range presets() {
		a, _ := Find(name)
		if v := a.Store.Var; v != "" && strings.HasSuffix(os.Getenv(v), string(filepath.Separator)+name) {
			return v
		}
	}
	return "NO_STORE"
}

// The arguments of a start, in the words of the CLIs.
func TestPresetsStartTheirCLI(t *testing.T) {
	tests := map[string]struct{ fresh, resumed []string }{
		"codex": {
			[]string{"codex", "exec", "-m", "m-1", "-c", `sandbox_mode="danger-full-access"`, "--json", "--skip-git-repo-check", "-c", `approval_policy="never"`, "-"},
			[]string{"codex", "exec", "resume", "ses_1", "-m", "m-1", "-c", `sandbox_mode="danger-full-access"`, "--json", "--skip-git-repo-check", "-c", `approval_policy="never"`, "-"},
		},
		"claude": {
			[]string{"claude", "--model", "m-1", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write,NotebookEdit,WebFetch,WebSearch"},
			[]string{"claude", "--resume", "ses_1", "--model", "m-1", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write,NotebookEdit,WebFetch,WebSearch"},
		},
		"opencode": {
			[]string{"opencode", "run", "-m", "m-1", "--format", "json", "--auto"},
			[]string{"opencode", "run", "-s", "ses_1", "-m", "m-1", "--format", "json", "--auto"},
		},
		"gemini": {
			[]string{"gemini", "-m", "m-1", "--skip-trust", "-y", "-o", "stream-json"},
			[]string{"gemini", "--resume", "ses_1", "-m", "m-1", "--skip-trust", "-y", "-o", "stream-json"},
		},
		"qwen": {
			[]string{"qwen", "-m", "m-1", "-y", "-o", "stream-json"},
			[]string{"qwen", "--resume", "ses_1", "-m", "m-1", "-y", "-o", "stream-json"},
		},
		"pi": {
			[]string{"pi", "--model", "m-1", "-p", "--mode", "json"},
			[]string{"pi", "--session", "ses_1", "--model", "m-1", "-p", "--mode", "json"},
		},
	}
	for _, name := range presets() {
		a, _ := Find(name)
		want, ok := tests[name]
		if !ok {
			t.Errorf("%s: no arguments to expect", name)
		}
		s := Start{Model: "m-1", Confined: true}
		if diff := cmp.Diff(want.fresh, a.argv(s)); diff != "" {
			t.Errorf("%s: a fresh start differs (-want +got):\n%s", name, diff)
		}
		s.ResumeID = "ses_1"
		if diff := cmp.Diff(want.resumed, a.argv(s)); diff != "" {
			t.Errorf("%s: a resumed start differs (-want +got):\n%s", name, diff)
		}
		if a.Prompt != Stdin || !a.CanResume || a.Tested == "" || a.Package == "" {
			t.Errorf("%s: prompt by %s, resume %v, tested %q of %q; want stdin, true, a version and a package", name, a.Prompt, a.CanResume, a.Tested, a.Package)
		}
	}
}

// A program's own sandbox stays on where none of looprun's is around it.
func TestCodexKeepsItsSandboxWhereThereIsNoOther(t *testing.T) {
	a, _ := Find("codex")
	if argv := a.argv(Start{}); !slices.Contains(argv, `sandbox_mode="workspace-write"`) || slices.Contains(argv, `sandbox_mode="danger-full-access"`) {
		t.Errorf("argv = %q; want codex's own sandbox", strconv.Quote(strings.Join(argv, " ")))
	}
}
