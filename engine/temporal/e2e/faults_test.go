//go:build unix

package e2e

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"looprun.dev/looprun/internal/round"
)

// tries tells how each start of a task ended.
func (r *rig) tries(id string) (ends []string) {
	for _, l := range r.history(id).Lines {
		if l.Kind == round.Generate {
			ends = append(ends, l.Try.Ended)
		}
	}
	return ends
}

// once makes sure that a task was done by its second start, the first having
// been interrupted and counted.
func (r *rig) once(id string) {
	r.t.Helper()
	v := r.end(id, 90*time.Second)
	if v.Decision != "completed" {
		r.t.Errorf("%s = %s %s; want it completed", id, v.Decision, v.Reason)
	}
	if got := strings.Join(r.tries(id), " "); got != "interrupted exit" {
		r.t.Errorf("tries of %s = %s; want interrupted exit", id, got)
	}
	if got := len(r.started(id)); got != 2 {
		r.t.Errorf("%s was started %d times; want 2", id, got)
	}
	r.run("looprun", "replay", id)
}

func TestAnotherWorkerFinishesWhatAKilledOneBegan(t *testing.T) {
	r := newRig(t, 3, 1, "2s")
	r.start("slow-1")
	who := r.running("slow-1", 1)
	if err := r.workers[who].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.workers[who].Wait()
	killed := time.Now()
	if next := r.running("slow-1", 2); next == who {
		t.Errorf("the second start is on %s, which is dead", next)
	}
	t.Logf("another worker started it %s after the kill, with a heartbeat timeout of 2s", time.Since(killed).Round(100*time.Millisecond))
	delete(r.workers, who)
	r.once("slow-1")
}

func TestAWorkerThatWakesCannotLand(t *testing.T) {
	r := newRig(t, 2, 1, "2s")
	r.start("slow-1")
	who := r.running("slow-1", 1)
	if err := r.workers[who].Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	r.running("slow-1", 2)
	r.once("slow-1")
	remote := filepath.Join(r.dir, "remote.git")
	landed := r.git(remote, "for-each-ref", "refs/heads/looprun", "refs/looprun/slow-1/accepted")
	if err := r.workers[who].Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.start("plain-2", "plain-3") // it works again, when it has understood
	r.end("plain-2", time.Minute)
	r.end("plain-3", time.Minute)
	if now := r.git(remote, "for-each-ref", "refs/heads/looprun/slow-1", "refs/looprun/slow-1/accepted"); now != landed {
		t.Errorf("landed = %s; want what it was before the worker woke: %s", now, landed)
	}
	if got := len(r.history("slow-1").Lines); r.history("slow-1").State.Next != round.End {
		t.Errorf("the record goes on after the end: %d lines", got)
	}
}

func TestServerThatIsKilledAndStartedAgainLosesNothing(t *testing.T) {
	r := newRig(t, 2, 2, "2s")
	r.start("slow-1", "plain-1", "again-1")
	r.running("slow-1", 1)
	cluster.kill()
	if err := cluster.start(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"slow-1", "plain-1", "again-1"} {
		v := r.end(id, 2*time.Minute)
		if v.Decision != "completed" {
			t.Errorf("%s = %s %s; want it completed", id, v.Decision, v.Reason)
		}
		if starts, tries := len(r.started(id)), r.history(id).State.Tries; starts != tries {
			t.Errorf("%s: %d starts, %d on record; want each counted", id, starts, tries)
		}
	}
}

// gone reports that no process of a start is left.
func (r *rig) gone(id string, n int) bool {
	pid, _ := strconv.Atoi(r.started(id)[n-1][2])
	return syscall.Kill(pid, 0) == syscall.ESRCH
}

func TestCancelReachesARunningGenerator(t *testing.T) {
	r := newRig(t, 2, 1, "2s")
	r.start("hang-1")
	r.running("hang-1", 1)
	began := time.Now()
	r.run("looprun-temporal", "cancel", "hang-1")
	if !within(20*time.Second, func() bool { return r.gone("hang-1", 1) }) {
		t.Fatal("the generator still runs")
	}
	t.Logf("the generator was gone %s after the command", time.Since(began).Round(100*time.Millisecond))
	if v := r.end("hang-1", 30*time.Second); v.Decision != "blocked" || v.Reason != "cancelled" {
		t.Errorf("hang-1 = %s %s; want blocked cancelled", v.Decision, v.Reason)
	}
}

func TestPauseReachesARunningGeneratorAndResumeGoesOn(t *testing.T) {
	r := newRig(t, 2, 1, "2s")
	r.start("hang-1", "slow-1")
	r.running("hang-1", 1)
	r.running("slow-1", 1)
	r.run("looprun-temporal", "pause", "slow-1") // its generator may end
	r.run("looprun-temporal", "pause", "--now", "hang-1")
	if !within(20*time.Second, func() bool { return r.gone("hang-1", 1) }) {
		t.Fatal("the generator still runs")
	}
	paused := func() bool { return strings.Contains(r.run("looprun-temporal", "status"), "paused") }
	if !within(20*time.Second, paused) {
		t.Error("status shows no paused task")
	}
	if v := r.end("slow-1", 30*time.Second); v.Decision != "completed" {
		t.Errorf("slow-1 = %s %s; want its last step to have ended first", v.Decision, v.Reason)
	}
	if got := len(r.started("hang-1")); got != 1 {
		t.Errorf("hang-1 was started %d times while it is paused; want 1", got)
	}
	r.run("looprun-temporal", "resume")
	r.once("hang-1")
}
