package agents

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wrong and right are what the agent writes before and after it was told what
// the check saw.
const (
	wrong = "goodbye, world\n"
	right = "hello, world\n"
)

// A whole task with a real agent: its first edit is wrong, the plan of the
// second round tells it what the check saw, and the second edit is right. The
// model gives the right answer only to a request that has the check's own words
// in it.
func TestATaskOfTwoRounds(t *testing.T) {
	looprun := filepath.Join(t.TempDir(), "looprun")
	each(t, func(t *testing.T, c cli) {
		if _, err := os.Stat(looprun); err != nil {
			command(t, "../..", "go", "build", "-o", looprun, "./cmd/looprun")
		}
		bin, m := c.install(t), startModel(t)
		edit := edits(c)
		m.play(t, edit, "final", edit, "final")
		dir, env := repository(t, c, bin, m)
		out, code := pass(t, looprun, dir, env)
		t.Logf("%d requests\n%s", m.requests(t), out)
		if code != 0 {
			t.Fatalf("looprun run ended with %d; want 0", code)
		}
		if got := command(t, dir, "git", "show", "looprun/greet:greeting.txt"); got != right {
			t.Errorf("the branch holds %q; want %q", got, right)
		}
		judged(t, dir)
		if status := command(t, dir, "git", "status", "--porcelain"); status != "" {
			t.Errorf("the checkout changed: %s", status)
		}
		if rest := command(t, dir, "sh", "-c", "ps -eo args | grep -F '"+filepath.Dir(bin)+"' | grep -v grep || true"); rest != "" {
			t.Errorf("still running: %s", rest)
		}
	})
}

// edits is the step that writes the greeting: with the tool that the CLI offers
// for it, or by a command where that asks for the file to be read before.
func edits(c cli) any {
	const told = "want: hello, world"
	if c.shell {
		write := func(text string) string { return "printf '%s\\n' '" + strings.TrimSpace(text) + "' >greeting.txt" }
		return step("shell", "cmd", write(wrong), "where", map[string]any{"has": told, "cmd": write(right)})
	}
	return step("edit", "path", "greeting.txt", "content", wrong, "where", map[string]any{"has": told, "content": right})
}

// repository is a small one with a check that the agent cannot touch, a task,
// and a loop.yaml that does no more than name the adapter.
func repository(t *testing.T, c cli, bin string, m model) (dir string, env map[string]string) {
	t.Helper()
	dir, env = t.TempDir(), c.home(t, m.base)
	names := []string{"PATH", "HOME", "LANG"}
	for name := range c.env {
		names = append(names, name)
	}
	slices.Sort(names)
	pass, _ := json.Marshal(names)
	files := map[string]string{
		"greeting.txt": "hi there\n",
		"check.sh":     "#!/bin/sh\nread -r got <greeting.txt\n[ \"$got\" = 'hello, world' ] && exit 0\necho \"greeting.txt: want: hello, world, got: $got\"\nexit 1\n",
		".gitignore":   "/tasks/\n/.loop/\n",
		"loop.yaml": `version: 1
generator:
  adapter: ` + c.name + `
  command: ["` + bin + `"]
  models: [` + c.model + `]
  timeout: 5m
  env: {pass: ` + string(pass) + `}
sandbox: {mode: auto, read: ["` + cache() + `"]}
verification:
  profiles:
    greeting:
      - run: [sh, check.sh]
  always: []
`,
		"tasks/inbox/greet.json": `{"id": "greet", "title": "A greeting", "goal": "Write the greeting of the project into greeting.txt.", "verify": ["greeting"]}`,
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command(t, dir, "git", "init", "-q", "-b", "main")
	command(t, dir, "git", "add", "-A")
	command(t, dir, "git", "-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "base")
	env["XDG_STATE_HOME"] = t.TempDir()
	return dir, env
}

// pass runs looprun once, with nothing but the variables of env.
func pass(t *testing.T, looprun, dir string, env map[string]string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), looprun, "run")
	cmd.Dir = dir
	for name, v := range env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// judged looks into the records: two rounds, the first replanned, both with
// what the agent told of itself.
func judged(t *testing.T, dir string) {
	t.Helper()
	for n, want := range []string{"verification_failed_replan", "independent_verification_passed"} {
		path := filepath.Join(dir, ".loop/tasks/greet/attempts", "round-00"+string(rune('1'+n))+".json")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var attempt struct {
			Reason string
			Tries  []struct {
				Category string
				Usage    map[string]int64
			}
		}
		if err := json.Unmarshal(data, &attempt); err != nil {
			t.Fatal(err)
		}
		if attempt.Reason != want || len(attempt.Tries) != 1 {
			t.Errorf("round %d: %s after %d tries; want %s after one", n+1, attempt.Reason, len(attempt.Tries), want)
			continue
		}
		if u := attempt.Tries[0].Usage; u["input"] != 2000 || u["output"] != 68 || u["cache_read"] != 400 {
			t.Errorf("round %d: usage %v; want 2000 in, 68 out, 400 from a cache", n+1, u)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(dir, ".loop/results/greet.json")); !strings.Contains(string(data), `"completed"`) {
		t.Errorf("the result does not say completed: %s", data)
	}
}
