package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// breaking are the rules that loop.yaml has where it says nothing.
var breaking = record.Breaking{
	Breaker: recovery.Breaker{
		Consecutive: 3, Tasks: 2, InWindow: 5, Window: minutes(10), Open: minutes(1), OpenMax: minutes(30),
	},
	Hold: minutes(15),
}

func minutes(n int) unit.Duration { return unit.Duration(time.Duration(n) * time.Minute) }

func closed() record.Circuit {
	return record.Circuit{Schema: "looprun.breaker/1", Target: "model m", State: record.PhaseClosed}
}

// tellCircuit plays events to a circuit, one a line: the minute, the task, and
// what happened. The answer is the phase after each, with the minute until
// which it is open.
func tellCircuit(t *testing.T, script string) string {
	t.Helper()
	c := closed()
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		var at float64
		var id, what string
		var reset time.Duration
		if n, _ := fmt.Sscanf(strings.TrimSpace(line), "%f %s %s %d", &at, &id, &what, &reset); n < 3 {
			t.Fatalf("%q: want MINUTE TASK EVENT", line)
		}
		now := noon.Add(time.Duration(at * float64(time.Minute)))
		b := record.Blame{Task: id, At: now, Reason: task.BreakerOpen, Reset: reset * time.Minute}
		switch what {
		case "fails":
			c = c.Blamed(b, breaking)
		case "auth":
			b.Reason, b.AtOnce = task.Auth, true
			c = c.Blamed(b, breaking)
		case "works":
			c = c.Worked(id)
		case "probes":
			c = c.Leased(id, now, now.Add(time.Hour))
		case "unknown":
			c = c.SaidNothing(id, now)
		case "leaves":
			c = c.Released(id)
		case "waits":
		default:
			t.Fatalf("%q: unknown event", line)
		}
		say := c.Phase(now)
		if say == record.PhaseOpen {
			say += fmt.Sprintf("@%.0f", c.Until.Sub(noon).Minutes())
		}
		if say == record.PhaseHalfOpen && c.Probe != nil {
			say += ":" + c.Probe.Task
		}
		out = append(out, say)
	}
	return strings.Join(out, " ")
}

func TestCircuit(t *testing.T) {
	tests := map[string]struct{ script, want string }{
		"three failures in a row of two tasks open it": {
			"0 t1 fails\n0 t1 fails\n0 t2 fails", "closed closed open@1"},
		"three failures of one task do not": {
			"0 t1 fails\n0 t1 fails\n0 t1 fails", "closed closed closed"},
		"two tasks are not enough without three failures": {
			"0 t1 fails\n0 t2 fails", "closed closed"},
		"a success ends the row": {
			"0 t1 fails\n0 t1 fails\n0 t3 works\n0 t2 fails", "closed closed closed closed"},
		"five failures of one task in ten minutes open it": {
			"0 t1 fails\n1 t1 fails\n2 t1 works\n3 t1 fails\n4 t1 fails\n9 t1 fails", "closed closed closed closed closed open@10"},
		"five failures in more than ten minutes do not": {
			"0 t1 fails\n3 t1 fails\n6 t1 fails\n9 t1 fails\n12 t1 fails", "closed closed closed closed closed"},
		"an ambient failure opens it at once":    {"0 t1 auth", "open@1"},
		"it is open until its own time":          {"0 t1 auth 40", "open@40"},
		"a transient failure names its time too": {"0 t1 fails\n0 t1 fails\n0 t2 fails 7", "closed closed open@7"},
		"when its time is over it is half open":  {"0 t1 auth\n1 t1 waits", "open@1 half_open"},
		"the probe that works closes it":         {"0 t1 auth\n1 t2 probes\n2 t2 works\n2 t3 fails", "open@1 half_open:t2 closed closed"},
		"a probe that fails opens it for twice as long": {
			"0 t1 auth\n1 t1 probes\n1 t1 auth\n3 t1 probes\n3 t1 auth", "open@1 half_open:t1 open@3 half_open:t1 open@7"},
		"the time doubles up to the bound": {
			"0 t1 fails\n0 t1 fails\n0 t2 fails\n1 t1 fails\n3 t1 fails\n7 t1 fails\n15 t1 fails\n31 t1 fails\n61 t1 fails\n91 t1 fails",
			"closed closed open@1 open@3 open@7 open@15 open@31 open@61 open@91 open@121"},
		"what a person must mend is looked at within the hold": {
			"0 t1 auth\n1 t1 auth\n3 t1 auth\n7 t1 auth\n15 t1 auth\n30 t1 auth", "open@1 open@3 open@7 open@15 open@30 open@45"},
		"a success starts the doubling anew": {
			"0 t1 auth\n1 t1 auth\n3 t1 probes\n3 t1 works\n4 t1 auth", "open@1 open@3 half_open:t1 closed open@5"},
		"one task alone has the probe":             {"0 t1 auth\n1 t2 probes\n1 t3 probes", "open@1 half_open:t2 half_open:t2"},
		"who does not start gives the probe back":  {"0 t1 auth\n1 t2 probes\n1 t2 leaves\n1 t3 probes", "open@1 half_open:t2 half_open half_open:t3"},
		"a probe that never came back is replaced": {"0 t1 auth\n1 t2 probes\n62 t3 probes", "open@1 half_open:t2 half_open:t3"},
		"a probe that was cut off is no verdict":   {"0 t1 auth\n1 t1 auth\n3 t2 probes\n4 t2 unknown", "open@1 open@3 half_open:t2 open@6"},
		"a success of an older start says nothing": {"0 t1 auth\n0 t2 works\n1 t2 works", "open@1 open@1 half_open"},
		"a later failure names a later time":       {"0 t1 auth 10\n1 t2 auth 30", "open@10 open@31"},
		"a later failure names no earlier time":    {"0 t1 auth 10\n1 t2 auth 2", "open@10 open@10"},
		"a failing probe keeps the target's time":  {"0 t1 auth 3\n3 t1 auth 90", "open@3 open@93"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tellCircuit(t, tt.script); got != tt.want {
				t.Errorf("phases = %s; want %s", got, tt.want)
			}
		})
	}
}

// The clock is set back eight hours: the circuit stays open for the minutes
// that it was to be, not for eight hours more.
func TestCircuitIsOpenNoLongerThanItWasOpened(t *testing.T) {
	c := closed().Blamed(record.Blame{Task: "t1", At: noon, Reason: task.Auth, AtOnce: true, Reset: 20 * time.Minute}, breaking)
	back := noon.Add(-8 * time.Hour)
	c = c.Blamed(record.Blame{Task: "t1", At: back, Reason: task.Auth, AtOnce: true}, breaking) // it is written anew
	for after, want := range map[time.Duration]string{0: record.PhaseOpen, 19 * time.Minute: record.PhaseOpen, 21 * time.Minute: record.PhaseHalfOpen} {
		if got := c.Phase(back.Add(after)); got != want {
			t.Errorf("%s after the clock was set back: Phase = %s; want %s", after, got, want)
		}
	}
}

func TestCountedProbes(t *testing.T) {
	c := closed().Blamed(record.Blame{Task: "t1", At: noon, Reason: task.Auth, AtOnce: true}, breaking)
	for n, end := range []func(record.Circuit, time.Time) record.Circuit{
		func(c record.Circuit, now time.Time) record.Circuit {
			return c.Blamed(record.Blame{Task: "t1", At: now, Reason: task.Auth, AtOnce: true}, breaking)
		},
		func(c record.Circuit, now time.Time) record.Circuit { return c.SaidNothing("t1", now) },
		func(c record.Circuit, now time.Time) record.Circuit { return c.Worked("t1") },
	} {
		now := c.Until.Add(time.Second)
		if c = end(c.Leased("t1", now, now.Add(time.Hour)), now); c.Probes != n+1 {
			t.Errorf("after %d probes: %d are counted", n+1, c.Probes)
		}
	}
}

func TestRetryBudget(t *testing.T) {
	budget := recovery.Budget{Window: minutes(10), Max: 3}
	at := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	c := closed()
	take := func(id string, try, minute int, want bool) {
		t.Helper()
		var ok bool
		if c, ok = c.TakeRetry(id, try, at(minute), budget); ok != want {
			t.Errorf("TakeRetry(%s, %d) in minute %d = %v; want %v", id, try, minute, ok, want)
		}
	}
	take("t1", 1, 0, true)
	take("t1", 1, 0, true) // the same again takes nothing
	take("t2", 1, 1, true)
	take("t1", 2, 2, true)
	take("t3", 1, 3, false)
	if got, want := c.RetryAt(at(3), budget), at(10); !got.Equal(want) {
		t.Errorf("RetryAt = %s; want %s", got, want)
	}
	c = c.ReturnRetry("t2", 1)
	take("t3", 1, 3, true)
	take("t3", 2, 9, false)
	take("t3", 2, 10, true) // the first has left the window
	if got := c.RetryAt(at(15), budget); !got.IsZero() {
		t.Errorf("RetryAt with room = %s; want zero", got)
	}
}

func TestBrokenBy(t *testing.T) {
	type failure struct{ id, signature string }
	tests := map[string]struct {
		before []failure
		want   string
	}{
		"nothing before":                              {nil, ""},
		"another task just the same":                  {[]failure{{"t1", "a"}}, "t1"},
		"the same task alone":                         {[]failure{{"t2", "a"}, {"t2", "a"}}, ""},
		"another task in another way":                 {[]failure{{"t1", "b"}}, ""},
		"another task, and something was done since":  {[]failure{{"t1", "a"}, {"t3", ""}}, ""},
		"another task, and it failed otherwise since": {[]failure{{"t1", "a"}, {"t3", "b"}}, ""},
		"two other tasks":                             {[]failure{{"t1", "a"}, {"t3", "a"}}, "t1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := closed()
			for _, f := range tt.before {
				c = c.Failed(f.id, f.signature)
			}
			if got := c.Failed("t2", "a").BrokenBy("t2", "a"); got != tt.want {
				t.Errorf("BrokenBy = %q; want %q", got, tt.want)
			}
		})
	}
}
