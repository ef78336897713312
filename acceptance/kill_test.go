package acceptance

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoRounds answers badly first, and well once it was told.
const twoRounds = `test "$LOOPRUN_TASK_ID$LOOPRUN_ROUND" = t11 || { echo good >answer; exit; }
echo bad $LOOPRUN_ROUND >answer
`

// Ten places to kill -9 in a run of two tasks. After each the next run comes to
// the same end, with at most one start of the generator more.
func TestKilledAnywhereARunComesToTheSameEnd(t *testing.T) {
	const calmStarts = 3
	places := []string{
		"event 1", "event 2", "event 4", "event 6", "event 8", "event 11",
		"agent t1 1", "check 1", "agent t1 2", "check 3",
	}
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			s := newStall(t, "isolated", twoRounds, "t1", "t2")
			head := s.git("rev-parse", "HEAD")
			s.killWhen(place, func() bool {
				if n, err := strconv.Atoi(strings.TrimPrefix(place, "event ")); err == nil {
					return s.lines("repo/.loop/events.jsonl") >= n
				}
				return s.read("stopped") != ""
			})
			s.run(0, "run")
			s.wantEnd(calmStarts + 1)
			s.gone("stopped")
			if got := s.git("rev-parse", "HEAD") + s.git("status", "--porcelain"); got != head {
				t.Errorf("the checkout is %q; want %q", got, head)
			}
			if got := s.run(0, "run"); strings.Contains(got, "t1") {
				t.Errorf("one run more does something: %s", got)
			}
		})
	}
}

// wantEnd wants both tasks done, with a record that can be replayed, after at
// most so many starts.
func (s stall) wantEnd(starts int) {
	s.t.Helper()
	if diff := cmp.Diff(map[string]string{"t1.json": "done", "t2.json": "done"}, s.stages()); diff != "" {
		s.t.Errorf("tasks (-want +got):\n%s", diff)
	}
	if got := s.lines("starts"); got > starts {
		s.t.Errorf("%d starts; want at most %d:\n%s", got, starts, s.read("starts"))
	}
	for _, id := range []string{"t1", "t2"} {
		s.run(0, "replay", id)
		if got := s.git("show", "looprun/"+id+":answer"); got != "good\n" {
			s.t.Errorf("the branch of %s answers %q", id, got)
		}
	}
	rounds := map[string]int{}
	for line := range strings.Lines(s.read("starts")) {
		rounds[strings.TrimSpace(line)]++
	}
	if got, want := slices.Sorted(maps.Keys(rounds)), []string{"t1 round 1", "t1 round 2", "t2 round 1"}; !slices.Equal(got, want) {
		s.t.Errorf("rounds that were started: %v; want %v", got, want)
	}
}

// A silent generator does not notice that looprun has died. It is ended before
// anything new starts, so what it would have written is in no candidate.
func TestASilentGeneratorIsEndedBeforeANewOneStarts(t *testing.T) {
	s := newStall(t, "isolated", `
if test ! -e "$D/old"; then # the first: it writes as soon as there is a second
	echo $$ >"$D/old.new" && mv "$D/old.new" "$D/old"
	while ! test -e "$D/second"; do sleep 0.01; done
	echo late >late
	echo late >"$D/late"
	exit
fi
touch "$D/second"
sleep 0.3 # time enough for the first, were it alive
echo good >answer
`, "t1")
	s.killWhen("", func() bool { return s.read("old") != "" })
	s.run(0, "run")
	if s.read("late") != "" {
		t.Error("the first generator was alive when the second had started")
	}
	s.gone("old")
	if got, want := s.git("diff", "--name-only", "main", "looprun/t1"), "answer\n"; got != want {
		t.Errorf("the candidate changed %q; want %q", got, want)
	}
}

// A generator that kills looprun ends the run, not the task.
func TestAGeneratorThatKillsLooprunIsRecoveredFrom(t *testing.T) {
	s := newStall(t, "isolated", `
if test ! -e "$D/killed"; then
	echo $$ >"$D/killed"
	kill -9 $PPID
	sleep 600
fi
`+twoRounds, "t1", "t2")
	cmd, out := s.looprun("run")
	err := cmd.Run()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("looprun ended with %v; want SIGKILL\n%s", err, out)
	}
	if diff := cmp.Diff(map[string]string{"t1.json": "processing", "t2.json": "inbox"}, s.stages()); diff != "" {
		t.Errorf("after the kill (-want +got):\n%s", diff)
	}
	s.run(0, "run")
	s.wantEnd(4)
	s.gone("killed")
}
