//go:build unix

// Package acceptance runs looprun as its users do: as a command, on real
// repositories, with generators and checks that are commands too.
package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"looprun.dev/looprun/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"looprun":   func() { os.Exit(cli.Main()) },
		"agent":     agentMain,
		"holds":     holdsMain,
		"acts":      actsMain,
		"rechain":   rechainMain,
		"hostile":   hostileMain,
		"dials":     dialsMain,
		"manager":   managerMain,
		"collector": collectorMain,
		"launch":    launchMain,
	})
}

func TestScripts(t *testing.T) {
	agents := t.TempDir()
	build(t, agents)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Condition:           condition,
		Setup:               func(env *testscript.Env) error { return setup(env, agents) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"bookshop":  bookshop,
			"commit":    commit,
			"json":      jsonField,
			"starts":    starts,
			"stage":     stage,
			"unmoved":   unmoved,
			"moved":     moved,
			"remember":  remember,
			"untouched": untouched,
			"run":       run,
			"fifo":      fifo,
			"nowhere":   nowhere,
			"await":     await,
			"full":      full,
			"page":      page,
			"press":     press,
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

var goFolders = []string{"GOCACHE", "GOMODCACHE", "GOPATH"}

// goEnv is where the user's caches of Go are.
var goEnv = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	out, _ := exec.Command("go", append([]string{"env"}, goFolders...)...).Output()
	for i, line := range strings.Split(string(out), "\n") {
		if i < len(goFolders) {
			all[goFolders[i]] = strings.TrimSpace(line)
		}
	}
	return all
})

// setup gives each script a home of its own, the user's caches of Go, and the
// agents in its PATH.
func setup(env *testscript.Env, agents string) error {
	for _, name := range goFolders {
		env.Setenv(name, goEnv()[name])
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
