//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"looprun.dev/looprun/internal/record"
)

// The programs under test, built once, and the server, which is started once.
var (
	programs string
	cluster  *server
)

// A server is a Temporal dev server with its state in a file.
type server struct {
	port string
	file string
	cmd  *exec.Cmd
}

func TestMain(m *testing.M) {
	if os.Getenv("LOOPRUN_TEMPORAL_E2E") == "" {
		fmt.Println("skipped: LOOPRUN_TEMPORAL_E2E is not set")
		return
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "looprun-temporal-e2e-")
		if err == nil {
			defer os.RemoveAll(dir)
			err = build(dir)
		}
		if err == nil {
			cluster = &server{file: filepath.Join(dir, "temporal.db")}
			err = cluster.start()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer cluster.kill()
		return m.Run()
	}())
}

func build(dir string) error {
	programs = dir
	for name, pkg := range map[string]string{"looprun": "looprun.dev/looprun/cmd/looprun", "looprun-temporal": "looprun.dev/looprun/engine/temporal/cmd/looprun-temporal"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), pkg).CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	return nil
}

// start starts the server on the port that it had before, and returns when it
// answers.
func (s *server) start() error {
	if s.port == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		_, s.port, _ = net.SplitHostPort(l.Addr().String())
		l.Close()
	}
	program := os.Getenv("LOOPRUN_TEMPORAL_SERVER")
	if program == "" {
		program = "temporal"
	}
	s.cmd = exec.Command(program, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", s.port, "--db-filename", s.file, "--log-level", "error")
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start the dev server (LOOPRUN_TEMPORAL_SERVER names it): %w", err)
	}
	health := func() bool {
		return exec.Command(program, "operator", "cluster", "health", "--address", "127.0.0.1:"+s.port).Run() == nil
	}
	if !within(30*time.Second, health) {
		return errors.New("the dev server does not answer")
	}
	return nil
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// within looks until something is so.
func within(limit time.Duration, so func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if so() {
			return true
		}
	}
	return so()
}

// A rig is a control repository, a bare remote, and a clone a worker.
type rig struct {
	t       *testing.T
	dir     string
	control string
	workers map[string]*exec.Cmd
}

// generator is what all tasks share: the prefix of its id says what becomes of
// one. Each start is a line of starts.
const generator = `echo "$LOOPRUN_TASK_ID $LOOPRUN_TRY $WHO $$" >>STARTS
case $LOOPRUN_TASK_ID in
slow*) sleep 6 ;;
nap*) sleep 4 ;;
hang*) if [ "$LOOPRUN_TRY" = 1 ]; then setsid sleep 300 & sleep 300; fi ;;
again*) if [ "$LOOPRUN_ROUND" = 1 ]; then echo wrong >$LOOPRUN_TASK_ID.txt; exit; fi ;;
never*) echo wrong >$LOOPRUN_TASK_ID.txt; exit ;;
ask*) echo '{"status":"needs_input","question":"which?"}' >"$LOOPRUN_REPORT"; exit ;;
reach*) echo x >loop.yaml; exit ;;
idle*) exit ;;
crash*) [ "$LOOPRUN_TRY" = 1 ] && kill -SEGV $$ ;;
esac
echo fixed >$LOOPRUN_TASK_ID.txt
`

// newRig starts workers. Where nothing is to die the heartbeat is long: on a busy
// machine a short one takes a slow worker for a dead one.
func newRig(t *testing.T, workers, concurrency int, heartbeat string) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), workers: map[string]*exec.Cmd{}}
	r.control = filepath.Join(r.dir, "control")
	script := strings.ReplaceAll(generator, "STARTS", filepath.Join(r.dir, "starts"))
	command, _ := json.Marshal([]string{"sh", "-c", script})
	yaml := fmt.Sprintf(`version: 1
queue: {concurrency: %d}
sandbox: off
generator:
  command: %s
  grace: 1s
  env: {pass: [PATH, HOME, LANG, WHO]}
verification:
  canary: false
  profiles:
    unit:
      - run: ["sh", "-c", "grep -q fixed *-*.txt || { echo 'not fixed'; exit 1; }"]
recovery: {backoff: {base: 1s, jitter: none}}
engine:
  temporal: {address: "127.0.0.1:%s", name: %s, remote: origin, heartbeat: %s}
`, concurrency, command, cluster.port, strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")), heartbeat)
	r.git(r.dir, "init", "-q", "--bare", "-b", "main", "remote.git")
	r.git(r.dir, "init", "-q", "-b", "main", "control")
	r.write("control/loop.yaml", yaml)
	r.write("control/.gitignore", ".loop/\ntasks/\n")
	r.write("control/a-b.txt", "broken\n")
	r.git(r.control, "add", "-A")
	r.git(r.control, "-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-qm", "base")
	r.git(r.control, "remote", "add", "origin", filepath.Join(r.dir, "remote.git"))
	r.git(r.control, "push", "-q", "origin", "main")
	if err := os.MkdirAll(filepath.Join(r.control, "tasks", "inbox"), 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range workers {
		name := fmt.Sprint("w", n+1)
		r.git(r.dir, "clone", "-q", "remote.git", name)
		r.work(name)
	}
	t.Cleanup(r.stop)
	return r
}

// work starts a worker in its clone.
func (r *rig) work(name string) {
	log, err := os.OpenFile(filepath.Join(r.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		r.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(programs, "looprun-temporal"), "-C", filepath.Join(r.dir, name), "worker", "--control", r.control)
	cmd.Env = append(r.environ(), "WHO="+name)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.workers[name] = cmd
}

func (r *rig) environ() []string {
	return append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(r.dir, "state"), "GIT_CONFIG_GLOBAL=/dev/null")
}

func (r *rig) stop() {
	for name, cmd := range r.workers {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if r.t.Failed() {
			log, _ := os.ReadFile(filepath.Join(r.dir, name+".log"))
			r.t.Logf("%s:\n%s", name, log)
		}
	}
}

func (r *rig) git(dir string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *rig) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// add puts tasks into the inbox and hands them over.
func (r *rig) start(ids ...string) {
	r.t.Helper()
	for _, id := range ids {
		r.write(filepath.Join("control/tasks/inbox", id+".json"), fmt.Sprintf(`{"id":%q,"goal":"fix it","verify":["unit"]}`, id))
	}
	r.run("looprun-temporal", "start")
}

// run runs a command in the control repository; it must succeed.
func (r *rig) run(program string, args ...string) string {
	r.t.Helper()
	out, err := r.try(program, args...)
	if err != nil {
		r.t.Fatalf("%s %s: %v\n%s", program, args, err, out)
	}
	return out
}

func (r *rig) try(program string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(programs, program), append([]string{"-C", r.control}, args...)...)
	cmd.Env = r.environ()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// started lists the starts of a task's generator: try, worker and pid of each.
func (r *rig) started(id string) (starts [][]string) {
	data, err := os.ReadFile(filepath.Join(r.dir, "starts"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if words := strings.Fields(string(line)); len(words) == 4 && words[0] == id {
			starts = append(starts, words[1:])
		}
	}
	return starts
}

// running waits for the nth start of a task and says which worker has it.
func (r *rig) running(id string, n int) string {
	r.t.Helper()
	if !within(30*time.Second, func() bool { return len(r.started(id)) >= n }) {
		r.t.Fatalf("%s was started %d times; want %d", id, len(r.started(id)), n)
	}
	return r.started(id)[n-1][1]
}

// end waits until the record of a task has its result.
func (r *rig) end(id string, limit time.Duration) record.ResultView {
	r.t.Helper()
	var v record.ResultView
	path := filepath.Join(r.control, ".loop", "results", id+".json")
	over := func() bool {
		data, err := os.ReadFile(path)
		return err == nil && json.Unmarshal(data, &v) == nil
	}
	if !within(limit, over) {
		status, _ := r.try("looprun-temporal", "show", id)
		r.t.Fatalf("%s has not ended after %s: %s", id, limit, status)
	}
	return v
}

// history is the journal of a task as the control repository has it.
func (r *rig) history(id string) record.History {
	r.t.Helper()
	reader, err := record.NewReader(filepath.Join(r.control, ".loop"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer reader.Close()
	h, err := reader.Task(id)
	if err != nil {
		r.t.Fatal(err)
	}
	return h
}

// stages lists where the files of tasks stand.
func (r *rig) stages() []string {
	found, _ := filepath.Glob(filepath.Join(r.control, "tasks", "*", "*.json"))
	for i, path := range found {
		found[i], _ = filepath.Rel(filepath.Join(r.control, "tasks"), path)
	}
	slices.Sort(found)
	return found
}
