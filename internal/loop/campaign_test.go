package loop_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
)

// The campaign runs whole passes with real processes and a real repository, and
// lets them die or fail at each change that they make. Without a flag it takes
// a sample of the places. The short form has a kill and an error at every place,
// and a sample of what is slower, the long form has every fault everywhere:
//
//	go test ./internal/loop -run Campaign -campaign short
//	go test ./internal/loop -run Campaign -campaign long
//
// A failure prints the command that runs its place alone.
var form = flag.String("campaign", "sample", "how much of the fault campaign is run: `sample`, short or long")

// atLeast tells whether so much is run, or more.
func atLeast(f string) bool {
	forms := []string{"sample", "short", "long"}
	return slices.Index(forms, *form) >= slices.Index(forms, f)
}

// What the test binary does instead of its tests when it is told to: passes
// that end before a certain change, by SIGKILL as by a power cut, but that what
// was written stays, or by a panic.
const dieEnv = "LOOP_TEST_DIE"

func TestMain(m *testing.M) {
	order := os.Getenv(dieEnv)
	if order == "" {
		code := m.Run()
		removeCheckouts()
		os.Exit(code)
	}
	words := strings.Fields(order) // how, place, scenario, directory
	if words[0] == records {
		if err := recordOps(words[2], words[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	at, err := strconv.Atoi(words[1])
	if err == nil {
		seam := &fsxtest.Recorder{Break: func(n int, _ fsx.Op) error {
			if n >= at {
				die(words[0])
			}
			return nil
		}}
		err = scenarios[words[2]].run(words[3], playing{seam: seam})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// opsFile is where a process that only records leaves what its seam saw.
const opsFile = "ops.json"

// recordOps runs a scenario and keeps what its seam saw beside it.
func recordOps(scenario, dir string) error {
	seam := &fsxtest.Recorder{}
	if err := scenarios[scenario].run(dir, playing{seam: seam}); err != nil {
		return err
	}
	data, err := json.Marshal(seam.Ops())
	return errors.Join(err, fsx.Scratch(dir).WriteFile(opsFile, data))
}

func die(how string) {
	if how == panics {
		panic("a fault of the program")
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {} // nothing more is done
}

// The ways to die, and that of a process that lives and only records.
const (
	killed  = "killed"
	panics  = "panics"
	records = "records"
)

// dies runs the scenario in a process that ends before change n. It reports
// false if there are fewer changes.
func (f field) dies(how string, n int) bool {
	f.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s %s", dieEnv, how, n, f.name, f.dir))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status := exit.Sys().(syscall.WaitStatus)
		if how == killed && status.Signal() == syscall.SIGKILL || how == panics && status.ExitStatus() == 2 {
			return true
		}
	}
	f.t.Fatalf("%s, %s at change %d: %v\n%s", f.name, how, n, err, out)
	return false
}

// A campaign goes through the places of all scenarios.
type campaign struct {
	sample int               // places of a scenario in the sample
	short  int               // those in the short form; 0: every place
	at     func(fsx.Op) bool // the changes that are places; nil: all
}

// places are all, or a sample that has the last, by the numbers of changes.
func (c campaign) places(ops []fsx.Op, slow bool) []int {
	var all []int
	for i, op := range ops {
		if c.at == nil || c.at(op) {
			all = append(all, i+1)
		}
	}
	total, most := len(all), c.sample
	switch {
	case atLeast("long") || atLeast("short") && c.short == 0:
		most = total
	case atLeast("short"):
		most = c.short
	case slow:
		most = 2
	}
	step := max(1, (total+most-1)/most)
	var list []int
	for i := 0; i < total-1; i += step {
		list = append(list, all[i])
	}
	return append(list, all[total-1])
}

// run visits each place as a subtest SCENARIO/N, several at a time, and says
// how many there were.
func (c campaign) run(t *testing.T, what string, visit func(f field, c calm, n int)) {
	var done, of atomic.Int64
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		t.Run(name, func(t *testing.T) {
			calm := calmRun(t, name)
			of.Add(int64(len(calm.ops)))
			for _, n := range c.places(calm.ops, scenarios[name].slow) {
				t.Run(strconv.Itoa(n), func(t *testing.T) {
					t.Parallel()
					visit(lay(t, name), calm, n)
					done.Add(1)
					if t.Failed() {
						t.Logf("again: go test ./internal/loop -run '^%s$' -campaign %s", strings.ReplaceAll(t.Name(), "/", "$/^"), *form)
					}
				})
			}
		})
	}
	fsxtest.Figure(t, int(done.Load()), what)
	t.Logf("of %d changes in %d scenarios", of.Load(), len(scenarios))
}

// killed -9 before any of its changes, looprun goes on to the same end.
func TestCampaignOfKills(t *testing.T) {
	campaign{sample: 8}.run(t, "kill points", func(f field, c calm, n int) {
		if !f.dies(killed, n) && n < len(c.ops)-5 { // git's own timing may take one more or less
			f.t.Errorf("there is no change %d of %d", n, len(c.ops))
		}
		f.goOn(fmt.Sprintf("killed before change %d, %s", n, told(c.ops[n-1])), c, 1)
	})
}

// killed -9 once more while it recovers, it still does.
func TestCampaignOfDoubleKills(t *testing.T) {
	campaign{sample: 4, short: 12}.run(t, "double kills", func(f field, c calm, n int) {
		f.dies(killed, n)
		f.clean()
		f.dies(killed, second(n, len(c.ops)))
		f.goOn(fmt.Sprintf("killed before change %d, %s, and in the recovery", n, told(c.ops[n-1])), c, 2)
	})
}

// second is the change of the recovery at which it is killed after a kill at n.
// There is less left to do by then.
func second(n, total int) int { return 1 + n*7919%max(2, total-n+10) }

// A panic runs what was deferred, and that must do no harm.
func TestCampaignOfPanics(t *testing.T) {
	campaign{sample: 4, short: 10}.run(t, "panics", func(f field, c calm, n int) {
		f.dies(panics, n)
		f.goOn(fmt.Sprintf("panics before change %d, %s", n, told(c.ops[n-1])), c, 1)
	})
}
