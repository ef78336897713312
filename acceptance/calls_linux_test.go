package acceptance

import (
	"bytes"
	"errors"
	"flag"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"looprun.dev/looprun/acceptance/faults"
	"looprun.dev/looprun/internal/fsx/fsxtest"
)

// The whole process dies, or meets an error, at a system call that changes
// something, its own or one of git's. The short form takes a sample of the
// calls:
//
//	go test ./acceptance -run AtACall -calls.all
var allCalls = flag.Bool("calls.all", false, "every changing system call, not a sample")

// supervised runs looprun, which may die of the orders it gets.
func (s stall) supervised(order func(faults.Call) faults.Order) (calls []faults.Call, out string, err error) {
	s.t.Helper()
	return s.supervisedIn(s.dir, order)
}

// supervisedIn has an eye on the changes below root alone.
func (s stall) supervisedIn(root string, order func(faults.Call) faults.Order) (calls []faults.Call, out string, err error) {
	s.t.Helper()
	root, err = filepath.EvalSymlinks(root)
	s.must(err)
	cmd := exec.Command("launch", "looprun", "run")
	text := &bytes.Buffer{}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.path("repo"), s.env(), text, text
	v := &faults.Supervisor{Root: root, Order: order}
	err = v.Run(cmd)
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == faults.Refused {
		s.t.Skipf("no supervisor here: %s", text)
	}
	return v.Calls(), text.String(), err
}

// undisturbed is a run with a supervisor that lets all pass.
func undisturbed(t *testing.T, mode string) []faults.Call {
	t.Helper()
	s := newStall(t, mode, twoRounds, "t1", "t2")
	calls, out, err := s.supervised(nil)
	if err != nil {
		t.Fatalf("a run under a supervisor that does nothing: %v\n%s", err, out)
	}
	s.wantEnd(3)
	return calls
}

func anyone(faults.Call) bool { return true }

func itself(c faults.Call) bool { return c.Main }

// atCalls lets a fresh run meet each of its changing calls in turn, or a
// sample.
func atCalls(t *testing.T, what string, sample int, counts func(faults.Call) bool, meet func(t *testing.T, c faults.Call)) {
	calls := slices.DeleteFunc(undisturbed(t, "isolated"), func(c faults.Call) bool { return !counts(c) })
	step := max(1, len(calls)/sample)
	if *allCalls {
		step = 1
	}
	met := 0
	t.Run("at", func(t *testing.T) {
		for n := 0; n < len(calls); n += step {
			met++
			t.Run(strconv.Itoa(calls[n].N), func(t *testing.T) {
				t.Parallel()
				meet(t, calls[n])
				if t.Failed() {
					t.Logf("again: go test ./acceptance -run '^%s$' -calls.all", strings.ReplaceAll(t.Name(), "/", "$/^"))
				}
			})
		}
	})
	fsxtest.Figure(t, met, what)
	t.Logf("of %d changing calls", len(calls))
}

func TestKilledAtACallARunComesToTheSameEnd(t *testing.T) {
	atCalls(t, "kills of the whole process", 24, anyone, func(t *testing.T, c faults.Call) {
		s := newStall(t, "isolated", twoRounds, "t1", "t2")
		_, out, err := s.supervised(func(now faults.Call) faults.Order {
			return faults.Order{Kill: now.N == c.N, Tree: c.N%2 == 0}
		})
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			s.t.Logf("there was no call %d: %v\n%s", c.N, err, out) // git's own timing may take some less
		}
		s.t.Logf("killed before %v", c)
		s.run(0, "run")
		s.wantEnd(4)
	})
}

// An error of a call is told by the exit code, unless it is of no account, and
// nothing is lost.
func TestAnErrorAtACallLosesNothing(t *testing.T) {
	errnos := []unix.Errno{unix.EIO, unix.ENOSPC, unix.EDQUOT}
	atCalls(t, "errors of the whole process", 16, itself, func(t *testing.T, c faults.Call) {
		s := newStall(t, "isolated", twoRounds, "t1", "t2")
		errno := errnos[c.N%len(errnos)]
		_, out, err := s.supervised(func(now faults.Call) faults.Order {
			if now.N == c.N && now.Main { // a child may have come in between
				return faults.Order{Errno: errno}
			}
			return faults.Order{}
		})
		s.t.Logf("%v at %v: %v", errno, c, err)
		if got := s.run(0, "run"); err != nil && got == "" {
			s.t.Errorf("%v at %v ended with %v, and the next run had nothing to do:\n%s", errno, c, err, out)
		}
		s.wantEnd(4)
	})
}
