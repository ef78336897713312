// Package agents runs looprun with real agent CLIs against a scripted model on
// the loopback device. The CLIs are large, so nothing here runs unless
// LOOPRUN_AGENTS is set; what they print is kept as fixtures for everyday tests.
//
//	LOOPRUN_AGENTS=1         run; or names: LOOPRUN_AGENTS=codex,pi
//	LOOPRUN_AGENTS_CACHE     where they are installed, else below the temporary folder
//	LOOPRUN_AGENTS_RECORD=1  write the fixtures anew
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

// A cli is one program under test: what is installed, and how it is pointed to
// the scripted model by its user.
type cli struct {
	name, pkg, version string
	post               string // a script of the package that puts its binary in place
	model              string
	env                map[string]string // {base} stands for the model's address
	files              map[string]string // below HOME
	shell              bool              // a file that is there is written by a command
}

var clis = []cli{
	{
		name: "codex", pkg: "@openai/codex", version: "0.171.0", model: "fake-model",
		env: map[string]string{"FAKE_KEY": "dummy-key"},
		files: map[string]string{".codex/config.toml": `model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "{base}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
`},
	},
	{
		name: "claude", pkg: "@anthropic-ai/claude-code", version: "2.1.332", model: "claude-sonnet-4-5", post: "install.cjs", shell: true,
		env: map[string]string{"ANTHROPIC_BASE_URL": "{base}", "ANTHROPIC_API_KEY": "dummy-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
	},
	{
		name: "gemini", pkg: "@google/gemini-cli", version: "0.61.0", model: "gemini-2.5-flash",
		env: map[string]string{"GEMINI_API_KEY": "dummy-key", "GOOGLE_GEMINI_BASE_URL": "{base}"},
		files: map[string]string{".gemini/settings.json": `{
  // as its user may have it
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false},
}
`},
	},
	{
		name: "pi", pkg: "@mariozechner/pi-coding-agent", version: "0.73.1", model: "fake/fake-model",
		env: map[string]string{"PI_OFFLINE": "1"},
		files: map[string]string{".pi/agent/models.json": `{"providers": {"fake": {"baseUrl": "{base}/v1", "api": "openai-completions", "apiKey": "dummy", "models": [
  {"id": "fake-model", "name": "Fake", "reasoning": false, "input": ["text"], "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0}, "contextWindow": 128000, "maxTokens": 8192}]}}}
`},
	},
	{
		name: "qwen", pkg: "@qwen-code/qwen-code", version: "0.15.10", model: "fake-model", shell: true,
		env: map[string]string{"OPENAI_API_KEY": "dummy-key", "OPENAI_BASE_URL": "{base}/v1"},
		files: map[string]string{".qwen/settings.json": `{"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": false}}
`},
	},
	{
		name: "opencode", pkg: "opencode-ai", version: "1.18.33", model: "fake/fake-model", post: "postinstall.mjs",
		env: map[string]string{"OPENCODE_DISABLE_MODELS_FETCH": "1"},
		files: map[string]string{".config/opencode/opencode.json": `{"autoupdate": false, "share": "disabled", "model": "fake/fake-model", "provider": {"fake": {
  "npm": "@ai-sdk/openai-compatible", "name": "fake", "options": {"baseURL": "{base}/v1", "apiKey": "dummy"},
  "models": {"fake-model": {"name": "fake", "tool_call": true, "limit": {"context": 128000, "output": 8192}, "cost": {"input": 1, "output": 2}}}}}}
`},
	},
}

// each runs a test for each CLI that is asked for, one after the other.
func each(t *testing.T, test func(t *testing.T, c cli)) {
	asked := os.Getenv("LOOPRUN_AGENTS")
	if asked == "" || asked == "0" {
		t.Skip("LOOPRUN_AGENTS is not set: it installs several large packages")
	}
	for _, c := range clis {
		if asked == "1" || slices.Contains(strings.Split(asked, ","), c.name) {
			t.Run(c.name, func(t *testing.T) { test(t, c) })
		}
	}
}

// cache is where the CLIs are installed.
func cache() string {
	if dir := os.Getenv("LOOPRUN_AGENTS_CACHE"); dir != "" {
		return dir
	}
	return filepath.Join(os.TempDir(), "looprun-agents")
}

// install installs the CLI, if it is not there, and returns its program. No
// script of a package runs but the one that puts its own binary in place.
func (c cli) install(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(cache(), c.name+"-"+c.version)
	modules := filepath.Join(dir, "node_modules")
	bin := filepath.Join(modules, ".bin", c.name)
	manifest := filepath.Join(modules, filepath.FromSlash(c.pkg), "package.json")
	if data, err := os.ReadFile(manifest); err == nil {
		var is struct{ Version string }
		if json.Unmarshal(data, &is) == nil && is.Version == c.version {
			return bin
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", c.pkg+"@"+c.version)
	if c.post != "" {
		command(t, filepath.Dir(manifest), "node", c.post)
	}
	return bin
}

// command runs a tool of the test's own.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// home makes a home as a user of the CLI would have it, and the variables that
// its generator needs.
func (c cli) home(t *testing.T, base string) map[string]string {
	t.Helper()
	home := t.TempDir()
	for name, text := range c.files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "{base}", base)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"HOME": home, "PATH": os.Getenv("PATH"), "LANG": "C.UTF-8"}
	for name, v := range c.env {
		env[name] = strings.ReplaceAll(v, "{base}", base)
	}
	return env
}
