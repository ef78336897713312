package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

var sameSettings = cmp.Options{cmpopts.IgnoreUnexported(Config{}), cmpopts.EquateEmpty()}

// testdata/reference.yaml is the file that the documentation shows: every key
// with its built-in value, and one profile.
func TestReferenceShowsTheDefaults(t *testing.T) {
	data, err := os.ReadFile("testdata/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "loop.yaml")
	got, faults := Parse(file, data)
	want := Default()
	want.Dir = filepath.Dir(file)
	want.Verification.Profiles = map[string][]round.Check{
		"unit": {{Run: []string{"go", "test", "./..."}, Timeout: minutes(10), Format: "auto", Dir: "."}},
	}
	if diff := cmp.Diff(want, got, sameSettings); diff != "" || len(faults) > 0 {
		t.Errorf("Parse(reference) = %v, differs from the defaults (-want +got):\n%s", faults, diff)
	}
	for _, w := range got.Warnings() {
		if w.Code != task.CodeBlind { // of the profile, which is an example
			t.Errorf("warning %v; want none for the defaults", w)
		}
	}
}

func TestExampleIsEnough(t *testing.T) {
	c, faults := Parse("loop.yaml", []byte(Example))
	if len(faults) > 0 || len(c.Warnings()) > 0 {
		t.Errorf("Parse(Example) = %v, %v; want neither fault nor warning", faults, c.Warnings())
	}
}

const everySetting = `
version: 1
queue: {concurrency: 4, rescan: 10s, watch: poll, max_unmerged: 7, disk_floor: 1GiB}
workspace:
  mode: isolated
  base: origin/main
  dir: /var/trees
  setup: [{run: [npm, ci], inputs: [package-lock.json], timeout: 5m}, {run: [make]}]
  share: [node_modules]
  allow_network_fs: true
land: {mode: merge, branch: "auto/{id}"}
generator:
  adapter: codex
  models: [a, b]
  resume: true
  timeout: 20m
  silence: 5m
  grace: 3s
  probe: [./probe]
  summarizer: [sum, "-x"]
  env: {pass: [PATH], set: {DEBUG: no, PORT: 8080}}
verification:
  profiles:
    unit: [{run: [go, test], timeout: 1m, report: out/r.xml, format: junit, hidden: /srv/hidden, dir: sub}]
    lint: [{run: [lint]}, {run: [vet]}]
  always: [lint]
  baseline: false
  canary: true
  canary_skip: {lint: reads nothing}
  flaky_reruns: 2
  env: {pass: [LANG], set: {GOCACHE: /tmp/c}}
  masks: [{name: run-id, regex: "run [0-9]+"}]
boundary: {allow: ["src/**"], protect: ["a", "!.github/**"], max_changed_files: 1, max_changed_lines: 2, max_bytes: 3KiB}
stop:
  max_rounds_per_task: 4
  same_failure_limit: 3
  max_tries: 9
  wall_clock: 1h
  deadline: 12h
  max_tokens: 5
  cost_usd: "1.50"
  min_try_cost_usd: "0.25"
  daily_cost_usd: "9"
recovery:
  backoff: {base: 1s, factor: 1.5, cap: 1m, jitter: none, max_wait: 1h}
  inline_wait: 1s
  hold: 2s
  breaker: {consecutive: 4, tasks: 1, in_window: 6, window: 1m, open: 2s, open_max: 3s}
  retry_budget: {window: 4s, max: 5}
  chains:
    rate_limited: {enabled: false}
    network: {steps: [{strategy: retry, max: 5, base: 1s, factor: 3, cap: 5m}, {strategy: x-swap}], then: hold}
    json_error: {steps: [{strategy: remind, text: "valid JSON, please"}, {strategy: abort, message: gave up}]}
    context_window: {steps: [{strategy: truncate, max: 3, ratio: 0.5, floor: 500}, {strategy: replan}]}
    x-proxy: {steps: [{strategy: retry}]}
  patterns:
    - {id: proxy, when: {stage: generator, source: stderr, regex: "proxy (\\d+)"}, category: x-proxy, class: transient, retry_after: {regex: "(\\d+)s", unit: s}}
    - {id: quota, when: {pointer: /error/code, equals: quota}, category: quota_exhausted}
  strategies: {x-swap: {run: [./swap], timeout: 5s, tags: [new_target, waits, fresh]}}
effects:
  deploy: {target: prod, repeat: keyed, irreversible: true, observe: [./obs], compensate: [./undo], timeout: 5s}
  mail: {}
sandbox: {mode: require, read: [/opt], write: [/cache], network: open}
hooks: {done: [./n, done], blocked: [b], needs_input: [c], held: [d], breaker_open: [e], webhook: "https://example.org/hook"}
metrics: {textfile_dir: /var/metrics}
records: {keep: 12h, max_output: 1MiB, redact: [A, B]}
engine: {temporal: {queue: q, size: 3, off: null, list: [a]}}
`

func TestParseReadsEverySetting(t *testing.T) {
	got, faults := Parse("/repo/loop.yaml", []byte(everySetting))
	chains := recovery.DefaultChains()
	limited := chains["rate_limited"]
	limited.Disabled = true
	chains["rate_limited"] = limited
	chains["network"] = recovery.Chain{Then: "hold", Steps: []recovery.Step{
		{Strategy: "retry", Max: 5, Base: seconds(1), Factor: 3, Cap: minutes(5)}, {Strategy: "x-swap", Max: 1}}}
	chains["json_error"] = recovery.Chain{Then: "block", Steps: []recovery.Step{
		{Strategy: "remind", Max: 1, Text: "valid JSON, please"}, {Strategy: "abort", Max: 1, Message: "gave up"}}}
	chains["context_window"] = recovery.Chain{Then: "replan", Steps: []recovery.Step{
		{Strategy: "truncate", Max: 3, Ratio: 0.5, Floor: 500}, {Strategy: "replan", Max: recovery.Unbounded}}}
	chains["x-proxy"] = recovery.Chain{Then: "block", Steps: []recovery.Step{{Strategy: "retry", Max: 1}}}
	want := Config{
		Queue: Queue{Concurrency: 4, Rescan: seconds(10), Watch: "poll", MaxUnmerged: 7, DiskFloor: 1 << 30},
		Workspace: Workspace{
			Mode: Isolated, Base: "origin/main", Dir: "/var/trees", Share: []string{"node_modules"}, AllowNetworkFS: true,
			Setup: []Setup{{Run: []string{"npm", "ci"}, Inputs: []string{"package-lock.json"}, Timeout: minutes(5)}, {Run: []string{"make"}, Timeout: minutes(10)}},
		},
		Land: Land{Mode: "merge", Branch: "auto/{id}"},
		Generator: Generator{
			Adapter: "codex", Models: []string{"a", "b"}, Resume: true, Timeout: minutes(20), Silence: minutes(5), Grace: seconds(3),
			Probe: []string{"./probe"}, Summarizer: []string{"sum", "-x"},
			Env: Env{Pass: []string{"PATH"}, Set: map[string]string{"DEBUG": "no", "PORT": "8080"}},
		},
		Verification: Verification{
			Profiles: map[string][]round.Check{
				"unit": {{Run: []string{"go", "test"}, Timeout: minutes(1), Report: "out/r.xml", Format: "junit", Hidden: "/srv/hidden", Dir: "sub"}},
				"lint": {{Run: []string{"lint"}, Timeout: minutes(10), Format: "auto", Dir: "."}, {Run: []string{"vet"}, Timeout: minutes(10), Format: "auto", Dir: "."}},
			},
			Always: []string{"lint"}, Canary: true, CanarySkip: map[string]string{"lint": "reads nothing"}, FlakyReruns: 2,
			Env:   Env{Pass: []string{"LANG"}, Set: map[string]string{"GOCACHE": "/tmp/c"}},
			Masks: []round.Mask{{Name: "run-id", Regex: "run [0-9]+"}},
		},
		Boundary: round.Boundary{Allow: []string{"src/**"}, Protect: []string{"a", "!.github/**"}, MaxFiles: 1, MaxLines: 2, MaxBytes: 3 << 10},
		Stop: Stop{MaxRounds: 4, SameFailure: 3, MaxTries: 9, WallClock: hours(1), Deadline: hours(12), MaxTokens: 5,
			Cost: 1_500_000, MinTryCost: 250_000, DailyCost: 9_000_000},
		Recovery: Recovery{
			Backoff:    recovery.Backoff{Base: seconds(1), Factor: 1.5, Cap: minutes(1), MaxWait: hours(1)},
			InlineWait: seconds(1), Hold: seconds(2),
			Breaker:     recovery.Breaker{Consecutive: 4, Tasks: 1, InWindow: 6, Window: minutes(1), Open: seconds(2), OpenMax: seconds(3)},
			RetryBudget: recovery.Budget{Window: seconds(4), Max: 5},
			Chains:      chains,
			Patterns: []recovery.Pattern{
				{ID: "proxy", Stage: "generator", Source: "stderr", Regex: `proxy (\d+)`, Category: "x-proxy", Class: "transient", RetryAfter: &recovery.RetryAfter{Regex: `(\d+)s`, Unit: "s"}},
				{ID: "quota", Pointer: "/error/code", Equals: "quota", Category: "quota_exhausted"},
			},
			Strategies: map[recovery.Strategy]round.Command{"x-swap": {Run: []string{"./swap"}, Timeout: seconds(5), Tags: []string{"new_target", "waits", "fresh"}}},
		},
		Effects: map[string]round.Effect{
			"deploy": {Target: "prod", Repeat: "keyed", Irreversible: true, Observe: []string{"./obs"}, Compensate: []string{"./undo"}, Timeout: seconds(5)},
			"mail":   {Repeat: "never", Timeout: seconds(60)},
		},
		Sandbox: Sandbox{Mode: "require", Read: []string{"/opt"}, Write: []string{"/cache"}, Network: "open"},
		Hooks: Hooks{Done: []string{"./n", "done"}, Blocked: []string{"b"}, NeedsInput: []string{"c"}, Held: []string{"d"},
			BreakerOpen: []string{"e"}, Webhook: "https://example.org/hook"},
		Metrics: Metrics{TextfileDir: "/var/metrics"},
		Records: Records{Keep: hours(12), MaxOutput: 1 << 20, Redact: []string{"A", "B"}},
		Engine:  map[string]any{"temporal": map[string]any{"queue": "q", "size": "3", "off": nil, "list": []any{"a"}}},
		Dir:     "/repo",
	}
	if diff := cmp.Diff(want, got, sameSettings); diff != "" || len(faults) > 0 {
		t.Errorf("Parse = %v, differs (-want +got):\n%s", faults, diff)
	}
}

// enough is a file that lacks nothing, with one more line of settings.
func enough(more string) string {
	return "verification: {profiles: {unit: [{run: [./check]}]}, always: [unit]}\n" + more
}

func places(faults []task.Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d:%d %s %s", f.Line, f.Col, f.Code, f.Field)))
	}
	return out
}

func TestOrigin(t *testing.T) {
	c, _ := Parse("loop.yaml", []byte(enough("stop:\n  max_tries: 5\ngenerator: {command: [a, b]}\n")))
	tests := map[string]struct {
		line  int
		given bool
	}{
		"stop.max_tries":               {3, true},
		"generator.command[1]":         {4, true},
		"verification.profiles.unit":   {1, true},
		"stop.deadline":                {0, false},
		"recovery.chains.rate_limited": {0, false},
	}
	for path, want := range tests {
		if line, given := c.Origin(path); line != want.line || given != want.given {
			t.Errorf("Origin(%s) = %d, %v; want %d, %v", path, line, given, want.line, want.given)
		}
	}
}

func TestArgv(t *testing.T) {
	c, _ := Parse("/repo/sub/loop.yaml", []byte(Example))
	tests := map[string]struct{ command, want []string }{
		"a name is left to PATH":              {[]string{"go", "./x"}, []string{"go", "./x"}},
		"a path starts at loop.yaml's folder": {[]string{"./agent.sh", "./x"}, []string{"/repo/sub/agent.sh", "./x"}},
		"an absolute path stays":              {[]string{"/bin/sh"}, []string{"/bin/sh"}},
		"no command stays none":               {nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(tt.command)
			if diff := cmp.Diff(tt.want, c.Argv(tt.command)); diff != "" || !slices.Equal(before, tt.command) {
				t.Errorf("Argv(%v) differs (-want +got):\n%s", before, diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{Example, everySetting, "", "a: &a [*a]", "<<: {a: 1}", "---\n---\n", "stop: {max_tries: 0x1}", "\tx: 1", "? [a]\n: b", "queue: ! {}", "a: |\n  b\n", "{", "a: 'b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, faults := Parse("/repo/loop.yaml", data)
		for i, fault := range faults {
			if fault.File == "" || fault.Msg == "" || fault.Code == "" {
				t.Errorf("Parse(%q): fault %+v lacks a part", data, fault)
			}
			if fault.Code != task.CodeFurtherFault && (fault.Line < 1 || fault.Col < 1) {
				t.Errorf("Parse(%q): fault %+v has no place", data, fault)
			}
			if i > 0 && i < task.MaxFaults && fault.Line < faults[i-1].Line {
				t.Errorf("Parse(%q) = %v; want them in order", data, faults)
			}
		}
		if len(faults) > 0 {
			return
		}
		if len(c.Verification.Profiles) == 0 || !finite(c.Stop) {
			t.Errorf("Parse(%q) = %+v; want profiles and finite limits", data, c)
		}
		c.Warnings()
		c.Policy(task.Task{ID: "t"})
	})
}

func finite(s Stop) bool {
	return s.MaxRounds > 0 && s.SameFailure > 0 && s.MaxTries > 0 && s.WallClock > 0 && s.Deadline > 0 && s.MaxTokens > 0 &&
		s.Cost > 0 && s.DailyCost > 0 && s.WallClock < unit.Duration(time.Duration(1<<63-1)) && s.MaxTries <= maxCount
}
