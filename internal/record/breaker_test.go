package record_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
)

var model = record.Target{Scope: "model", Name: "exec/default/m"}

func openLoop(t testing.TB, where string, seam ...fsx.Seam) *fsx.Dir {
	t.Helper()
	dir, err := fsx.MkdirAll(where, seam...)
	must(t, err)
	t.Cleanup(func() { dir.Close() })
	return dir
}

func breakers(t testing.TB, where string) *record.Breakers {
	return record.NewBreakers(openLoop(t, where))
}

// opened trips the breaker of a target.
func opened(c record.Circuit) record.Circuit {
	return c.Blamed(record.Blame{Task: "t1", At: noon, Reason: task.Auth, AtOnce: true, Detail: "log in again"}, breaking)
}

func TestStemOfATarget(t *testing.T) {
	tests := map[string]struct {
		target record.Target
		want   string // without the digits of its hash
	}{
		"a model":               {model, "model-exec-default-m"},
		"a command with a path": {record.Target{Scope: "command", Name: "./agent.sh --fast"}, "command-agent-sh-fast"},
		"names that go upwards": {record.Target{Scope: "command", Name: "../../etc/passwd"}, "command-etc-passwd"},
		"other scripts":         {record.Target{Scope: "command", Name: "агент"}, "command"},
		"a name that is long":   {record.Target{Scope: "model", Name: strings.Repeat("m", 300)}, "model-" + strings.Repeat("m", 34)},
		"no name":               {record.Target{}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := tt.target.Stem()
			if at := len(got) - 9; got[:at] != tt.want || got[at] != '-' {
				t.Errorf("Stem = %q; want %q and 8 digits", got, tt.want)
			}
		})
	}
	if model.Stem() == (record.Target{Scope: "model", Name: "exec/default.m"}).Stem() {
		t.Error("two targets have one file")
	}
}

func TestABreakerOutlivesItsProcess(t *testing.T) {
	where := place(t)
	if _, err := breakers(t, where).Change(model, opened); err != nil {
		t.Fatal(err)
	}
	c, err := breakers(t, where).Look(model)
	if err != nil || c.Phase(noon) != record.PhaseOpen || c.Detail != "log in again" {
		t.Errorf("Look = %+v, %v; want it open", c, err)
	}
	other, err := breakers(t, where).Look(record.Target{Scope: "model", Name: "exec/default/n"})
	if err != nil || other.Phase(noon) != record.PhaseClosed {
		t.Errorf("Look at another = %+v, %v; want it closed", other, err)
	}
}

func TestLookingChangesNothing(t *testing.T) {
	where := place(t)
	b := breakers(t, where)
	_, err := b.Change(model, opened)
	must(t, err)
	before := stamps(t, where)
	_, err1 := b.Look(model)
	_, err2 := b.Look(record.Target{Scope: "loop", Name: "disk"})
	_, _, err3 := b.List()
	_, err4 := b.Change(model, func(c record.Circuit) record.Circuit { return c })
	must(t, err1, err2, err3, err4)
	if diff := cmp.Diff(before, stamps(t, where)); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}

func TestADamagedBreakerIsSetAsideAndCountsAsClosed(t *testing.T) {
	for name, data := range map[string]string{
		"nothing":           "",
		"half a file":       `{"schema": "looprun.breaker/1", "tar`,
		"another schema":    `{"schema": "looprun.breaker/9", "target": "model exec/default/m", "state": "open"}`,
		"of another target": `{"schema": "looprun.breaker/1", "target": "model x", "state": "open"}`,
		"an unknown state":  `{"schema": "looprun.breaker/1", "target": "model exec/default/m", "state": "ajar"}`,
		"a list":            `[]`,
		"open for a year":   `{"schema": "looprun.breaker/1", "target": "model exec/default/m", "state": "open", "opened": "2026-12-01T12:00:00Z", "until": "2027-12-01T12:00:00Z"}`,
		"a time before":     `{"schema": "looprun.breaker/1", "target": "model exec/default/m", "state": "open", "opened": "2026-12-01T12:00:00Z", "until": "2026-12-01T11:00:00Z"}`,
	} {
		t.Run(name, func(t *testing.T) {
			where := place(t)
			b := breakers(t, where)
			must(t, fsx.Scratch(where).MkdirAll("breakers"))
			writeFile(t, data, where, "breakers", model.Stem()+".json")
			var told []string
			b.Warn = func(text string) { told = append(told, text) }
			c, err := b.Look(model)
			if err != nil || c.Phase(noon) != record.PhaseClosed {
				t.Errorf("Look = %+v, %v; want it closed", c, err)
			}
			if len(told) != 1 || !strings.Contains(told[0], "model exec/default/m") {
				t.Errorf("warnings = %q; want one that names the target", told)
			}
			if got := string(readFile(t, where, "breakers", model.Stem()+".json.damaged")); got != data {
				t.Errorf("set aside = %q; want %q", got, data)
			}
		})
	}
}

// Many goroutines, each with a directory and a lock of its own as processes
// have, take from one budget.
func TestTheBudgetIsSharedByAll(t *testing.T) {
	where := place(t)
	budget := recovery.Budget{Window: minutes(10), Max: 20}
	var taken atomic.Int32
	var all sync.WaitGroup
	for n := range 8 {
		b := breakers(t, where)
		all.Go(func() {
			for try := range 10 {
				_, err := b.Change(model, func(c record.Circuit) record.Circuit {
					c, ok := c.TakeRetry(fmt.Sprintf("t%d", n), try, noon, budget)
					if ok {
						taken.Add(1)
					}
					return c
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if taken.Load() != 20 {
		t.Errorf("%d retries were taken; want 20", taken.Load())
	}
}

// Killed before any change to the disk, a process leaves the old circuit or
// the new one, and the lock free.
func TestABreakerSurvivesAKill(t *testing.T) {
	reopened := func(c record.Circuit) record.Circuit {
		return c.Blamed(record.Blame{Task: "t2", At: noon.Add(time.Minute), Reason: task.Auth, AtOnce: true}, breaking)
	}
	for n := 1; ; n++ {
		where := place(t)
		_, err := breakers(t, where).Change(model, opened)
		must(t, err)
		crashed := fsxtest.Run(func() {
			_, _ = record.NewBreakers(openLoop(t, where, fsxtest.CrashAt(n))).Change(model, reopened)
		})
		b := breakers(t, where)
		must(t, b.Sweep())
		c, err := b.Look(model)
		if err != nil || c.Times != 1 && c.Times != 2 {
			t.Errorf("killed before change %d: Look = %+v, %v; want the old or the new one", n, c, err)
		}
		if c, err = b.Change(model, reopened); err != nil || c.Times < 2 {
			t.Errorf("killed before change %d: Change = %+v, %v", n, c, err)
		}
		if left, _ := filepath.Glob(filepath.Join(where, "breakers", ".tmp-*")); len(left) > 0 {
			t.Errorf("killed before change %d: left %v", n, left)
		}
		if !crashed {
			t.Logf("%d changes", n-1)
			return
		}
	}
}

func TestAnUnreadableDiskIsNoClosedBreaker(t *testing.T) {
	where := place(t)
	openLoop(t, where)
	broken := errors.New("the disk is gone")
	b := record.NewBreakers(openLoop(t, where, fsxtest.FailFrom(1, broken)))
	if _, err := b.Change(model, opened); !errors.Is(err, broken) {
		t.Errorf("Change = %v; want %v", err, broken)
	}
}

func TestResetByNameOrFile(t *testing.T) {
	for _, name := range []string{model.String(), model.Stem()} {
		b := breakers(t, place(t))
		_, err := b.Change(model, opened)
		must(t, err)
		if found, err := b.Reset("model other"); found || err != nil {
			t.Errorf("Reset of an unknown one = %v, %v; want false", found, err)
		}
		if found, err := b.Reset(name); !found || err != nil {
			t.Errorf("Reset(%q) = %v, %v; want true", name, found, err)
		}
		if c, err := b.Look(model); err != nil || c.Phase(noon) != record.PhaseClosed || c.Times > 0 {
			t.Errorf("after Reset: %+v, %v; want it closed", c, err)
		}
	}
}

func TestListNamesWhatIsDamaged(t *testing.T) {
	where := place(t)
	b := breakers(t, where)
	account := record.Target{Scope: "account", Name: "exec/default"}
	_, err1 := b.Change(model, opened)
	_, err2 := b.Change(account, opened)
	must(t, err1, err2)
	writeFile(t, "{", where, "breakers", "x.json")
	all, damaged, err := b.List()
	must(t, err)
	var got []string
	for _, c := range all {
		got = append(got, c.Target)
	}
	want := []string{account.String(), model.String()}
	if !cmp.Equal(got, want) || !cmp.Equal(damaged, []string{"x.json"}) {
		t.Errorf("List = %v, %v; want %v and x.json", got, damaged, want)
	}
}

// Whatever stands in a file, the circuit that it is read as is one that can go
// on: nothing is held for ever.
func FuzzCircuit(f *testing.F) {
	f.Add([]byte(`{"schema": "looprun.breaker/1", "target": "model exec/default/m", "state": "open", "opened": "2026-12-01T12:00:00Z", "until": "2026-12-01T12:01:00Z", "times": 3}`))
	f.Add([]byte(`{"schema": "looprun.breaker/1", "target": "model exec/default/m", "state": "closed", "times": 9223372036854775807, "retries": [{}]}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, ok := record.ParseCircuit(data, model)
		if !ok && c.Phase(noon) != record.PhaseClosed {
			t.Errorf("a damaged file reads as %s", c.Phase(noon))
		}
		until := c.Until.Add(time.Second)
		if until.Year() > 9000 || until.Year() < 1 {
			return
		}
		if c = c.Leased("t1", until, until.Add(time.Hour)); c.Holds(until.Add(2*time.Hour), "t1") {
			t.Errorf("held after its time: %+v", c)
		}
		if c = c.Leased("t1", until.Add(48*time.Hour), until.Add(49*time.Hour)).Worked("t1"); ok && c.Probe == nil && c.State != record.PhaseClosed {
			t.Errorf("not closed by a probe that worked: %+v", c)
		}
		c.Blamed(record.Blame{Task: "t1", At: noon, AtOnce: true}, breaking)
		c.TakeRetry("t1", 1, noon, recovery.Budget{Window: minutes(1), Max: 2})
	})
}
