package generator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// startOf is a try of the fake generator in a new place.
func startOf(t *testing.T, role string, set map[string]string) Start {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env := map[string]string{"FAKE_ROLE": role}
	for k, v := range set {
		env[k] = v
	}
	adapter, ok := Find("exec")
	if !ok {
		t.Fatal("no adapter exec")
	}
	for _, sub := range []string{"tree", "records"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	records := filepath.Join(dir, "records")
	round := filepath.Join(records, "attempts", "round-002")
	return Start{
		Adapter: adapter, Command: []string{exe}, Home: dir,
		Dir: filepath.Join(dir, "tree"), TaskDir: records, LogDir: round,
		Request: []byte("{}\n"), Prompt: []byte("# Task t1\n"),
		RequestPath: filepath.Join(round, "request.json"), PromptPath: filepath.Join(round, "prompt.md"),
		ReportPath: filepath.Join(dir, "exchange", "report.json"), EffectsPath: filepath.Join(dir, "exchange", "effects.jsonl"),
		PlanPath: filepath.Join(records, "plan-round-002.json"),
		TaskID:   "t1", Round: 2, Try: 3, RunID: fmt.Sprintf("run-%s-%d", filepath.Base(dir), time.Now().UnixNano()),
		Strategy: recovery.Continue, Mode: "repair", Model: "m-1", ResumeID: "ses_1",
		Deadline:       time.Date(2026, 12, 1, 2, 0, 0, 0, time.FixedZone("", 3600)),
		IdempotencyKey: "key-1", TraceParent: "00-01-02-01",
		Env:  Env{Set: env, Pass: []string{"PATH", "NOT_SET"}, Lookup: os.LookupEnv},
		Wall: 30 * time.Second, Grace: 100 * time.Millisecond,
		Redact: []string{"*TOKEN*", "*SECRET*", "*KEY*", "*PASSWORD*"},
	}
}

func runFake(t *testing.T, s Start) round.Try {
	t.Helper()
	try, err := Run(t.Context(), s)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return try
}

func TestRunGivesTheGeneratorWhatItIsPromised(t *testing.T) {
	t.Setenv("LEFT_OUT", "x")
	s := startOf(t, "look", map[string]string{"LOOPRUN_TASK_ID": "forged", "EXTRA": "1"})
	try := runFake(t, s)
	var got seen
	data, err := os.ReadFile(filepath.Join(s.TaskDir, try.Stdout.Path))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("what the generator saw: %v", err)
	}
	want := []string{
		"EXTRA=1", "FAKE_ROLE=look", "PATH=" + os.Getenv("PATH"), "TRACEPARENT=00-01-02-01",
		"LOOPRUN_DEADLINE=2026-12-01T01:00:00Z", "LOOPRUN_EFFECTS_FILE=" + s.EffectsPath, "LOOPRUN_IDEMPOTENCY_KEY=key-1", "LOOPRUN_MODEL=m-1",
		"LOOPRUN_PLAN=" + s.PlanPath, "LOOPRUN_PROMPT_FILE=" + s.PromptPath, "LOOPRUN_REPORT=" + s.ReportPath, "LOOPRUN_REQUEST=" + s.RequestPath,
		"LOOPRUN_RESUME_ID=ses_1", "LOOPRUN_ROUND=2", "LOOPRUN_RUN_ID=" + s.RunID, "LOOPRUN_STRATEGY=continue", "LOOPRUN_TASK_ID=t1", "LOOPRUN_TRY=3",
	}
	sorted := cmpopts.SortSlices(strings.Compare)
	extra := cmpopts.IgnoreSliceElements(func(kv string) bool { return strings.HasPrefix(kv, "SYSTEMROOT=") })
	if diff := cmp.Diff(want, got.Env, sorted, extra); diff != "" {
		t.Errorf("the environment differs (-want +got):\n%s", diff)
	}
	if got.Prompt != string(s.Prompt) || got.OnDisk != string(s.Prompt) || got.Request != string(s.Request) {
		t.Errorf("the generator read %q, %q, %q; want the prompt twice and the request", got.Prompt, got.OnDisk, got.Request)
	}
	if real, _ := filepath.EvalSymlinks(s.Dir); got.Folder != s.Dir && got.Folder != real {
		t.Errorf("the generator ran in %q; want %q", got.Folder, s.Dir)
	}
	if len(got.Args) != 1 {
		t.Errorf("the generator was given arguments %q; want none", got.Args[1:])
	}
}

func TestRunInTheFirstRoundNamesNoPlan(t *testing.T) {
	s := startOf(t, "look", nil)
	s.PlanPath, s.Round, s.TraceParent, s.Strategy = "", 1, "", ""
	env := s.environ()
	for _, kv := range env {
		if strings.HasPrefix(kv, "LOOPRUN_PLAN=") || strings.HasPrefix(kv, "TRACEPARENT=") {
			t.Errorf("the environment has %q", kv)
		}
	}
	if !slices.Contains(env, "LOOPRUN_STRATEGY=") {
		t.Error("LOOPRUN_STRATEGY is not there; want it empty at the first start")
	}
}

func TestRunTellsHowItEnded(t *testing.T) {
	tests := map[string]struct {
		role string
		set  map[string]string
		want round.Try
	}{
		"a report and exit 0": {
			"say", map[string]string{"FAKE_REPORT": `{"status":"candidate_ready","summary":"done","approach":"NFKD","session_id":"ses_9","usage":{"input":10,"output":2,"cache_read":3},"cost_usd":"0.25","new":1}`},
			round.Try{
				Ended: "exit", Status: "candidate_ready", Summary: "done", Approach: "NFKD", SessionID: "ses_9",
				Usage: &round.Usage{Input: 10, Output: 2, CacheRead: 3}, Cost: money(250_000), Failure: recovery.Failure{Category: recovery.None, Rule: "success"},
			},
		},
		"no report and exit 0": {"say", nil, round.Try{Ended: "exit", Failure: recovery.Failure{Category: recovery.None, Rule: "success"}}},
		"words of success are only text": {
			"say", map[string]string{"FAKE_STDOUT": "DONE. All tests pass. rate limit 429 quota exceeded", "FAKE_EXIT": "3"},
			round.Try{Ended: "exit", ExitCode: 3, Failure: recovery.Failure{Category: recovery.Crashed, Rule: "bare-exit"}},
		},
		"a repository full of rate limits is no rate limit": {
			"say", map[string]string{"FAKE_STDOUT": "rate limit 429 quota exceeded", "FAKE_STDERR": "rate limit 429, quota exceeded\n"},
			round.Try{Ended: "exit", Failure: recovery.Failure{Category: recovery.None, Rule: "success"}},
		},
		"a question": {
			"say", map[string]string{"FAKE_REPORT": `{"status":"needs_input","question":"Which field?"}`},
			round.Try{Ended: "exit", Status: "needs_input", Question: "Which field?", Failure: recovery.Failure{Category: recovery.NeedsInfo, Rule: "report-needs-input", Detail: "Which field?"}},
		},
		"a question in the summary": {
			"say", map[string]string{"FAKE_REPORT": `{"status":"needs_input","summary":"Which field?"}`},
			round.Try{Ended: "exit", Status: "needs_input", Summary: "Which field?", Question: "Which field?", Failure: recovery.Failure{Category: recovery.NeedsInfo, Rule: "report-needs-input", Detail: "Which field?"}},
		},
		"an error with a category": {
			"say", map[string]string{"FAKE_REPORT": `{"status":"failed","error":{"code":"rate_limited","message":"slow down","retry_after_s":20}}`, "FAKE_EXIT": "1"},
			round.Try{Ended: "exit", ExitCode: 1, Status: "failed", Failure: recovery.Failure{Category: recovery.RateLimited, Rule: "report-error", Code: "rate_limited", Detail: "slow down"}},
		},
		"an error with a code of its own goes through the patterns": {
			"say", map[string]string{"FAKE_REPORT": `{"status":"failed","error":{"code":"x9","message":"HTTP 429 Too Many Requests"}}`},
			round.Try{Ended: "exit", Status: "failed", Failure: recovery.Failure{Category: recovery.RateLimited, Detail: "HTTP 429 Too Many Requests", Status: 429, Code: "x9"}},
		},
		"a report of the wrong form": {
			"say", map[string]string{"FAKE_REPORT": `{"status":"finished","usage":{"input":"many","output":7}}`},
			round.Try{Ended: "exit", Usage: &round.Usage{Output: 7}, Failure: recovery.Failure{
				Category: recovery.JSONError, Rule: "report-schema",
				Detail: `/status: want one of candidate_ready, no_change, needs_input, failed, got "finished"; /usage/input: want a whole number from 0 on, got the string "many"`,
			}},
		},
		"an empty report":           {"say", map[string]string{"FAKE_REPORT": " \n"}, round.Try{Ended: "exit", Failure: recovery.Failure{Category: recovery.JSONError, Rule: "report-schema", Detail: "/: empty"}}},
		"a report that is a link":   {"link", nil, round.Try{Ended: "exit", Failure: recovery.Failure{Category: recovery.JSONError, Rule: "report-schema", Detail: "/: not a readable file"}}},
		"a report that is a folder": {"folder", nil, round.Try{Ended: "exit", Failure: recovery.Failure{Category: recovery.JSONError, Rule: "report-schema", Detail: "/: not a readable file"}}},
		"a report without an end":   {"huge", nil, round.Try{Ended: "exit", Failure: recovery.Failure{Category: recovery.JSONError, Rule: "report-schema", Detail: "/: larger than 1048576 bytes"}}},
		"exit 127 of a shell":       {"say", map[string]string{"FAKE_EXIT": "127"}, round.Try{Ended: "exit", ExitCode: 127, Failure: recovery.Failure{Category: recovery.ToolUnavailable, Rule: "command-not-found"}}},
		"exit 139 of a shell":       {"say", map[string]string{"FAKE_EXIT": "139"}, round.Try{Ended: "exit", ExitCode: 139, Failure: recovery.Failure{Category: recovery.Crashed, Rule: "signal"}}},
		"an error on stderr":        {"say", map[string]string{"FAKE_EXIT": "1", "FAKE_STDERR": "connect ECONNREFUSED 10.0.0.1:443\n"}, round.Try{Ended: "exit", ExitCode: 1, Failure: recovery.Failure{Category: recovery.Network, Detail: "connect ECONNREFUSED 10.0.0.1:443"}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := startOf(t, tt.role, tt.set)
			got := runFake(t, s)
			tt.want.N, tt.want.Strategy, tt.want.Mode, tt.want.Model = 3, recovery.Continue, "repair", "m-1"
			ignore := cmp.Options{
				cmpopts.IgnoreFields(round.Try{}, "Started", "DurationMS", "ProcessControl", "Request", "Prompt", "Report", "Stdout", "Stderr"),
				cmpopts.IgnoreFields(recovery.Failure{}, "Class", "Retryable", "RetryAfter", "ResetAt"),
			}
			if tt.want.Failure.Rule == "" {
				got.Failure.Rule = ""
			}
			if diff := cmp.Diff(tt.want, got, ignore); diff != "" {
				t.Errorf("Run differs (-want +got):\n%s", diff)
			}
		})
	}
}

func money(m unit.Money) *unit.Money { return &m }

func TestRunRecordsEveryFile(t *testing.T) {
	report := `{"status":"no_change"}`
	s := startOf(t, "say", map[string]string{"FAKE_REPORT": report, "FAKE_STDOUT": "out", "FAKE_STDERR": "err"})
	try := runFake(t, s)
	want := map[string]struct {
		got  round.File
		data string
	}{
		"attempts/round-002/request.json":       {try.Request, string(s.Request)},
		"attempts/round-002/prompt.md":          {try.Prompt, string(s.Prompt)},
		"attempts/round-002/try-03.report.json": {try.Report, report},
		"attempts/round-002/try-03.stdout":      {try.Stdout, "out"},
		"attempts/round-002/try-03.stderr":      {try.Stderr, "err"},
	}
	for path, w := range want {
		sum := sha256.Sum256([]byte(w.data))
		file := round.File{Path: path, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(w.data))}
		if w.got != file {
			t.Errorf("file = %+v; want %+v", w.got, file)
		}
		if data, err := os.ReadFile(filepath.Join(s.TaskDir, path)); err != nil || string(data) != w.data {
			t.Errorf("%s holds %q, %v; want %q", path, data, err, w.data)
		}
	}
}

func TestRunNamesWhyAFileIsMissing(t *testing.T) {
	s := startOf(t, "gone", nil)
	s.Env.Set["FAKE_FOLDER"] = filepath.Dir(s.ReportPath)
	if got := runFake(t, s).Report; got != (round.File{Missing: "its folder is gone"}) {
		t.Errorf("report = %+v; want its folder gone", got)
	}
	s = startOf(t, "say", nil)
	s.Command = []string{"no-such-command-here"}
	try := runFake(t, s)
	if try.Failure.Category != recovery.ToolUnavailable || try.Stdout.Missing == "" || try.Report.Missing == "" {
		t.Errorf("a command that is missing gives %+v; want tool_unavailable and no files", try)
	}
}

func TestRunForgetsTheReportOfAnEarlierStart(t *testing.T) {
	s := startOf(t, "say", nil)
	if err := os.MkdirAll(filepath.Dir(s.ReportPath), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.ReportPath, []byte(`{"status":"needs_input"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if try := runFake(t, s); try.Status != "" || try.Report.Missing != "none was written" {
		t.Errorf("Run believes an old report: %q, %+v", try.Status, try.Report)
	}
}

func TestRunLetsNoSecretIntoARecord(t *testing.T) {
	secret := "correct-horse-battery"
	s := startOf(t, "leak", map[string]string{"MY_API_TOKEN": secret})
	try := runFake(t, s)
	all, _ := json.Marshal(try)
	if strings.Contains(string(all), secret) {
		t.Errorf("the try holds the secret: %s", all)
	}
	if try.Summary != "key [redacted]" {
		t.Errorf("summary = %q; want the secret redacted", try.Summary)
	}
	err := filepath.WalkDir(filepath.Dir(s.TaskDir), func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRunEndsAtItsLimits(t *testing.T) {
	tests := map[string]struct {
		limit func(*Start)
		want  recovery.Category
		ended string
	}{
		"the wall limit is a timeout": {func(s *Start) { s.Wall = 50 * time.Millisecond }, recovery.Timeout, "timeout"},
		"silence is a stall":          {func(s *Start) { s.Silence = 50 * time.Millisecond }, recovery.Stalled, "silence"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := startOf(t, "hang", nil)
			tt.limit(&s)
			try := runFake(t, s)
			if try.Failure.Category != tt.want || try.Ended != tt.ended {
				t.Errorf("Run = %s, %s; want %s, %s", try.Ended, try.Failure.Category, tt.ended, tt.want)
			}
		})
	}
}

func TestRunThatIsInterruptedIsATryThatWas(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := startOf(t, "hang", nil)
	s.Started = func(child.Proc) { cancel() }
	try, err := Run(ctx, s)
	if err != nil || try.Failure.Category != recovery.Interrupted {
		t.Errorf("Run = %s, %v; want interrupted", try.Failure.Category, err)
	}
}

func TestRunLeavesNoProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not tell every process that is left")
	}
	if try := runFake(t, startOf(t, "child", nil)); try.ProcessesEnded != 1 {
		t.Errorf("Run ended %d processes; want the one that the generator left", try.ProcessesEnded)
	}
}

func TestRunAsksWhetherTheTreeChanged(t *testing.T) {
	s := startOf(t, "say", nil)
	asked := 0
	s.Changed = func(context.Context) (bool, error) { asked++; return true, nil }
	runFake(t, s)
	if asked != 1 {
		t.Errorf("Run asked %d times; want once", asked)
	}
	fault := errors.New("no snapshot")
	s.Changed = func(context.Context) (bool, error) { return false, fault }
	if _, err := Run(t.Context(), s); !errors.Is(err, fault) {
		t.Errorf("Run = %v; want %v", err, fault)
	}
}
