package acceptance

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Counts of what a run asks of the system: they hold on any machine.
type counts struct {
	fsyncs  int
	git     int // processes
	other   int // processes that looprun started, git and the sandbox's own not counted
	links   int
	unlinks int
}

func (c counts) String() string {
	return fmt.Sprintf("%d fsyncs, %d git, %d other processes, %d links, %d unlinks", c.fsyncs, c.git, c.other, c.links, c.unlinks)
}

// traced runs looprun under strace and counts.
func (s stall) traced(code int, args ...string) counts {
	s.t.Helper()
	log := s.path("strace")
	looprun, err := exec.LookPath("looprun")
	s.must(err)
	argv := append([]string{"-f", "-qq", "-o", log, "-e", "trace=fsync,fdatasync,syncfs,sync,sync_file_range,msync,linkat,unlinkat,execve", looprun}, args...)
	cmd := exec.Command("strace", argv...)
	cmd.Dir, cmd.Env = s.path("repo"), s.env()
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.t.Fatalf("looprun %v exited with %d (%v); want %d\n%s", args, got, err, code, out)
	}
	return s.countsIn(log)
}

func (s stall) countsIn(log string) counts {
	s.t.Helper()
	f, err := os.Open(log)
	s.must(err)
	defer f.Close()
	c := counts{other: -1} // looprun itself
	for lines := bufio.NewScanner(f); lines.Scan(); {
		_, call, _ := strings.Cut(lines.Text(), " ")
		call = strings.TrimSpace(call)
		name, rest, _ := strings.Cut(call, "(")
		switch {
		case strings.HasPrefix(call, "<...") || strings.Contains(call, " = -1 "):
			// The second half of a call that was counted, or one that did nothing.
		case name == "execve" && strings.HasPrefix(rest, "\"") && filepath.Base(strings.Split(rest, "\"")[1]) == "git":
			c.git++
		case name == "execve":
			c.other++
		case name == "linkat":
			c.links++
		case name == "unlinkat":
			c.unlinks++
		case strings.Contains(name, "sync"):
			c.fsyncs++
		}
	}
	return c
}

// needStrace skips where processes cannot be traced.
func needStrace(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is missing: the counts of the seam stand alone")
	}
	if out, err := exec.Command("strace", "-f", "-qq", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("processes cannot be traced here: %s", out)
	}
}

// quiet is a stall whose generator does what the file "does" beside the
// repository says, nothing at first, and whose check passes unless there is a
// file "fail": then it fails in another way each time.
func quiet(t *testing.T, mode string) stall {
	t.Helper()
	s := newStall(t, mode, "")
	s.write("repo/agent.sh", "#!/bin/sh\ntest ! -e \"$D/does\" || . \"$D/does\"\n")
	s.write("repo/check.sh", `test -e "$D/fail" || exit 0
printf x >>"$D/fail"
while read -r all || test "$all"; do echo "FAIL: $all"; all=; done <"$D/fail"
exit 1
`)
	s.git("-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qam", "quiet")
	return s
}

// bounded adds a task that may take so many rounds.
func (s stall) bounded(id string, rounds int) {
	s.t.Helper()
	s.write("repo/tasks/inbox/"+id+".json", fmt.Sprintf(`{"id": %q, "goal": "g", "verify": ["answer"], "limits": {"max_rounds": %d}}`, id, rounds))
}

// The whole process is counted: two fsyncs each for the claim and the finish,
// three for a new journal, one for each of start, try and verdict, one for the
// queue's directory at the start, and one that makes all views durable.
func TestCountsOfATaskInPlace(t *testing.T) {
	needStrace(t)
	s := quiet(t, "in_place")
	s.add("first")
	s.run(0, "run") // what is made once for all
	s.add("one")
	one := s.traced(0, "run")
	t.Log("one round: ", one)
	if one.fsyncs > 12 || one.git > 6 || one.other != 2 {
		t.Errorf("one round took %v; want at most 12 fsyncs, 6 git, and the generator and the check", one)
	}
	idle := s.traced(0, "run")
	t.Log("no task: ", idle)
	if idle.fsyncs > 1 || idle.git > 6 || idle.other != 0 {
		t.Errorf("a run without a task took %v; want at most 1 fsync", idle)
	}
	s.write("fail", "")
	s.bounded("two", 2)
	two := s.traced(3, "run")
	s.bounded("three", 3)
	three := s.traced(3, "run")
	t.Log("two rounds: ", two)
	t.Log("three rounds: ", three)
	if more := three.fsyncs - two.fsyncs; more > 3 || two.fsyncs-one.fsyncs > 3 {
		t.Errorf("fsyncs of one, two and three rounds: %d, %d, %d; want at most 3 more each", one.fsyncs, two.fsyncs, three.fsyncs)
	}
}

func TestCountsOfAnIsolatedTask(t *testing.T) {
	needStrace(t)
	s := quiet(t, "isolated")
	s.write("does", "echo $LOOPRUN_TASK_ID >answer\n")
	s.add("first")
	first := s.traced(0, "run")
	t.Log("a new tree: ", first)
	if first.git > 20 || first.other != 2 {
		t.Errorf("a task in a new tree took %v; want at most 20 git, and the generator and the check", first)
	}
	s.add("one")
	one := s.traced(0, "run")
	t.Log("a reused tree: ", one)
	if one.git > 12 || one.other != 2 {
		t.Errorf("a task in a reused tree took %v; want at most 12 git, and the generator and the check", one)
	}
}
