//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/task"
)

// program writes a file that may be started, or not.
func program(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
		t.Fatal(err)
	}
}

// Row 73 of the list of bad inputs.
func TestCheckCommands(t *testing.T) {
	tests := map[string]struct {
		data string
		want string // part of the only fault; "" for none
		code string
	}{
		"an agent in loop.yaml's folder":             {"generator: {command: [./agent.sh]}", "", ""},
		"a command in PATH":                          {"generator: {command: [tool, x]}", "", ""},
		"a command behind one that cannot start":     {"generator: {command: [shadowed]}", "", ""},
		"73 an agent that is not there":              {"generator: {command: [./missing.sh]}", "generator.command: command not found: looked for DIR/missing.sh", task.CodeNotFound},
		"the built-in command is ./agent.sh":         {"generator: {resume: true}\nqueue: {}", "", ""},
		"73 a command that PATH has not":             {"generator: {command: [nosuch]}", `generator.command: command "nosuch" not found in PATH=DIR/bin1:DIR/bin2:relative`, task.CodeNotFound},
		"73 an agent that may not be executed":       {"generator: {command: [./plain.txt]}", "DIR/plain.txt is not executable: chmod +x it", task.CodeNotRunnable},
		"73 a command in PATH that cannot start":     {"generator: {command: [plain]}", "DIR/bin1/plain is not executable", task.CodeNotRunnable},
		"73 an agent that is a folder":               {"generator: {command: [./bin1]}", "DIR/bin1 is a directory", task.CodeNotRunnable},
		"73 an agent that is a device":               {"generator: {command: [/dev/null]}", "/dev/null is not a regular file", task.CodeNotRunnable},
		"73 a line for the shell as one word":        {"generator: {command: [go test]}", "a command is a list of words: [go, test]", task.CodeNotFound},
		"a folder of PATH that depends on the place": {"generator: {command: [local]}", `command "local" not found`, task.CodeNotFound},
		"a probe":                        {"generator: {probe: [nosuch]}", "generator.probe: ", task.CodeNotFound},
		"a summarizer":                   {"generator: {summarizer: [./nosuch]}", "generator.summarizer: ", task.CodeNotFound},
		"a hook":                         {"hooks: {needs_input: [nosuch]}", "hooks.needs_input: ", task.CodeNotFound},
		"an observation":                 {"effects: {mail: {observe: [./nosuch]}}", "effects.mail.observe: ", task.CodeNotFound},
		"a compensation":                 {"effects: {mail: {compensate: [nosuch]}}", "effects.mail.compensate: ", task.CodeNotFound},
		"a strategy":                     {"recovery: {strategies: {x-a: {run: [./nosuch]}}}", "recovery.strategies.x-a.run: ", task.CodeNotFound},
		"a setup command of PATH":        {"workspace: {setup: [{run: [nosuch]}]}", "workspace.setup[0].run: ", task.CodeNotFound},
		"a setup command of the tree":    {"workspace: {setup: [{run: [./setup.sh]}]}", "", ""},
		"an absolute command of a check": {"workspace: {setup: [{run: [/nosuch]}]}", "looked for /nosuch", task.CodeNotFound},
		"PATH that the file sets":        {"generator: {command: [tool], env: {set: {PATH: /nowhere}}}", "not found in PATH=/nowhere", task.CodeNotFound},
		"PATH that is not passed on":     {"generator: {command: [tool], env: {pass: [HOME]}}", `command "tool" not found in PATH=`, task.CodeNotFound},
	}
	dir := t.TempDir()
	program(t, filepath.Join(dir, "agent.sh"), 0o755)
	program(t, filepath.Join(dir, "plain.txt"), 0o644)
	program(t, filepath.Join(dir, "bin1", "plain"), 0o644)
	program(t, filepath.Join(dir, "bin1", "shadowed"), 0o644)
	program(t, filepath.Join(dir, "bin2", "shadowed"), 0o755)
	program(t, filepath.Join(dir, "bin2", "tool"), 0o755)
	path := strings.Join([]string{filepath.Join(dir, "bin1"), filepath.Join(dir, "bin2"), "relative"}, string(os.PathListSeparator))
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			profiles := "verification: {profiles: {u: [{run: [tool]}, {run: [./check.sh]}]}}\n"
			c, faults := Parse(filepath.Join(dir, "loop.yaml"), []byte(profiles+tt.data))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			got := c.CheckCommands(path)
			if tt.want == "" {
				if len(got) > 0 {
					t.Errorf("CheckCommands = %v; want none", got)
				}
				return
			}
			want := strings.ReplaceAll(tt.want, "DIR", dir)
			if len(got) != 1 || !strings.Contains(got[0].String(), want) || got[0].Code != tt.code || got[0].Line < 1 {
				t.Errorf("CheckCommands = %v; want one, %s, that says %q", got, tt.code, want)
			}
		})
	}
}

func TestCheckCommandsTellsAllAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "loop.yaml")
	c, _ := Parse(file, []byte("verification: {profiles: {u: [{run: [a]}]}}\nhooks: {done: [b]}\ngenerator: {command: [c]}\n"))
	if got := c.CheckCommands("/nowhere"); len(got) != 3 || got[0].Line != 1 || got[2].Line != 3 {
		t.Errorf("CheckCommands = %v; want three, in order of place", got)
	}
}
