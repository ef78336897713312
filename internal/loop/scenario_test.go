package loop_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/task"
)

// A scenario is what is in the inbox, what the generator does with it, and how
// it ends.
type scenario struct {
	mode   string            // of the workspace
	tasks  []string          // ids
	agent  string            // a shell script; the starts are counted before it
	check  string            // another one; "" is whether the answer is good
	stages map[string]string // where each task ends: stage and reason
	pause  bool              // the first pass stops once the plan of round 2 is ready
}

var scenarios = map[string]scenario{
	"done": {
		mode: config.Isolated, tasks: []string{"t1"},
		agent:  `if test "$LOOPRUN_ROUND" = 1; then echo bad >answer; else echo good >answer; fi`,
		stages: map[string]string{"t1": "done independent_verification_passed"},
	},
	"blocked": {
		mode: config.InPlace, tasks: []string{"t1"},
		agent:  `echo good >answer; echo more >elsewhere`,
		stages: map[string]string{"t1": "blocked boundary_violation"},
	},
	"needs-input": {
		mode: config.Isolated, tasks: []string{"t1"},
		agent:  `echo bad >answer`,
		stages: map[string]string{"t1": "needs-input same_failure_limit_reached"},
	},
	"paused": {
		mode: config.Isolated, tasks: []string{"t1"}, pause: true,
		agent:  `if test "$LOOPRUN_ROUND" = 1; then echo bad >answer; else echo good >answer; fi`,
		stages: map[string]string{"t1": "done independent_verification_passed"},
	},
	"two-tasks": {
		mode: config.InPlace, tasks: []string{"t1", "t2"},
		agent:  `:`,
		stages: map[string]string{"t1": "done no_change_needed", "t2": "done no_change_needed"},
	},
}

// A field is a scenario laid out on disk.
type field struct {
	t    *testing.T
	name string
	scenario
	dir string // repo/ is the user's checkout, state/ looprun's own, starts counts the generator
}

const loopYAML = `version: 1
queue: {disk_floor: 1MiB}
workspace: {mode: %s, dir: ../state}
generator: {command: [./agent.sh], env: {pass: [PATH]}}
verification:
  profiles: {answer: [{run: [sh, check.sh]}]}
  baseline: false
  canary: false
boundary: {allow: [answer]}
sandbox: off
`

const goodAnswer = `test "$(cat answer)" = good || { echo "the answer is $(cat answer)"; exit 1; }`

// lay puts a scenario where it can be run, with its tasks in the inbox.
func lay(t *testing.T, name string) field {
	t.Helper()
	return layOut(t, name, scenarios[name])
}

func layOut(t *testing.T, name string, of scenario) field {
	t.Helper()
	f := field{t: t, name: name, scenario: of, dir: fsxtest.TempDir(t)}
	s := fsx.Scratch(f.dir)
	start := map[bool]string{true: "good", false: "bad"}[f.agent == ":"]
	f.must(s.MkdirAll("repo/tasks/inbox"), s.MkdirAll("state"),
		s.WriteFile("repo/answer", []byte(start+"\n")),
		s.WriteFile("repo/check.sh", []byte(cmp.Or(f.check, goodAnswer)+"\n")),
		s.WriteMode("repo/agent.sh", []byte("#!/bin/sh\necho \"$LOOPRUN_TASK_ID $LOOPRUN_ROUND\" >>"+f.dir+"/starts\n"+f.agent+"\n"), 0o755),
		s.WriteFile("repo/loop.yaml", fmt.Appendf(nil, loopYAML, f.mode)),
		s.WriteFile("repo/.gitignore", []byte("/tasks/\n/.loop/\n")))
	for _, argv := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "base"},
	} {
		cmd := exec.Command("git", argv...)
		cmd.Dir = f.dir + "/repo"
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+f.dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", argv, err, out)
		}
	}
	f.add("", f.tasks...)
	return f
}

// add puts tasks into the inbox, with more members if there are some.
func (f field) add(more string, ids ...string) {
	f.t.Helper()
	for _, id := range ids {
		data := fmt.Appendf(nil, `{"id": %q, "goal": "answer well", "verify": ["answer"]%s}`, id, more)
		f.must(fsx.Scratch(f.dir).WriteFile("repo/tasks/inbox/"+id+".json", data))
	}
}

func (f field) must(errs ...error) {
	f.t.Helper()
	if err := errors.Join(errs...); err != nil {
		f.t.Fatal(err)
	}
}

// pass makes one pass.
func pass(dir string, limits loop.Limits, seam fsx.Seam) (loop.Pass, error) {
	cfg, faults, err := config.Load(filepath.Join(dir, "repo", config.FileName))
	if faults, _ := task.Split(faults); err != nil || len(faults) > 0 {
		return loop.Pass{}, fmt.Errorf("%v %w", faults, err)
	}
	ctx := context.Background()
	o := loop.Options{Config: cfg, Seam: seam, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}}
	l, err := loop.Open(ctx, o)
	if err != nil {
		return loop.Pass{}, err
	}
	p, err := l.Run(ctx, limits)
	return p, errors.Join(err, l.Close())
}

// passes makes as many passes as the scenario takes, all with one seam.
func (f field) passes(seam fsx.Seam) error { return run(f.dir, f.pause, seam) }

func run(dir string, pause bool, seam fsx.Seam) error {
	if pause {
		if _, err := pass(dir, loop.Limits{PauseAfterRound: 1}, seam); err != nil {
			return err
		}
	}
	_, err := pass(dir, loop.Limits{}, seam)
	return err
}
