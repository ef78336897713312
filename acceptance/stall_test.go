package acceptance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"looprun.dev/looprun/internal/fsx/fsxtest"
)

// A stall is a repository with a queue that looprun is killed on. Its generator
// and its check are shell scripts that count their starts.
type stall struct {
	t   *testing.T
	dir string // repo/, and beside it what must outlast every try
}

const stallYAML = `version: 1
queue: {disk_floor: 1MiB}
workspace: {mode: %s}
generator: {command: [./agent.sh], env: {pass: [PATH, D, STOP]}}
verification:
  profiles: {answer: [{run: [sh, check.sh]}]}
  baseline: false
  canary: false
  env: {pass: [PATH, D, STOP]}
boundary: {allow: [answer, late]}
sandbox: off
`

// stop makes a script wait for its end at one of its starts, once the test has
// been told.
const stop = `
stop() {
	test "$STOP" = "$1" || return 0
	echo $$ >"$D/stopped.new" && mv "$D/stopped.new" "$D/stopped"
	while :; do sleep 0.02; done
}
`

// newStall lays out a repository in which tasks wait in the inbox.
func newStall(t *testing.T, mode, agent string, tasks ...string) stall {
	t.Helper()
	return newStallIn(t, fsxtest.TempDir(t), mode, agent, tasks...)
}

func newStallIn(t *testing.T, dir, mode, agent string, tasks ...string) stall {
	t.Helper()
	s := stall{t, dir}
	s.write("repo/answer", "bad\n")
	s.write("repo/check.sh", stop+`
echo x >>"$D/checks"
stop "check $(($(wc -l <"$D/checks")))"
test "$(cat answer)" = good || { echo "the answer is $(cat answer)"; exit 1; }
`)
	s.write("repo/agent.sh", "#!/bin/sh\n"+stop+`
echo "$LOOPRUN_TASK_ID round $LOOPRUN_ROUND" >>"$D/starts"
stop "agent $LOOPRUN_TASK_ID $LOOPRUN_ROUND"
`+agent)
	s.must(os.Chmod(s.path("repo/agent.sh"), 0o755))
	s.write("repo/loop.yaml", fmt.Sprintf(stallYAML, mode))
	s.write("repo/.gitignore", "/tasks/\n/.loop/\n")
	s.git("init", "-q", "-b", "main")
	s.git("add", "-A")
	s.git("-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "base")
	for _, id := range tasks {
		s.add(id)
	}
	return s
}

func (s stall) must(errs ...error) {
	s.t.Helper()
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
}

func (s stall) path(name string) string { return filepath.Join(s.dir, name) }

func (s stall) write(name, data string) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Dir(s.path(name)), 0o755), os.WriteFile(s.path(name), []byte(data), 0o644))
}

// read gives a file, "" if it is not there.
func (s stall) read(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(s.path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	return string(data)
}

func (s stall) add(id string) {
	s.t.Helper()
	s.write("repo/tasks/inbox/"+id+".json", fmt.Sprintf(`{"id": %q, "goal": "answer well", "verify": ["answer"]}`, id))
}

func (s stall) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.path("repo"), s.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (s stall) env(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "XDG_STATE_HOME=" + s.path("state"), "GIT_CONFIG_NOSYSTEM=1", "D=" + s.dir,
	}, more...)
}

// looprun is the command, ready to start.
func (s stall) looprun(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command("looprun", args...)
	out := &bytes.Buffer{}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.path("repo"), s.env(), out, out
	return cmd, out
}

// run runs looprun to its end and wants an exit code.
func (s stall) run(code int, args ...string) string {
	s.t.Helper()
	cmd, out := s.looprun(args...)
	err := cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.t.Fatalf("looprun %v exited with %d (%v); want %d\n%s", args, got, err, code, out)
	}
	return out.String()
}

// killWhen starts a run with STOP set and kills it as soon as reached says so.
func (s stall) killWhen(stop string, reached func() bool) {
	s.t.Helper()
	cmd, out := s.looprun("run")
	cmd.Env = s.env("STOP=" + stop)
	s.must(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for !reached() {
		select {
		case err := <-ended:
			s.t.Fatalf("looprun ended before the place where it was to be killed: %v\n%s", err, out)
		case <-time.After(500 * time.Microsecond):
		}
	}
	s.must(cmd.Process.Kill())
	<-ended
}

// lines is how many whole lines a file has.
func (s stall) lines(name string) int { return strings.Count(s.read(name), "\n") }

// stages is where the file of each task is.
func (s stall) stages() map[string]string {
	s.t.Helper()
	names, err := filepath.Glob(s.path("repo/tasks/*/*"))
	s.must(err)
	found := map[string]string{}
	for _, name := range names {
		id := filepath.Base(name)
		found[id] = strings.TrimPrefix(found[id]+" "+filepath.Base(filepath.Dir(name)), " ")
	}
	return found
}

// gone wants the process whose number stands in a file to be dead. Where nobody
// collects orphans it may still have its number.
func (s stall) gone(name string) {
	s.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(s.read(name)))
	if err != nil {
		return // the test stopped nobody there
	}
	p, err := os.FindProcess(pid)
	if err != nil || p.Signal(syscall.Signal(0)) != nil {
		return
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if _, state, ok := strings.Cut(string(stat), ") "); err != nil || !ok || !strings.HasPrefix(state, "Z") {
		s.t.Errorf("process %d of %s is still alive", pid, name)
	}
}
