package loop_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/task"
)

// A field is a scenario laid out on disk.
type field struct {
	t    *testing.T
	name string
	scenario
	dir  string // repo/ is the user's checkout, state/ looprun's own, starts counts the generator
	torn bool   // the power went: views may be damaged, and are made again
}

const loopYAML = `version: 1
queue: {disk_floor: 1MiB}
workspace: {mode: %s, dir: ../state}
generator: {command: [./agent.sh], timeout: %s, env: {pass: [PATH, D]}}
verification:
  profiles: {answer: [{run: [sh, check.sh]}]}
  baseline: false
  canary: false
boundary: {allow: [answer]}
sandbox: off
%s
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
	f.must(os.CopyFS(f.dir, os.DirFS(checkout(of))), s.MkdirAll("repo/tasks/inbox"), s.MkdirAll("repo/tasks/done"), s.MkdirAll("state"))
	f.add("", f.tasks...)
	f.add("", f.earlier...)
	for _, id := range f.earlier {
		f.must(s.WriteFile("repo/tasks/done/"+id+".json", fmt.Appendf(nil, `{"id": %q, "goal": "an earlier one"}`, id)))
	}
	return f
}

// Checkouts are made once and copied: a campaign lays out thousands of fields.
var checkouts struct {
	sync.Mutex
	made map[string]string
}

// checkout is a directory with a repository for a scenario.
func checkout(of scenario) string {
	checkouts.Lock()
	defer checkouts.Unlock()
	key := of.mode + "\n" + of.agent + "\n" + of.check + "\n" + of.timeout + "\n" + of.more
	if dir := checkouts.made[key]; dir != "" {
		return dir
	}
	if checkouts.made == nil {
		checkouts.made = map[string]string{}
	}
	dir, err := makeCheckout(of)
	if err != nil {
		panic(err)
	}
	checkouts.made[key] = dir
	return dir
}

// removeCheckouts is for the end of the test binary.
func removeCheckouts() {
	for _, dir := range checkouts.made {
		_ = fsx.Scratch(dir).RemoveAll("") // the system's own place
	}
}

func makeCheckout(of scenario) (string, error) {
	s, err := fsx.Scratch("").MkdirTemp("looprun-checkout-")
	if err != nil {
		return "", err
	}
	start := map[bool]string{true: "good", false: "bad"}[of.good || of.agent == ":"]
	err = errors.Join(s.MkdirAll("repo"),
		s.WriteFile("repo/answer", []byte(start+"\n")),
		s.WriteFile("repo/check.sh", []byte(cmp.Or(of.check, goodAnswer)+"\n")),
		s.WriteMode("repo/agent.sh", []byte("#!/bin/sh\necho \"$LOOPRUN_TASK_ID $LOOPRUN_ROUND\" >>\"$D/starts\"\n"+of.agent+"\n"), 0o755),
		s.WriteFile("repo/loop.yaml", fmt.Appendf(nil, loopYAML, of.mode, cmp.Or(of.timeout, "30m"), of.more)),
		s.WriteFile("repo/.gitignore", []byte("/tasks/\n/.loop/\n")))
	for _, argv := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "base"},
	} {
		cmd := exec.Command("git", argv...)
		cmd.Dir = s.Path("repo")
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+string(s), "GIT_TEMPLATE_DIR=")
		if out, e := cmd.CombinedOutput(); e != nil {
			err = errors.Join(err, fmt.Errorf("git %v: %w\n%s", argv, e, out))
		}
	}
	return string(s), err
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

// A playing is how passes are made.
type playing struct {
	seam     fsx.Seam
	ahead    time.Duration   // of the clock
	observer loop.Observer   // nil: nobody watches
	ended    func(loop.Pass) // nil: nobody asks
}

// pass makes one pass.
func pass(dir string, limits loop.Limits, how playing) (loop.Pass, error) {
	cfg, faults, err := config.Load(filepath.Join(dir, "repo", config.FileName))
	if faults, _ := task.Split(faults); err != nil || len(faults) > 0 {
		return loop.Pass{}, fmt.Errorf("%v %w", faults, err)
	}
	ctx := context.Background()
	o := loop.Options{
		Config: cfg, Seam: how.seam, Observer: how.observer,
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "D=" + dir},
		Now:     func() time.Time { return time.Now().Add(how.ahead) },
	}
	l, err := loop.Open(ctx, o)
	if err != nil {
		return loop.Pass{}, err
	}
	p, err := l.Run(ctx, limits)
	return p, errors.Join(err, l.Close())
}

// passes makes as many passes as the scenario takes, all with one seam.
func (f field) passes(seam fsx.Seam) error { return f.play(playing{seam: seam}) }

func (f field) play(how playing) error { return f.scenario.run(f.dir, how) }

func (s scenario) run(dir string, how playing) error {
	steps := s.steps
	if len(steps) == 0 {
		steps = []step{{}}
	}
	for _, step := range steps {
		next := how
		next.ahead += step.ahead
		p, err := pass(dir, loop.Limits{PauseAfterRound: step.pauseAfter}, next)
		if err != nil {
			return err
		}
		if how.ended != nil {
			how.ended(p)
		}
	}
	return nil
}

// isTask tells a task of the scenario from what lies in its folders besides.
func (f field) isTask(id string) bool { return slices.Contains(f.tasks, id) }
