package acceptance

import (
	"bytes"
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

var many = flag.Bool("race.all", false, "200 tasks for the racing instances, not 40")

// Sixteen instances start at once on one inbox. One of them works, the others
// say that it does, and every task is started exactly once.
func TestOfManyInstancesOneWorks(t *testing.T) {
	tasks, instances := 40, 16
	if *many {
		tasks = 200
	}
	// The first task lasts until the others have given up, so that none of them
	// finds the lock free again.
	s := newStall(t, "in_place", `while ! test -e "$D/alone"; do sleep 0.01; done`)
	s.write("repo/answer", "good\n")
	s.git("-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qam", "good")
	for i := range tasks {
		s.add(fmt.Sprintf("t%03d", i))
	}
	s.race(instances)
	starts := strings.Fields(strings.ReplaceAll(s.read("starts"), " round 1\n", " "))
	stages := s.stages()
	for i := range tasks {
		id := fmt.Sprintf("t%03d", i)
		if i < len(starts) && starts[i] != id {
			t.Errorf("start %d was of %s; want %s, each once and in order", i+1, starts[i], id)
		}
		if stages[id+".json"] != "done" {
			t.Errorf("%s is in %q; want it done", id, stages[id+".json"])
		}
	}
	if len(starts) != tasks || len(stages) != tasks {
		t.Errorf("%d starts of %d tasks; want %d of each", len(starts), len(stages), tasks)
	}
	if got := s.run(0, "run"); strings.Contains(got, "done") {
		t.Errorf("one run more does something: %s", got)
	}
}

// race starts many instances and wants all but one of them to end as busy.
func (s stall) race(instances int) {
	s.t.Helper()
	type instance struct {
		cmd *exec.Cmd
		out *bytes.Buffer
	}
	ended := make(chan instance)
	for range instances {
		cmd, out := s.looprun("run")
		s.must(cmd.Start())
		go func() {
			_ = cmd.Wait() // the exit code is looked at
			ended <- instance{cmd, out}
		}()
	}
	for n := range instances {
		if n == instances-1 {
			s.write("alone", "")
		}
		i := <-ended
		code, want := i.cmd.ProcessState.ExitCode(), 75
		if n == instances-1 {
			want = 0
		}
		if code != want {
			s.t.Errorf("instance %d to end exited with %d; want %d\n%s", n+1, code, want, i.out)
		}
		if busy := strings.Contains(i.out.String(), "another instance is running: pid "); busy != (want == 75) {
			s.t.Errorf("instance %d to end said %q", n+1, i.out)
		}
	}
}
