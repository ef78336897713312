package generator

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// fakeCLI is a folder with a program of that name that answers --version and
// --help.
func fakeCLI(t *testing.T, name, version, help string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nfor a; do last=$a; done\n[ -n \"$HOME\" ] && touch \"$HOME/seen\"\ncase $last in --version) echo '%s';; --help) cat <<'END'\n%s\nEND\n;; esac\n", version, help)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func TestCheck(t *testing.T) {
	const help = "  -p, --print\n  --mode <mode>  json\n  --session <id>\n  --model=<m>"
	home := t.TempDir()
	write(t, filepath.Join(home, ".pi/agent/auth.json"), "{}")
	tests := map[string]struct {
		adapter, version, help string
		env                    map[string]string
		want                   map[string]bool
	}{
		"all is well":                     {"pi", "0.73.1", help, map[string]string{"HOME": home}, map[string]bool{"installed": true, "version": true, "flags": true, "login": true}},
		"a newer one":                     {"pi", "pi 1.0.0 (x)", help, map[string]string{"OPENAI_API_KEY": "x"}, map[string]bool{"installed": true, "version": true, "flags": true, "login": true}},
		"an older one without a flag":     {"pi", "0.9.12", strings.ReplaceAll(help, "--session", "--sessions"), map[string]string{"HOME": home}, map[string]bool{"installed": true, "version": false, "flags": false, "login": true}},
		"one that tells no version":       {"pi", "pi", help, map[string]string{"HOME": home}, map[string]bool{"installed": true, "version": false, "flags": true, "login": true}},
		"no login":                        {"pi", "0.73.1", help, map[string]string{"HOME": t.TempDir(), "OPENAI_API_KEY": ""}, map[string]bool{"installed": true, "version": true, "flags": true, "login": false}},
		"no login for want of a HOME":     {"pi", "0.73.1", help, nil, map[string]bool{"installed": true, "version": true, "flags": true, "login": false}},
		"a program that is not there":     {"codex", "", "", map[string]string{"PATH": "/nowhere"}, map[string]bool{"installed": false}},
		"a program of one's own":          {"exec", "", "", nil, map[string]bool{"installed": true}},
		"which is not in PATH":            {"exec", "", "", map[string]string{"PATH": "/nowhere"}, map[string]bool{"installed": false}},
		"an adapter that has no command ": {"none", "", "", nil, map[string]bool{"installed": false}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a, _ := Find(tt.adapter)
			if tt.adapter == "exec" {
				a.Command = []string{"exec"}
			}
			env := map[string]string{"PATH": fakeCLI(t, tt.adapter, tt.version, tt.help) + ":/usr/bin:/bin"}
			for k, v := range tt.env {
				env[k] = v
			}
			got := map[string]bool{}
			for _, f := range Check(t.Context(), a, lookupIn(env)) {
				got[f.Name] = f.OK
				if f.Text == "" || !f.OK && f.Hint == "" {
					t.Errorf("%s says %q, hint %q; want what was found and what to do", f.Name, f.Text, f.Hint)
				}
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Check differs (-want +got):\n%s", diff)
			}
			if _, err := os.Stat(filepath.Join(home, "seen")); err == nil {
				t.Error("the program was asked in the user's home")
			}
		})
	}
}

func TestCompareVersions(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"1.2.3", "1.2.3", 0}, {"1.10.0", "1.9.9", 1}, {"0.99.0", "1.0.0", -1}, {"2.0.0", "1.99.99", 1}} {
		if got := compareVersions(tt.a, tt.b); got != tt.want {
			t.Errorf("compareVersions(%q, %q) = %d; want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
