package loop_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
)

// The campaign runs whole passes with real processes and a real repository, and
// lets them die or fail at each change that they make. The short form takes a
// sample of the places, the long one takes all:
//
//	go test ./internal/loop -run Campaign -campaign.all
//
// A failure prints its scenario and place; one place alone is run with
//
//	go test ./internal/loop -run Campaign -campaign.at SCENARIO:N
var (
	all  = flag.Bool("campaign.all", false, "every place of the fault campaign, not a sample")
	only = flag.String("campaign.at", "", "one `SCENARIO:N` of the fault campaign")
)

// What the test binary does instead of its tests when it is told to: passes
// that end by SIGKILL before a certain change, as by a power cut, but that what
// was written stays.
const killEnv = "LOOP_TEST_KILL_AT"

func TestMain(m *testing.M) {
	order := os.Getenv(killEnv)
	if order == "" {
		os.Exit(m.Run())
	}
	words := strings.Fields(order) // place, paused or not, directory
	at, err := strconv.Atoi(words[0])
	if err == nil {
		err = run(words[2], words[1] == "true", &fsxtest.Recorder{Break: func(n int, _ fsx.Op) error {
			if n >= at {
				if self, err := os.FindProcess(os.Getpid()); err == nil {
					_ = self.Kill()
				}
				select {} // nothing more is done
			}
			return nil
		}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// kill runs the scenario in a process that dies before change n. It reports
// false if there are fewer changes.
func (f field) kill(n int) bool {
	f.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %v %s", killEnv, n, f.pause, f.dir))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		f.t.Fatalf("%s, killed at change %d: %v\n%s", f.name, n, err, out)
	}
	return false
}

// places are the changes at which something happens: all, one, or a sample of
// about most, always with the last.
func places(t *testing.T, name string, total, most int) []int {
	if at, n, one := strings.Cut(*only, ":"); one {
		place, err := strconv.Atoi(n)
		if at != name || err != nil {
			t.Skip("not asked for")
		}
		return []int{place}
	}
	step := max(1, (total+most-1)/most)
	if *all {
		step = 1
	}
	var list []int
	for n := 1; n < total; n += step {
		list = append(list, n)
	}
	return append(list, total)
}

func each(t *testing.T, most int, visit func(t *testing.T, name string, c calm, n int)) {
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		t.Run(name, func(t *testing.T) {
			c := calmRun(t, name)
			list := places(t, name, len(c.ops), most)
			for _, n := range list {
				visit(t, name, c, n)
			}
			t.Logf("%d of %d changes", len(list), len(c.ops))
		})
	}
}

// killed -9 before any of its changes, looprun goes on to the same end.
func TestCampaignOfKills(t *testing.T) {
	each(t, 14, func(t *testing.T, name string, c calm, n int) {
		f := lay(t, name)
		if !f.kill(n) && n < len(c.ops)-5 { // git's own timing may take one more or less
			t.Errorf("%s: there is no change %d of %d", name, n, len(c.ops))
		}
		f.goOn(fmt.Sprintf("%s:%d killed before %s", name, n, told(c.ops[n-1])), c)
	})
}

// An error at a change, once or from then on, is told and loses nothing: the
// next run comes to the same end. Only where a change is of no account, as the
// removal of a temporary file, may the pass go on.
func TestCampaignOfErrors(t *testing.T) {
	for how, broken := range map[string]func(n int) *fault{
		"EIO once":     func(n int) *fault { return failing(syscall.EIO, func(i int, _ fsx.Op) bool { return i == n }) },
		"EIO for ever": func(n int) *fault { return failing(syscall.EIO, func(i int, _ fsx.Op) bool { return i >= n }) },
		"ENOSPC once":  func(n int) *fault { return failing(syscall.ENOSPC, func(i int, _ fsx.Op) bool { return i == n }) },
		"a full disk": func(n int) *fault {
			return failing(syscall.ENOSPC, func(i int, op fsx.Op) bool { return i >= n && takesRoom(op) })
		},
	} {
		t.Run(how, func(t *testing.T) {
			each(t, 7, func(t *testing.T, name string, c calm, n int) {
				f, disk := lay(t, name), broken(n)
				err := f.passes(disk)
				if len(disk.met) == 0 { // git's own timing may take one change more or less
					return
				}
				what := fmt.Sprintf("%s:%d %s at %s", name, n, how, told(disk.met[0]))
				if err == nil && !harmless(disk.met[0]) {
					t.Errorf("%s: no error", what)
				}
				if isSync(disk.met[0]) && !errors.Is(err, fsx.ErrSync) {
					t.Errorf("%s: error %v; want ErrSync", what, err)
				}
				f.goOn(fmt.Sprintf("%s (%v)", what, err), c)
			})
		})
	}
}

// A fault is a disk on which some changes fail.
type fault struct {
	fsxtest.Recorder
	met []fsx.Op // those that did
}

func failing(err error, when func(n int, op fsx.Op) bool) *fault {
	f := &fault{}
	f.Break = func(n int, op fsx.Op) error {
		if !when(n, op) {
			return nil
		}
		f.met = append(f.met, op)
		return err
	}
	return f
}

// harmless tells the changes that bear failing: a file that is to go is swept
// later, and the stamps of a tree spare work, no more. What is to be stamps one
// can only tell from the name that it gets.
func harmless(op fsx.Op) bool {
	inTree := filepath.Base(filepath.Dir(filepath.Dir(op.Path))) == "trees"
	return op.Kind == fsx.OpUnlink || inTree && (op.To == "" || filepath.Ext(op.To) == ".stamps")
}

// takesRoom tells the changes that fail on a full disk.
func takesRoom(op fsx.Op) bool {
	return slices.Contains([]string{fsx.OpCreate, fsx.OpWrite, fsx.OpMkdir, fsx.OpLink}, op.Kind)
}

func isSync(op fsx.Op) bool {
	return slices.Contains([]string{fsx.OpSync, fsx.OpSyncDir, fsx.OpSyncAll}, op.Kind)
}

func told(op fsx.Op) string {
	return op.Kind + " " + filepath.Join(filepath.Base(filepath.Dir(op.Path)), filepath.Base(op.Path))
}
