package cli

import (
	"fmt"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/task"
)

// tested is a folder with files, and what init would write for it.
func tested(t *testing.T, files map[string]string) (p project, text string) {
	t.Helper()
	dir := fsx.Scratch(t.TempDir())
	for name, data := range files {
		if at := strings.LastIndex(name, "/"); at > 0 {
			if err := dir.MkdirAll(name[:at]); err != nil {
				t.Fatal(err)
			}
		}
		if err := dir.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	p = project{dir: string(dir), home: string(dir)}
	var all []string
	for _, s := range p.suites() {
		all = append(all, fmt.Sprintf("%s %s%s%s", s.name, s.run, s.setup, s.share))
	}
	return p, strings.Join(all, "; ")
}

func TestTheTestCommandOfAProject(t *testing.T) {
	script := func(test, more string) string { return `{"scripts": {"test": "` + test + `"}` + more + `}` }
	needs := `, "dependencies": {"x": "1"}`
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing is known of an empty folder": {nil, ""},
		"Go":                                  {map[string]string{"go.mod": ""}, "go [go test -v -count=1 ./...][][]"},
		"Rust":                                {map[string]string{"Cargo.toml": ""}, "rust [cargo test][][]"},
		"npm needs no install without dependencies":    {map[string]string{"package.json": script("node --test", ""), "package-lock.json": "{}"}, "node [npm test][][]"},
		"npm installs what the lock file has":          {map[string]string{"package.json": script("x", needs), "package-lock.json": "{}"}, "node [npm test][npm ci][]"},
		"pnpm":                                         {map[string]string{"package.json": script("x", needs), "pnpm-lock.yaml": ""}, "node [pnpm test][pnpm install --frozen-lockfile][]"},
		"bun's own test runner is not meant":           {map[string]string{"package.json": script("x", ""), "bun.lock": ""}, "node [bun run test][][]"},
		"the test script that npm init writes is none": {map[string]string{"package.json": script(`echo \"Error: no test specified\" && exit 1`, "")}, ""},
		"a package.json that is no JSON is none":       {map[string]string{"package.json": "{"}, ""},
		"pytest by its settings":                       {map[string]string{"pyproject.toml": "[tool.pytest.ini_options]"}, "python [python3 -m pytest -q][][]"},
		"pytest by its tests":                          {map[string]string{"tests/test_a.py": ""}, "python [python3 -m pytest -q][][]"},
		"a Python project without pytest":              {map[string]string{"pyproject.toml": "[project]"}, ""},
		"a virtual environment is shared":              {map[string]string{"pytest.ini": "", ".venv/bin/python": ""}, "python [.venv/bin/python -m pytest -q][][.venv]"},
		"uv":                                           {map[string]string{"conftest.py": "", "uv.lock": ""}, "python [uv run pytest -q][][]"},
		"Maven by its wrapper":                         {map[string]string{"pom.xml": "", "mvnw": ""}, "maven [./mvnw -q test][][]"},
		"Gradle":                                       {map[string]string{"build.gradle.kts": ""}, "gradle [gradle test][][]"},
		"RSpec":                                        {map[string]string{"Gemfile": "", ".rspec": ""}, "ruby [bundle exec rspec][bundle install][]"},
		"Elixir":                                       {map[string]string{"mix.exs": ""}, "elixir [mix test][][]"},
		"Deno":                                         {map[string]string{"deno.json": "{}"}, "deno [deno test][][]"},
		"make":                                         {map[string]string{"Makefile": "all:\n\ntest: all\n\tgo test\n"}, "make [make test][][]"},
		"a variable of make is no target":              {map[string]string{"Makefile": "test := x\n"}, ""},
		"make is not asked where a tool is known":      {map[string]string{"Makefile": "test:\n", "go.mod": ""}, "go [go test -v -count=1 ./...][][]"},
		"just":                      {map[string]string{"justfile": "test arg='x':\n  true\n"}, "just [just test][][]"},
		"two kinds are both tested": {map[string]string{"go.mod": "", "package.json": script("x", "")}, "go [go test -v -count=1 ./...][][]; node [npm test][][]"},
		"a folder of the name of a file is no such file": {map[string]string{"go.mod/x": ""}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, got := tested(t, test.files)
			if got != test.want {
				t.Errorf("suites = %s; want %s", got, test.want)
			}
			valid(t, draft{suites: p.suites()})
			valid(t, draft{suites: p.suites(), agents: agents, keys: []string{"OPENAI_API_KEY"}})
		})
	}
}

// valid fails unless looprun reads what init would write without a word.
func valid(t *testing.T, d draft) {
	t.Helper()
	cfg, faults := config.Parse("/repo/loop.yaml", []byte(d.yaml()))
	for _, f := range append(faults, cfg.Warnings()...) {
		t.Errorf("%s\n%s", f, d.yaml())
	}
	_, faults = task.Parse([]byte(exampleTask), "example")
	if got, _ := task.Split(faults); len(got) > 0 {
		t.Errorf("the example task: %v", got)
	}
}

func TestEveryAgentOfInitIsAnAdapter(t *testing.T) {
	for _, a := range agents {
		valid(t, draft{agents: []agent{a}})
	}
}
