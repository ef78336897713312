package site

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/testsuite"

	"looprun.dev/looprun/engine/temporal/internal/flow"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// controlled is a control repository with two tasks in its inbox, of which the
// second comes after the first.
func controlled(t *testing.T) Control {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"loop.yaml":           "version: 1\nsandbox: off\ngenerator: {command: [\"true\"]}\nverification: {profiles: {unit: [{run: [\"true\"]}]}}\nengine: {temporal: {name: shop}}\n",
		".gitignore":          "tasks/\n.loop/\n",
		"tasks/inbox/t1.json": `{"id":"t1","goal":"g","verify":["unit"]}`,
		"tasks/inbox/t2.json": `{"id":"t2","goal":"g","verify":["unit"],"after":["t1"]}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-qm", "base"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	cfg, faults, err := config.Load(filepath.Join(dir, "loop.yaml"))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	environ := append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	return Control{Config: cfg, Environ: environ, Remote: NewRemote(dir, "", environ)}
}

func (c Control) stages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(c.Config.Dir, "tasks", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range found {
		found[i], _ = filepath.Rel(filepath.Join(c.Config.Dir, "tasks"), path)
	}
	return found
}

// start hands over what is ready and returns what the engine was given.
func (c Control) start(t *testing.T) (given []flow.Input) {
	t.Helper()
	_, _, err := c.Start(t.Context(), nil, 0, func(in flow.Input) error {
		given = append(given, in)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return given
}

func TestTaskIsTheEnginesUntilItsRecordsComeBack(t *testing.T) {
	c := controlled(t)
	given := c.start(t)
	if len(given) != 1 || given[0].ID != "t1" {
		t.Fatalf("given = %v; want t1 alone: t2 comes after it", given)
	}
	if again := c.start(t); len(again) != 1 || again[0].Journal != given[0].Journal {
		t.Errorf("a second start gives %d tasks; want the same claim once more", len(again))
	}
	l, err := c.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pass, err := l.Run(t.Context(), loop.Limits{})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"inbox/t2.json", "processing/t1.json"}, c.stages(t)); err != nil || diff != "" || len(pass.Ended)+len(pass.Left) > 0 {
		t.Errorf("after looprun run, %v, %d ended, stages (-want +got):\n%s", err, len(pass.Ended), diff)
	}

	chain, err := record.ParseChain([]byte(given[0].Journal))
	if err != nil {
		t.Fatal(err)
	}
	at := chain.State().Now
	chain, err = chain.Append(at, round.Event{Kind: round.Decide, Facts: &round.Facts{Now: at, Cancel: true}, Decision: &round.Decision{Kind: task.Blocked, Reason: task.Cancelled}},
		round.Event{Kind: round.Finish, Finished: &round.Finished{Workspace: "reset"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // it bears repeating
		c.keep(t, flow.Call{ID: "t1", Journal: string(chain.Text())})
	}
	if diff := cmp.Diff([]string{"blocked/t1.json", "inbox/t2.json"}, c.stages(t)); diff != "" {
		t.Errorf("stages after its end (-want +got):\n%s", diff)
	}
	refs, err := c.Remote.Read(context.Background(), "refs/looprun/*")
	if err != nil || len(refs) > 0 {
		t.Errorf("refs = %v, %v; want none of a dead task", refs, err)
	}
}

// keep calls the activity that keeps the records.
func (c Control) keep(t *testing.T, call flow.Call) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(c.Return)
	if _, err := env.ExecuteActivity(c.Return, call); err != nil {
		t.Fatal(err)
	}
}

func TestWhatManyMachinesCannotDoIsRefusedAtTheStart(t *testing.T) {
	for name, change := range map[string]func(*config.Config){
		"in place": func(c *config.Config) { c.Workspace.Mode = config.InPlace },
		"merge":    func(c *config.Config) { c.Land.Mode = "merge" },
	} {
		c := controlled(t)
		change(&c.Config)
		if _, _, err := c.Start(t.Context(), nil, 0, nil); err == nil {
			t.Errorf("%s: Start = nil; want it refused", name)
		}
	}
}
