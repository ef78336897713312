package loop

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/generator"
)

func TestASandboxIsAsGoodAsItSaysOrNone(t *testing.T) {
	t.Parallel()
	closes, inPlace := child.ClosesNetwork(), "in_place"
	if child.OwnMounts() {
		inPlace = "mounts"
	}
	tests := map[string]struct {
		mode, network, workspace string
		abi                      int
		level                    string
		told, refused            bool
	}{
		"off":                                  {"off", "open", config.Isolated, 7, "none", false, false},
		"auto, all of it":                      {"auto", "open", config.Isolated, 7, "landlock:7", false, false},
		"auto, files and signals":              {"auto", "open", config.Isolated, 6, "landlock:6", false, false},
		"auto, files alone":                    {"auto", "open", config.Isolated, 3, "landlock:3", false, false},
		"auto, files that can be cut":          {"auto", "open", config.Isolated, 2, "none", true, false},
		"auto, no Landlock":                    {"auto", "open", config.Isolated, 0, "none", true, false},
		"auto in the checkout":                 {"auto", "open", config.InPlace, 7, "landlock:7," + inPlace, false, false},
		"require, all of it":                   {"require", "open", config.Isolated, 7, "landlock:7", false, false},
		"require, signals go through":          {"require", "open", config.Isolated, 5, "none", false, true},
		"require, no Landlock":                 {"require", "open", config.Isolated, 0, "none", false, true},
		"require in the checkout":              {"require", "open", config.InPlace, 7, "landlock:7,mounts", false, inPlace != "mounts"},
		"auto and a closed network":            {"auto", "none", config.Isolated, 4, "landlock:4,network:none", false, !closes},
		"auto and a network that stays open":   {"auto", "none", config.Isolated, 3, "none", false, true},
		"auto, no Landlock, closed network":    {"auto", "none", config.Isolated, 0, "none", false, true},
		"require and a closed network":         {"require", "none", config.Isolated, 7, "landlock:7,network:none", false, !closes},
		"auto, closed network in the checkout": {"auto", "none", config.InPlace, 7, "landlock:7," + inPlace + ",network:none", false, !closes},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := config.Config{Workspace: config.Workspace{Mode: tt.workspace}, Sandbox: config.Sandbox{Mode: tt.mode, Network: tt.network}}
			level, why, err := Confinement(c, tt.abi)
			if tt.refused {
				if !errors.Is(err, ErrSandbox) || level != NoSandbox {
					t.Errorf("Confinement = %q, %v; want %q and ErrSandbox", level, err, NoSandbox)
				}
				return
			}
			if err != nil || level != tt.level || (why != "") != tt.told {
				t.Errorf("Confinement = %q, %q, %v; want %q, told %v", level, why, err, tt.level, tt.told)
			}
		})
	}
}

// homestead is a home with a checkout in it, and a sandbox that knows both.
func homestead(t *testing.T) (*sandbox, string) {
	t.Helper()
	home := followed(t.TempDir())
	for _, dir := range []string{
		"repo/.git/objects", "repo/.loop/tasks", "repo/tasks/inbox", "repo/scripts", "repo/bin", "repo/.venv/bin", ".ssh",
		".local/bin", ".local/lib", ".local/share/keys", ".local/state/looprun/trees", ".nvm/v20/bin", ".nvm/v20/lib/node_modules/agent/bin",
		".cargo/bin", ".cargo/registry", "bin", "tools/x/bin", "mail",
	} {
		write(t, filepath.Join(home, dir, "file"), "x")
	}
	write(t, filepath.Join(home, "repo/loop.yaml"), "x")
	write(t, filepath.Join(home, "repo/agent.sh"), "x")
	write(t, filepath.Join(home, "repo/.env"), "x")
	write(t, filepath.Join(home, ".cargo/credentials.toml"), "x")
	for link, to := range map[string]string{".nvm/v20/bin/agent": "../lib/node_modules/agent/bin/file", "repo/scripts/away": home + "/mail", ".local/bin/tool": home + "/tools/x/bin/file"} {
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := &sandbox{abi: child.BestABI, home: home}
	for _, name := range []string{"repo/.git", "repo/.loop", "repo/tasks", "repo/loop.yaml", ".local/state/looprun"} {
		s.control = append(s.control, guarded{name, filepath.Join(home, name)})
		s.private = append(s.private, filepath.Join(home, name))
	}
	s.common = s.everywhere
	return s, home
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
		t.Fatal(err)
	}
}

// below are the paths in a home, without it, and without those of the system.
func below(home string, paths []string) []string {
	var names []string
	for _, path := range outermost(paths) {
		if name, ok := strings.CutPrefix(path, home+"/"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestWhatAnEnvironmentOpensOfAHome(t *testing.T) {
	t.Parallel()
	tools := []string{".cargo/bin", ".cargo/registry", ".local/bin", ".local/lib", ".nvm", "bin"}
	tests := map[string]struct {
		env  map[string]string
		more []string
	}{
		"none":                               {nil, nil},
		"the home itself":                    {map[string]string{"HOME": "~"}, nil},
		"a folder that is named":             {map[string]string{"X": "~/mail"}, []string{"mail"}},
		"several in one variable":            {map[string]string{"X": "~/mail:/nowhere:relative:~/tools"}, []string{"mail", "tools"}},
		"the home under another name":        {map[string]string{"X": "~"}, nil},
		"keys by way of PWD":                 {map[string]string{"PWD": "~/.ssh", "TMPDIR": "~/mail"}, nil},
		"a program's folder and its library": {map[string]string{"PATH": "~/tools/x/bin"}, []string{"tools/x"}},
		"no prefix that holds more":          {map[string]string{"PATH": "~/bin:~/.local/bin:~/.cargo/bin"}, nil},
		"an environment in the checkout":     {map[string]string{"PATH": "~/repo/.venv/bin"}, []string{"repo/.venv"}},
		"the checkout, but for what is in it": {map[string]string{"PATH": "~/repo/bin"},
			[]string{"repo/agent.sh", "repo/bin", "repo/scripts"}},
		"records":         {map[string]string{"X": "~/repo/.loop", "Y": "~/repo/.loop/tasks/file", "Z": "~/.local/state/looprun/trees"}, nil},
		"above a private": {map[string]string{"X": "~/.local/state"}, []string{".local/state/file"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, home := homestead(t)
			write(t, filepath.Join(home, ".local/state/file"), "x")
			env := map[string]string{}
			for k, v := range tt.env {
				env[k] = strings.ReplaceAll(v, "~", home)
			}
			want := slices.Sorted(slices.Values(append(slices.Clone(tools), tt.more...)))
			if diff := cmp.Diff(want, below(home, s.readable(env))); diff != "" {
				t.Errorf("readable (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatBelongsToACommand(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		argv []string
		path string
		want []string
	}{
		"a script beside loop.yaml": {[]string{"./agent.sh"}, "", []string{"repo/agent.sh", "repo/bin", "repo/scripts"}},
		"a script in a folder":      {[]string{"scripts/file"}, "", []string{"repo/scripts"}},
		"a package of npm":          {[]string{"agent"}, "~/.nvm/v20/bin", []string{".nvm/v20/lib/node_modules"}},
		"a link to another folder":  {[]string{"tool"}, "~/.local/bin", []string{"tools/x"}},
		"one that is missing":       {[]string{"nothing"}, "~/.local/bin", nil},
		"no command":                {nil, "~/bin", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, home := homestead(t)
			got := below(home, s.program(tt.argv, strings.ReplaceAll(tt.path, "~", home), filepath.Join(home, "repo")))
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("program (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatSteersLooprunIsKnownFromAboveAndBelow(t *testing.T) {
	t.Parallel()
	s, home := homestead(t)
	for path, want := range map[string]string{
		"repo": "repo/.git", "repo/.loop/tasks": "repo/.loop", "repo/tasks": "repo/tasks", "repo/loop.yaml": "repo/loop.yaml",
		"": "repo/.git", "repo/scripts": "", "mail": "", ".local/state/looprun/trees/0": ".local/state/looprun",
	} {
		if got, _ := s.steers(filepath.Join(home, path)); got != want {
			t.Errorf("steers(%q) = %q; want %q", path, got, want)
		}
	}
}

func TestWhatAnAgentWritesOfAHome(t *testing.T) {
	t.Parallel()
	known := func(name string) generator.Adapter {
		a, ok := generator.Find(name)
		if !ok {
			t.Fatalf("no adapter %s", name)
		}
		return a
	}
	tests := map[string]struct {
		adapter generator.Adapter
		argv    []string
		want    []string
	}{
		"a script that may start any":        {known("exec"), []string{"./agent.sh"}, []string{".claude", ".codex"}},
		"a known program":                    {known("exec"), []string{"/opt/bin/codex"}, []string{".codex"}},
		"one that was never used here":       {known("exec"), []string{"qwen"}, []string{".qwen"}},
		"an adapter with a folder of a task": {known("codex"), []string{"codex"}, []string{".codex/auth.json"}},
		"an adapter in the user's own":       {known("claude"), []string{"claude"}, []string{".claude", ".local/state/claude"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, home := homestead(t)
			write(t, filepath.Join(home, ".codex/auth.json"), "{}")
			write(t, filepath.Join(home, ".claude/settings.json"), "{}")
			got := below(home, s.agentFolders(tt.adapter, tt.argv, map[string]string{"HOME": home}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("agentFolders (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOutermostDropsWhatLiesInAnother(t *testing.T) {
	t.Parallel()
	got := outermost([]string{"/a-b", "/a/b", "/a", "", "/c/d/e", "/a/b", "/c/d"})
	if diff := cmp.Diff([]string{"/a", "/a-b", "/c/d"}, got); diff != "" {
		t.Errorf("outermost (-want +got):\n%s", diff)
	}
}

func TestOfTheCachesThatAnEnvironmentNamesThoseOfTheHomeAreReplaced(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		value, open string
		replaced    bool
	}{
		"elsewhere":                       {"/else/go-build", "", false},
		"in the home":                     {"~/.cache/go-build", "", true},
		"in the home, and named":          {"~/.cache/go-build", "~/.cache", false},
		"above the home":                  {"/", "", true},
		"where the records are":           {"~/repo/.loop/cache", "", true},
		"a link into the home":            {"/else/link", "", true},
		"no path":                         {"off", "", false},
		"the folder that looprun has for": {"/own/go-build", "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, home := homestead(t)
			elsewhere := followed(t.TempDir())
			own := filepath.Join(elsewhere, "own")
			place := strings.NewReplacer("~", home, "/else", elsewhere, "/own", own)
			if err := os.Symlink(home, filepath.Join(elsewhere, "link")); err != nil {
				t.Fatal(err)
			}
			if tt.open != "" {
				s.write = []string{place.Replace(tt.open)}
			}
			l := &Loop{sandbox: *s, opts: Options{Observer: silent{}}}
			e := config.Env{Set: map[string]string{"GOCACHE": place.Replace(tt.value)}}
			d := l.dress("generator.env", e, own)
			if _, replaced := d.set["GOCACHE"]; replaced != tt.replaced {
				t.Errorf("set %v; want replaced %v", d.set, tt.replaced)
			}
			for _, path := range d.write {
				if within(home, path) && tt.open == "" {
					t.Errorf("%s is open for writing", path)
				}
			}
		})
	}
}
