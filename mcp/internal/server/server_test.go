//go:build unix

package server

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"looprun.dev/looprun/internal/cli"
)

// The agent writes down what it was told, so that an answer makes a difference.
const loopYAML = `version: 1
sandbox: off
generator: {command: [sh, -c, "cat >a.txt"], env: {pass: [PATH]}}
verification:
  profiles: {unit: [{run: [sh, check.sh]}]}
  always: [unit]
  baseline: false
  canary: false
boundary: {protect: ["!a.txt"]}
`

// A place is a repository that looprun works in.
type place struct {
	t *testing.T
	Options
}

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{t, Options{Dir: filepath.Join(t.TempDir(), "repo"), Version: "test", Environ: append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())}}
	t.Setenv("XDG_STATE_HOME", filepath.Join(p.Dir, "..", "state"))
	if err := os.MkdirAll(filepath.Join(p.Dir, "tasks", "inbox"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"loop.yaml": loopYAML, "a.txt": "base\n", "check.sh": "grep -q zebra a.txt\n", ".gitignore": "/tasks/\n/.loop/\n"} {
		if err := os.WriteFile(filepath.Join(p.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.git("init", "-q", "-b", "main")
	p.git("add", "-A")
	p.git("-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "base")
	return p
}

func (p place) git(args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// run makes a pass, as cron would.
func (p place) run(code int) {
	p.t.Helper()
	if a := (cli.Call{Args: []string{"-C", p.Dir, "run"}, Environ: p.Environ}).Run(p.t.Context()); a.Code != code {
		p.t.Fatalf("run ended with %d, want %d\n%s%s", a.Code, code, a.Out, a.Faults)
	}
}

// connect is a client of a server in this process.
func (p place) connect() *mcp.ClientSession {
	p.t.Helper()
	here, there := mcp.NewInMemoryTransports()
	if _, err := New(p.Options).Connect(p.t.Context(), there, nil); err != nil {
		p.t.Fatal(err)
	}
	return session(p.t, here)
}

func session(t *testing.T, over mcp.Transport) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), over, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// call uses a tool, and returns its answer as JSON, or the text of its error.
func call(t *testing.T, c *mcp.ClientSession, tool string, arguments map[string]any) (answer string, failed bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if r.IsError {
		return r.Content[0].(*mcp.TextContent).Text, true
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), false
}

func TestTheToolsAreTheCommands(t *testing.T) {
	p := newPlace(t)
	c := p.connect()
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, tool := range tools.Tools {
		got[tool.Name] = tool.Annotations.ReadOnlyHint
	}
	for name, reads := range map[string]bool{"list": true, "show": true, "explain": true, "add": false, "answer": false} {
		if is, ok := got[name]; !ok || is != reads || len(got) != 5 {
			t.Errorf("tools %v; want %s to be there, read-only %v, and four others", got, name, reads)
		}
	}
}

// A day of an agent: it files two tasks, reads what became of them, and answers.
func TestAnAgentFilesReadsAndAnswers(t *testing.T) {
	p := newPlace(t)
	c := p.connect()
	steps := []struct {
		tool      string
		arguments map[string]any
		failed    bool
		want      []string // in the answer, in this order
		run       int      // the exit code of a run before the step, -1 for none
	}{
		{"list", nil, false, []string{`{"tasks":[]}`}, -1},
		{"add", map[string]any{"id": "good", "goal": "paint a zebra", "verify": []string{"unit"}}, false, []string{`"id":"good"`, `"stage":"inbox"`}, -1},
		{"add", map[string]any{"id": "bad", "goal": "be good too"}, false, []string{`"id":"bad"`}, -1},
		{"add", map[string]any{"id": "good", "goal": "again"}, true, []string{"good"}, -1},
		{"add", map[string]any{"id": "No", "goal": "x"}, true, []string{"bad id", "No"}, -1},
		{"add", map[string]any{"id": "other", "goal": "x", "verify": []string{"unti"}}, true, []string{"unti"}, -1},
		{"show", map[string]any{"id": "good"}, false, []string{`"stage":"inbox"`}, -1},
		{"list", map[string]any{}, false, []string{`"id":"good"`, `"stage":"done"`, `"id":"bad"`, `"stage":"needs-input"`}, 2},
		{"show", map[string]any{"id": "ba"}, false, []string{`"decision":"needs_input"`, `"reason":"same_failure_limit_reached"`}, -1},
		{"explain", map[string]any{"id": "bad"}, false, []string{`"because":`, `"left_round":1`, `"right_round":2`}, -1},
		{"answer", map[string]any{"id": "good", "text": "more"}, true, []string{"good is done"}, -1},
		{"answer", map[string]any{"id": "bad", "text": "--zebra"}, false, []string{`"id":"bad-2"`}, -1},
		{"show", map[string]any{"id": "bad-2"}, false, []string{`"decision":"completed"`}, 0},
		{"show", map[string]any{"id": "nobody"}, true, []string{"no such task"}, -1},
		{"show", map[string]any{"id": "--help"}, true, []string{"no such task"}, -1},
		{"add", map[string]any{"id": "tests", "goal": "Add unit tests", "allow": []string{"a.txt"}}, false, []string{`"id":"tests"`, `"warnings":`, "no test file may be changed"}, -1},
	}
	for _, s := range steps {
		if s.run >= 0 {
			p.run(s.run)
		}
		got, failed := call(t, c, s.tool, s.arguments)
		rest := got
		for _, want := range s.want {
			at := strings.Index(rest, want)
			if at < 0 || failed != s.failed {
				t.Fatalf("%s %v: error %v: %s\nwant error %v, and %q", s.tool, s.arguments, failed, got, s.failed, s.want)
			}
			if s.tool != "list" {
				rest = rest[at+len(want):]
			}
		}
	}
}

func TestAnswersAtOnceAreTasksOfTheirOwn(t *testing.T) {
	p := newPlace(t)
	c := p.connect()
	call(t, c, "add", map[string]any{"id": "bad", "goal": "be good"})
	p.run(2)
	answers := make(chan string)
	for range 4 {
		go func() {
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "answer", Arguments: map[string]any{"id": "bad", "text": "zebra"}})
			if err != nil || r.IsError {
				answers <- fmt.Sprintf("%v, %v", r, err)
				return
			}
			answers <- fmt.Sprint(r.StructuredContent)
		}()
	}
	ids := map[string]bool{}
	for range 4 {
		ids[<-answers] = true
	}
	for n := 2; n < 6; n++ {
		if want := fmt.Sprintf("map[id:bad-%d stage:inbox]", n); !ids[want] {
			t.Errorf("answers %v; want %s among them", ids, want)
		}
	}
}

// What an agent may not do is nowhere among the arguments.
func TestAnAgentCannotApprove(t *testing.T) {
	p := newPlace(t)
	r, err := p.connect().CallTool(t.Context(), &mcp.CallToolParams{Name: "answer", Arguments: map[string]any{"id": "x", "text": "y", "approve": true}})
	if err == nil && (!r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "approve")) {
		t.Errorf("answer took approve: %+v", r)
	}
}

func TestWithoutALoopYAMLEveryToolSaysSo(t *testing.T) {
	p := newPlace(t)
	p.Dir = t.TempDir()
	for tool, arguments := range map[string]map[string]any{
		"list": {}, "show": {"id": "x"}, "explain": {"id": "x"}, "add": {"id": "x", "goal": "y"}, "answer": {"id": "x", "text": "y"},
	} {
		if got, failed := call(t, p.connect(), tool, arguments); !failed || !strings.Contains(got, "loop.yaml") {
			t.Errorf("%s = %q, error %v; want an error about loop.yaml", tool, got, failed)
		}
	}
}

func FuzzObjects(f *testing.F) {
	f.Add([]byte("{\"a\": 1}\n{}\n"))
	f.Add([]byte("null"))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, out []byte) {
		all, err := objects(out)
		for _, one := range all {
			if one == nil && err == nil {
				t.Errorf("objects(%q) has a nil", out)
			}
		}
	})
}
