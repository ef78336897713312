package generator

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// inStore is a start of a preset with a store, for a user whose home holds the
// files.
func inStore(t *testing.T, preset string, files map[string]string) (s Start, home string) {
	t.Helper()
	s = startOf(t, "say", nil)
	s.Adapter, _ = Find(preset)
	s.Store = filepath.Join(filepath.Dir(s.ReportPath), "agent")
	home = t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(home, name), text)
	}
	s.Env = Env{Set: map[string]string{"HOME": home, "USERPROFILE": home}}
	return s, home
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTheStoreHasTheUsersLoginAndSettings(t *testing.T) {
	s, home := inStore(t, "codex", map[string]string{
		".codex/auth.json": "login", ".codex/config.toml": "model_provider = \"mine\"\n", ".codex/history.jsonl": "private",
	})
	if err := s.fillStore(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(s.store(), "config.toml")); got != "model_provider = \"mine\"\n" {
		t.Errorf("settings = %q; want the user's", got)
	}
	if _, err := os.Stat(filepath.Join(s.store(), "history.jsonl")); err == nil {
		t.Error("the store has a file that no row names")
	}
	if runtime.GOOS != "windows" {
		write(t, filepath.Join(s.store(), "auth.json"), "renewed") // as the program would
		if got := read(t, filepath.Join(home, ".codex/auth.json")); got != "renewed" {
			t.Errorf("the user's login = %q; want the renewed one", got)
		}
	}
	write(t, filepath.Join(s.store(), "sessions/1.jsonl"), "a session")
	if err := s.fillStore(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(s.store(), "sessions/1.jsonl")); got != "a session" {
		t.Errorf("the session after another start = %q; want it kept", got)
	}
	if got := s.Adapter.Shared(s.Env.values()); len(got) != 1 || got[0] != filepath.Join(home, ".codex", "auth.json") {
		t.Errorf("Shared = %q; want the login", got)
	}
}

func TestTheStoreIsWhereTheProgramLooks(t *testing.T) {
	tests := map[string]struct{ variable, login string }{
		"codex":    {"CODEX_HOME", ".codex/auth.json"},
		"opencode": {"XDG_DATA_HOME", ".local/share/opencode/auth.json"},
		"gemini":   {"GEMINI_CLI_HOME", ".gemini/oauth_creds.json"},
		"pi":       {"PI_CODING_AGENT_DIR", ".pi/agent/auth.json"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, _ := inStore(t, name, map[string]string{tt.login: "login of " + name})
			if err := s.fillStore(); err != nil {
				t.Fatal(err)
			}
			dir := variable(s, tt.variable)
			if dir != s.store() || !strings.HasPrefix(dir, s.Store) {
				t.Errorf("%s = %q; want a folder below %q", tt.variable, dir, s.Store)
			}
			if got := read(t, filepath.Join(dir, s.Adapter.Store.Sub, filepath.Base(tt.login))); got != "login of "+name {
				t.Errorf("login = %q; want the user's", got)
			}
		})
	}
}

// variable is what a start sets one to.
func variable(s Start, name string) string {
	for _, kv := range s.environ() {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// Where the user has the folder elsewhere, that is what is taken over.
func TestTheStoreIsFilledFromTheUsersOwnFolder(t *testing.T) {
	s, home := inStore(t, "codex", map[string]string{"elsewhere/auth.json": "login"})
	s.Env.Set["CODEX_HOME"] = filepath.Join(home, "elsewhere")
	if err := s.fillStore(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(s.store(), "auth.json")); got != "login" {
		t.Errorf("login = %q; want that of CODEX_HOME", got)
	}
	if got := variable(s, "CODEX_HOME"); got != s.store() {
		t.Errorf("CODEX_HOME = %q; want the store %q", got, s.store())
	}
}

func TestSettingsThatCutRetriesGoOverTheUsers(t *testing.T) {
	s, _ := inStore(t, "gemini", map[string]string{".gemini/settings.json": "{\n  // mine\n  \"general\": {\"vimMode\": true, \"maxAttempts\": 10},\n  \"ui\": {\"url\": \"a//b\"},\n}\n"})
	if err := s.fillStore(); err != nil {
		t.Fatal(err)
	}
	got := read(t, filepath.Join(s.store(), ".gemini", "settings.json"))
	for _, want := range []string{`"maxAttempts": 1,`, `"vimMode": true`, `"url": "a//b"`} {
		if !strings.Contains(got, want) {
			t.Errorf("settings have no %s:\n%s", want, got)
		}
	}
	s, _ = inStore(t, "qwen", nil)
	if err := s.fillStore(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, variable(s, "QWEN_CODE_SYSTEM_SETTINGS_PATH")); !strings.Contains(got, `"maxRetries": 0`) {
		t.Errorf("settings of qwen = %s; want no retries", got)
	}
}

// What the program planted in the store leads looprun nowhere else.
func TestTheStoreFollowsNoPlantedLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	files := map[string]string{".gemini/settings.json": "{}", ".gemini/GEMINI.md": "rules"}
	plant := map[string]func(t *testing.T, s Start, outside string){
		"the folder itself": func(t *testing.T, s Start, outside string) {
			check(t, os.RemoveAll(s.Store), os.Symlink(outside, s.Store))
		},
		"the adapter's": func(t *testing.T, s Start, outside string) {
			check(t, os.RemoveAll(s.store()), os.Symlink(outside, s.store()))
		},
		"the folder of settings": func(t *testing.T, s Start, outside string) {
			sub := filepath.Join(s.store(), ".gemini")
			check(t, os.RemoveAll(sub), os.Symlink(outside, sub))
		},
		"a file of settings": func(t *testing.T, s Start, outside string) {
			path := filepath.Join(s.store(), ".gemini", "settings.json")
			check(t, os.Remove(path), os.Symlink(filepath.Join(outside, "settings.json"), path))
		},
		"a folder in its place": func(t *testing.T, s Start, outside string) {
			path := filepath.Join(s.store(), ".gemini", "GEMINI.md")
			check(t, os.Remove(path), os.Mkdir(path, 0o700))
		},
	}
	for name, planted := range plant {
		t.Run(name, func(t *testing.T) {
			s, _ := inStore(t, "gemini", files)
			check(t, s.fillStore())
			outside := t.TempDir()
			planted(t, s, outside)
			check(t, s.fillStore())
			if list, _ := os.ReadDir(outside); len(list) > 0 {
				t.Errorf("%s was written outside of the store", list[0].Name())
			}
			if got := read(t, filepath.Join(s.store(), ".gemini", "GEMINI.md")); got != "rules" {
				t.Errorf("settings = %q; want the user's", got)
			}
		})
	}
}

func check(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAProgramWithoutAStoreStaysInTheUsersFolder(t *testing.T) {
	s, _ := inStore(t, "claude", nil)
	check(t, s.fillStore())
	if _, err := os.Stat(s.Store); err == nil {
		t.Error("a folder was made for nobody")
	}
	if got := variable(s, "CLAUDE_CODE_MAX_RETRIES"); got != "0" {
		t.Errorf("CLAUDE_CODE_MAX_RETRIES = %q; want 0", got)
	}
	s.Store = ""
	s.Adapter, _ = Find("gemini")
	check(t, s.fillStore())
	if got := variable(s, "GEMINI_TELEMETRY_OUTFILE"); got != "" {
		t.Errorf("without a store the telemetry goes to %q; want nowhere", got)
	}
}
