// Package acceptance runs looprun as its users do: as a command, on real
// repositories, with generators and checks that are commands too.
package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"looprun.dev/looprun/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"looprun": func() { os.Exit(cli.Main()) },
		"agent":   agentMain,
		"holds":   holdsMain,
	})
}

func TestScripts(t *testing.T) {
	agents := t.TempDir()
	build(t, agents)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup:               func(env *testscript.Env) error { return setup(env, agents) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"bookshop": bookshop,
			"commit":   commit,
			"json":     jsonField,
			"starts":   starts,
			"unmoved":  unmoved,
			"run":      run,
		},
	})
}

// build makes the bookshop's scripted agent a command, once for all scripts.
func build(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-C", "bookshop/go", "-o", filepath.Join(dir, "bookshop-agent"), "./agent")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the agent: %v\n%s", err, out)
	}
}

// setup gives each script a home of its own, the user's caches of Go, and the
// agents in its PATH.
func setup(env *testscript.Env, agents string) error {
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		env.Setenv(name, strings.TrimSpace(string(out)))
	}
	env.Setenv("PATH", agents+string(os.PathListSeparator)+env.Getenv("PATH"))
	state, err := os.MkdirTemp("", "looprun-state-")
	if err != nil {
		return err
	}
	env.Defer(func() { _ = os.RemoveAll(state) })
	env.Setenv("XDG_STATE_HOME", state)
	env.Setenv("HOME", state)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("AGENT", filepath.Join(env.WorkDir, "agent"))
	source, err := filepath.Abs(".")
	env.Setenv("ACCEPTANCE", source)
	return err
}
