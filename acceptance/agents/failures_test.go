package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
)

// A failure is one way in which a run can end, and what it must be told to be.
type failure struct {
	name   string
	script []any
	want   recovery.Category
	except map[string]recovery.Category // by the name of the CLI
	after  time.Duration                // the wait that was asked for
	hides  []string                     // CLIs that do not pass it on
	resume string
}

// step is a step of the model's script with members.
func step(do string, members ...any) map[string]any {
	m := map[string]any{"do": do}
	for i := 0; i < len(members); i += 2 {
		m[members[i].(string)] = members[i+1]
	}
	return m
}

var failures = []failure{
	{name: "rate-limited", script: []any{"429"}, want: recovery.RateLimited, after: 3 * time.Second, hides: []string{"codex"}},
	{name: "bad-key", script: []any{"401"}, want: recovery.Auth},
	{name: "context-full", script: []any{"ctx"}, want: recovery.ContextWindow},
	{name: "cut-output", script: []any{"length"}, want: recovery.OutputTruncated},
	{name: "empty-answer", script: []any{"empty"}, want: recovery.EmptyResponse},
	// claude asks again without a stream, which the model answers as a whole: the
	// usage is that of two requests.
	{name: "dropped-stream", script: []any{"drop-mid"}, want: recovery.Network, except: map[string]recovery.Category{"claude": recovery.None}},
	{name: "dropped-connection", script: []any{"drop"}, want: recovery.Network},
	{name: "broken-arguments", script: []any{"broken", "final"}, want: recovery.EditError},
	{name: "never-answers", script: []any{"hang"}, want: recovery.Stalled},
	{name: "lost-session", script: []any{"final"}, want: recovery.SessionLost, resume: "lost"},
}

// lostSessions have the form of the CLI's own ids.
var lostSessions = map[string]string{"opencode": "ses_dd16a4bbcffe7lVtKJHkaFwdc2"}

// Every CLI, with the settings that looprun gives it, tells its failures in a
// way that looprun understands, and in a time that is bounded.
func TestFailuresAreToldApart(t *testing.T) {
	each(t, func(t *testing.T, c cli) {
		bin, m := c.install(t), startModel(t)
		for _, f := range failures {
			t.Run(f.name, func(t *testing.T) {
				m.play(t, f.script...)
				b := newBench(t, c, bin, m)
				if f.resume != "" {
					b.start.ResumeID = "01a22e55-2be6-7b91-b429-56d32c36cfee"
					if id := lostSessions[c.name]; id != "" {
						b.start.ResumeID = id
					}
				}
				try := b.run(t)
				want := f.want
				if other, ok := f.except[c.name]; ok {
					want = other
				}
				got := try.Failure
				t.Logf("%s by %s after %d ms, %d requests, exit %d: %s", got.Category, got.Rule, try.DurationMS, m.requests(t), try.ExitCode, got.Detail)
				if got.Category != want {
					t.Errorf("category = %s by %s (%s); want %s", got.Category, got.Rule, got.Detail, want)
				}
				hides := false
				for _, name := range f.hides {
					hides = hides || name == c.name
				}
				if f.after > 0 && !hides && (got.RetryAfter == nil || *got.RetryAfter != f.after) {
					t.Errorf("retry after %v; want %v", got.RetryAfter, f.after)
				}
				b.record(t, f.name, try)
			})
		}
	})
}

// A run that goes well tells its session and what it took; gone on with, it
// tells what the second try took, not both.
func TestASessionIsGoneOnWith(t *testing.T) {
	each(t, func(t *testing.T, c cli) {
		bin, m := c.install(t), startModel(t)
		b := newBench(t, c, bin, m)
		m.play(t, "edit", "final")
		first := b.run(t)
		want := round.Usage{Input: 2000, Output: 68, CacheRead: 400}
		if first.Failure.Category != recovery.None || first.SessionID == "" || first.Usage == nil || *first.Usage != want {
			t.Fatalf("first try: %s (%s), session %q, usage %+v; want none, a session and %+v", first.Failure.Category, first.Failure.Detail, first.SessionID, first.Usage, want)
		}
		if !b.changed() {
			t.Error("the first try wrote nothing")
		}
		b.record(t, "success", first)

		m.play(t, "final")
		b.start.Try, b.start.ResumeID = 2, first.SessionID
		b.start.Before.Usage = *first.Usage
		if first.Cost != nil {
			b.start.Before.Cost = *first.Cost
		}
		second := b.run(t)
		n := int64(m.requests(t))
		want = round.Usage{Input: 1000 * n, Output: 34 * n, CacheRead: 200 * n}
		if second.SessionID != first.SessionID || second.Usage == nil || *second.Usage != want {
			t.Errorf("second try: %s, session %q, usage %+v; want session %q and %+v", second.Failure.Category, second.SessionID, second.Usage, first.SessionID, want)
		}
		t.Logf("first: usage %+v, cost %v; second: %d requests, usage %+v, cost %v", *first.Usage, first.Cost, n, *second.Usage, second.Cost)
		b.record(t, "resumed", second)
	})
}

// The programs as installed are found, of a known version, and know the flags.
func TestCheckFindsTheInstalledProgram(t *testing.T) {
	each(t, func(t *testing.T, c cli) {
		a, _ := generator.Find(c.name)
		a.Command = []string{c.install(t)}
		env := c.home(t, "http://127.0.0.1:1")
		for _, f := range generator.Check(t.Context(), a, func(name string) (string, bool) { v, ok := env[name]; return v, ok }) {
			t.Logf("%s: %v: %s", f.Name, f.OK, f.Text)
			if !f.OK {
				t.Errorf("%s: %s (%s); want it fine", f.Name, f.Text, f.Hint)
			}
		}
	})
}

// A bench is a place in which tries of one CLI run.
type bench struct {
	cli   cli
	start generator.Start
	env   map[string]string
}

func newBench(t *testing.T, c cli, bin string, m model) *bench {
	t.Helper()
	dir, env := t.TempDir(), c.home(t, m.base)
	adapter, ok := generator.Find(c.name)
	if !ok {
		t.Fatalf("no adapter %s", c.name)
	}
	tree, records, exchange := filepath.Join(dir, "tree"), filepath.Join(dir, "records"), filepath.Join(dir, "exchange")
	for _, sub := range []string{tree, records, exchange} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	command(t, tree, "git", "init", "-q")
	return &bench{cli: c, env: env, start: generator.Start{
		Adapter: adapter, Command: []string{bin}, Home: dir, Dir: tree, TaskDir: records, LogDir: filepath.Join(records, "logs"),
		Request: []byte("{}\n"), Prompt: []byte("# Task t1\n\nWrite hello.txt.\n"),
		RequestPath: filepath.Join(exchange, "request.json"), PromptPath: filepath.Join(exchange, "prompt.md"),
		ReportPath: filepath.Join(exchange, "report.json"), EffectsPath: filepath.Join(exchange, "effects.jsonl"),
		Store: filepath.Join(exchange, "agent"), Confined: true,
		TaskID: "t1", Round: 1, Try: 1, Model: c.model, Deadline: time.Now().Add(time.Hour),
		Env:  generator.Env{Pass: keys(env), Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }},
		Wall: 4 * time.Minute, Silence: 100 * time.Second, Grace: 2 * time.Second,
	}}
}

func keys(m map[string]string) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	return names
}

// run runs one try. A model that never answers is waited for less long.
func (b *bench) run(t *testing.T) round.Try {
	t.Helper()
	b.start.RunID = fmt.Sprintf("agents-%s-%d", b.cli.name, time.Now().UnixNano())
	if filepath.Base(t.Name()) == "never-answers" {
		b.start.Silence = 25 * time.Second
	}
	before := b.changed()
	b.start.Changed = changedIn(b, before)
	try, err := generator.Run(t.Context(), b.start)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return try
}

// changed reports whether the file is there that the tries are to write.
func (b *bench) changed() bool {
	_, err := os.Stat(filepath.Join(b.start.Dir, "hello.txt"))
	return err == nil
}
