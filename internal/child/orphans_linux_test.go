package child

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	// looprun runs a command and tells what Started is told.
	fakes["looprun"] = func(args []string) {
		c := Cmd{
			Argv: fake("silent", args...), Env: []string{"PATH=" + os.Getenv("PATH")}, RunID: args[0], level: args[1],
			Started: func(p Proc) { json.NewEncoder(os.Stdout).Encode(p) },
		}
		Run(context.Background(), c)
	}
	// silent is an agent that goes on alone: it does not die with looprun, has
	// helpers, and may ignore TERM.
	fakes["silent"] = func(args []string) {
		must(0, unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0))
		if len(args) > 3 {
			signal.Ignore(syscall.SIGTERM)
		}
		for _, words := range []string{"session", "fork session fork"} {
			r, w, err := os.Pipe()
			must(0, err)
			argv := fake("escape", append([]string{args[0]}, strings.Fields(words)...)...)
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.ExtraFiles = []*os.File{w}
			must(0, cmd.Start())
			w.Close()
			must(r.Read(make([]byte, 1)))
		}
		must(0, os.WriteFile(args[2], nil, 0o600))
		time.Sleep(stay)
	}
}

// killedLooprun starts a looprun, kills it while its agent works, and returns
// what it had recorded. Five processes are left: the agent, a helper with a
// child of its own, and two orphans.
func killedLooprun(t *testing.T, run, level string, more ...string) Proc {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	argv := fake("looprun", append([]string{run, level, ready}, more...)...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var p Proc
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&p); err != nil {
		t.Fatal(err)
	}
	await(t, "the agent", func() bool { _, err := os.Stat(ready); return err == nil })
	cmd.Process.Kill()
	cmd.Wait()
	await(t, "the end of those between", func() bool { return len(running(run)) == 5 })
	t.Cleanup(func() {
		for _, pid := range running(run) {
			unix.Kill(pid, unix.SIGKILL)
		}
		for _, g := range leftCgroups(run) {
			g.remove()
		}
	})
	return p
}

// await waits for what another process is about to do.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 5000 {
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s never came", what)
}

func TestEndOrphans(t *testing.T) {
	for name, tt := range map[string]struct {
		level string
		args  func(p Proc, run string) ([]Proc, []string)
		left  bool
	}{
		"finds all by the run id":                     {Subreaper, func(p Proc, run string) ([]Proc, []string) { return nil, []string{run} }, false},
		"finds all by both":                           {Subreaper, func(p Proc, run string) ([]Proc, []string) { return []Proc{p}, []string{run} }, false},
		"ends a cgroup and removes it":                {"", func(p Proc, run string) ([]Proc, []string) { return []Proc{p}, []string{run} }, false},
		"touches nothing of another boot":             {Subreaper, func(p Proc, run string) ([]Proc, []string) { p.Boot = "another"; return []Proc{p}, nil }, true},
		"touches nothing whose pid is used again":     {Subreaper, func(p Proc, run string) ([]Proc, []string) { p.Start++; return []Proc{p}, nil }, true},
		"touches nothing of another run":              {Subreaper, func(p Proc, run string) ([]Proc, []string) { return nil, []string{run + "x", run[1:], ""} }, true},
		"touches nothing when there is nothing to do": {Subreaper, func(p Proc, run string) ([]Proc, []string) { return nil, nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			run := unique(t)
			p := killedLooprun(t, run, tt.level)
			before := running(run)
			procs, runs := tt.args(p, run)
			ended, err := EndOrphans(t.Context(), procs, runs)
			if err != nil {
				t.Fatal(err)
			}
			after := running(run)
			if tt.left && (len(after) != len(before) || ended != 0) {
				t.Errorf("EndOrphans = %d, %v are left; want 0, %v", ended, after, before)
			}
			if !tt.left && (len(after) > 0 || ended != 5) {
				t.Errorf("EndOrphans = %d, %v are left; want all of %v ended", ended, after, before)
			}
			if left := leftCgroups(run); !tt.left && len(left) > 0 {
				t.Errorf("cgroup %s is left", left[0].dir)
			}
		})
	}
}

func TestEndOrphansThatIgnoreTERM(t *testing.T) {
	run := unique(t)
	killedLooprun(t, run, Subreaper, "stubborn")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // ends the grace period
	defer cancel()
	if ended, err := EndOrphans(ctx, nil, []string{run}); err != nil || ended != 5 || len(running(run)) > 0 {
		t.Errorf("EndOrphans = %d, %v, left %v; want all ended", ended, err, running(run))
	}
}

// The recorded process alone leads to what descends from it or is in its group,
// also when that has no mark. What lost both is found by its mark only.
func TestEndOrphansFollowsDescent(t *testing.T) {
	run := unique(t)
	p := killedLooprun(t, run, Subreaper)
	ended, err := EndOrphans(t.Context(), []Proc{p}, nil)
	left := running(run)
	if err != nil || ended != 4 || len(left) != 1 {
		t.Errorf("EndOrphans = %d, %v, left %v; want the agent, the two below it and the one in its group ended", ended, err, left)
	}
	if ended, err := EndOrphans(t.Context(), []Proc{p}, []string{run}); err != nil || ended != 1 || len(running(run)) > 0 {
		t.Errorf("EndOrphans with the run id = %d, %v; want 1", ended, err)
	}
}

// Killing looprun ends the command itself at once: the kernel does it.
func TestACommandDiesWithLooprun(t *testing.T) {
	run := unique(t)
	argv := fake("parent", run)
	cmd := exec.Command(argv[0], argv[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var p Proc
	if err := json.NewDecoder(out).Decode(&p); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	await(t, "the end of the command", func() bool { now, err := look(p.PID); return err != nil || now.dead || now.start != p.Start })
	if _, err := EndOrphans(t.Context(), nil, []string{run}); err != nil { // the cgroup
		t.Error(err)
	}
}

func init() {
	fakes["parent"] = func(args []string) {
		c := shell("sleep 20")
		c.RunID, c.Started = args[0], func(p Proc) { json.NewEncoder(os.Stdout).Encode(p) }
		Run(context.Background(), c)
	}
	// client asks a service to start a process with the environment of the
	// client, as at and batch do.
	fakes["client"] = func(args []string) {
		conn := must(net.Dial("unix", args[0]))
		fmt.Fprintln(conn, strings.Join(os.Environ(), "\x00"))
		must(bufio.NewReader(conn).ReadString('\n'))
	}
	// customer is a looprun whose command is a client.
	fakes["customer"] = func(args []string) {
		res := must(Run(context.Background(), Cmd{Argv: fake("client", args[0]), RunID: args[1], level: args[2]}))
		fmt.Println(res.Level, res.ExitCode, res.ProcessesEnded)
	}
}

// A process that a service started for a run does not descend from looprun, but
// carries the mark.
func TestRunEndsWhatAServiceStartedForIt(t *testing.T) {
	for _, level := range []string{"", Subreaper} {
		t.Run("at level "+level, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), "s")
			l, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			run := unique(t)
			served := make(chan *exec.Cmd, 1)
			go serve(l, run, served)
			argv := fake("customer", socket, run, level)
			out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
			if err != nil || !strings.HasSuffix(string(out), " 0 1\n") {
				t.Errorf("customer = %q, %v; want one process ended", out, err)
			}
			job := <-served
			job.Wait()
			if ws := job.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() {
				t.Errorf("job ended with %v; want by a signal", job.ProcessState)
			}
		})
	}
}

// serve starts one job with the environment that it is sent.
func serve(l net.Listener, token string, served chan<- *exec.Cmd) {
	conn, err := l.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	env, _ := bufio.NewReader(conn).ReadString('\n')
	r, w, _ := os.Pipe()
	argv := fake("escape", token)
	job := exec.Command(argv[0], argv[1:]...)
	job.Env = strings.Split(strings.TrimSpace(env), "\x00")
	job.ExtraFiles, job.SysProcAttr = []*os.File{w}, &syscall.SysProcAttr{Setsid: true}
	job.Start()
	w.Close()
	r.Read(make([]byte, 1))
	r.Close()
	served <- job
	fmt.Fprintln(conn)
}
