package verify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/unit"
)

func TestRunRunsAllChecksInOrder(t *testing.T) {
	j := jobOf(t, nil, fake(t, "say", "error: first\n", "1"), fake(t, "exit", "0"))
	j.Profiles = append(j.Profiles, Profile{Name: "lint", Always: true, Checks: []round.Check{fake(t, "exit", "3")}})
	j.Tree = "abc"
	ev := verified(t, j)
	type row struct {
		Profile string
		Exit    int
		Passed  bool
		Log     string
	}
	var got []row
	for _, c := range ev.Checks {
		got = append(got, row{c.Profile, c.ExitCode, c.Passed, c.Stdout.Path})
	}
	want := []row{
		{"unit", 1, false, "attempts/round-001/check-01.stdout"},
		{"unit", 0, true, "attempts/round-001/check-02.stdout"},
		{"lint", 3, false, "attempts/round-001/check-03.stdout"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Run differs (-want +got):\n%s", diff)
	}
	if ev.Infra || ev.Hidden || ev.Tree != "abc" || ev.Boundary == nil {
		t.Errorf("evidence = %+v; want a plain failure of tree abc", ev)
	}
	if data, err := os.ReadFile(filepath.Join(j.TaskDir, ev.Checks[0].Stdout.Path)); string(data) != "error: first\n" {
		t.Errorf("the first log holds %q, %v", data, err)
	}
}

func TestRunGivesChecksACleanEnvironment(t *testing.T) {
	t.Setenv("LEFT_OUT", "x")
	j := jobOf(t, nil, fake(t, "env"))
	j.Env = []string{"GOCACHE=/cache", "LANG=de_DE.UTF-8"}
	ev := verified(t, j)
	data, err := os.ReadFile(filepath.Join(j.TaskDir, ev.Checks[0].Stdout.Path))
	if err != nil {
		t.Fatal(err)
	}
	names, home := []string{}, ""
	for line := range strings.Lines(string(data)) {
		name, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		names = append(names, name)
		if name == "HOME" {
			home = v
		}
	}
	want := []string{"GOCACHE", "HOME", "LANG", "LOOPRUN_RUN_ID", "PATH", "TMPDIR"}
	ignore := cmpopts.IgnoreSliceElements(func(s string) bool { return s == "SYSTEMROOT" })
	if diff := cmp.Diff(want, names, cmpopts.SortSlices(strings.Compare), ignore); diff != "" {
		t.Errorf("the environment differs (-want +got):\n%s", diff)
	}
	if home == os.Getenv("HOME") || home == "" {
		t.Errorf("HOME = %q; want a new folder", home)
	}
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the check's HOME is still there: %v", err)
	}
}

func TestRunTellsWhatKindOfFailure(t *testing.T) {
	at := func(c round.Check, dir string) round.Check { c.Dir = dir; return c }
	tests := map[string]struct {
		check  round.Check
		left   time.Duration
		want   []string
		signal string
		infra  bool
	}{
		"a command that is missing":      {check: round.Check{Run: []string{"no-such-tool"}, Timeout: unit.Duration(time.Minute)}, want: []string{"infra:tool_missing"}, infra: true},
		"a folder that is missing":       {check: at(fake(t, "exit", "0"), "web"), want: []string{"no_directory"}},
		"a folder outside":               {check: at(fake(t, "exit", "0"), "../"), want: []string{"no_directory"}},
		"a link to the outside":          {check: at(fake(t, "exit", "0"), "out"), want: []string{"no_directory"}},
		"a shell's code for a signal":    {check: fake(t, "exit", "139"), want: []string{"signal:SEGV"}, signal: "SEGV"},
		"no time left to start":          {check: fake(t, "exit", "0"), left: -time.Second, want: []string{"timeout"}},
		"a tool that ran no test":        {check: fake(t, "say", tapOfNone, "0"), want: []string{"no_tests_ran"}},
		"a service that does not answer": {check: fake(t, "say", "Error: connect ECONNREFUSED 127.0.0.1:5432\n", "1"), want: []string{"infra:connection_refused"}, infra: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := jobOf(t, nil, tt.check)
			if err := os.Symlink(t.TempDir(), filepath.Join(j.Dir, "out")); err != nil {
				t.Fatal(err)
			}
			if tt.left != 0 {
				j.Left = tt.left
			}
			ev := verified(t, j)
			c := ev.Checks[0]
			if diff := cmp.Diff(tt.want, classesOf(c)); diff != "" {
				t.Errorf("classes differ (-want +got):\n%s", diff)
			}
			if c.Passed || c.Infra != tt.infra || ev.Infra != tt.infra || c.Signal != tt.signal {
				t.Errorf("check = %+v; want a failure, infra %v, signal %q", c, tt.infra, tt.signal)
			}
		})
	}
}

// A check that runs into its limit is told so, beside what it had printed: not
// the same failure as the one that it printed alone.
func TestRunTellsATimeout(t *testing.T) {
	c := fake(t, "hang")
	c.Timeout = unit.Duration(300 * time.Millisecond)
	ev := verified(t, jobOf(t, nil, c))
	plain := verified(t, jobOf(t, nil, fake(t, "say", "not ok 1 - adds\n", "1")))
	got := classesOf(ev.Checks[0])
	if len(got) == 0 || got[0] != "timeout" || ev.Checks[0].ExitCode != -1 {
		t.Errorf("failures = %v, exit %d; want a timeout", ev.Checks[0].Failures, ev.Checks[0].ExitCode)
	}
	plain.Checks[0].Argv = ev.Checks[0].Argv
	if signature.Of(ev.Visible()).Same(signature.Of(plain.Visible())) {
		t.Error("a timeout has the signature of the plain failure")
	}
}

func TestRunInterruptedIsNoVerdict(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := Runner{}.Run(ctx, jobOf(t, nil, fake(t, "hang")))
	if !errors.Is(err, ErrInterrupted) {
		t.Errorf("Run = %v; want ErrInterrupted", err)
	}
}

func TestRunReruns(t *testing.T) {
	const down = "1 Error: connect ECONNREFUSED 127.0.0.1:5432"
	tests := map[string]struct {
		turns        []string
		flaky, infra int
		passed       bool
		wantFlaky    bool
		wantInfra    bool
		runs         int
		waits        []time.Duration
	}{
		"a failure is final without reruns":          {[]string{"1 error: x", "0 ok"}, 0, 2, false, false, false, 1, nil},
		"a check that passes then is flaky":          {[]string{"1 error: x", "0 ok"}, 1, 2, true, true, false, 2, nil},
		"a check that always fails is not":           {[]string{"1 error: x"}, 2, 2, false, false, false, 3, nil},
		"the environment gets another chance":        {[]string{down, "0 ok"}, 0, 2, true, false, false, 2, []time.Duration{2 * time.Second}},
		"an environment that stays bad is told":      {[]string{down}, 3, 2, false, false, true, 3, []time.Duration{2 * time.Second, 4 * time.Second}},
		"an environment fault, then one of the work": {[]string{down, "1 error: x"}, 0, 2, false, false, false, 2, []time.Duration{2 * time.Second}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := jobOf(t, nil)
			counter := filepath.Join(j.Home, "count")
			j.Profiles[0].Checks = []round.Check{fake(t, append([]string{"turns", counter}, tt.turns...)...)}
			j.FlakyReruns, j.InfraReruns = tt.flaky, tt.infra
			var waits []time.Duration
			ev, err := patient(&waits).Run(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			c := ev.Checks[0]
			if c.Passed != tt.passed || c.Flaky != tt.wantFlaky || ev.Infra != tt.wantInfra {
				t.Errorf("passed %v, flaky %v, infra %v; want %v, %v, %v", c.Passed, c.Flaky, ev.Infra, tt.passed, tt.wantFlaky, tt.wantInfra)
			}
			if data, _ := os.ReadFile(counter); len(data) != tt.runs {
				t.Errorf("the check ran %d times; want %d", len(data), tt.runs)
			}
			if diff := cmp.Diff(tt.waits, waits); diff != "" {
				t.Errorf("waits differ (-want +got):\n%s", diff)
			}
			if logs, _ := filepath.Glob(filepath.Join(j.LogDir, "check-01*.stdout")); len(logs) != tt.runs {
				t.Errorf("%d logs are left; want one a run", len(logs))
			}
		})
	}
}

// A failure of the work beside one of the environment is a failure of the work,
// but the environment gets its chance all the same.
func TestRunTellsTheWorkFromTheEnvironment(t *testing.T) {
	j := jobOf(t, nil, fake(t, "say", "connect ECONNREFUSED 127.0.0.1:1\n", "1"), fake(t, "say", "error: x\n", "1"))
	j.InfraReruns = 2
	var waits []time.Duration
	ev, err := patient(&waits).Run(t.Context(), j)
	if err != nil || ev.Infra || len(waits) != 2 {
		t.Errorf("Run = infra %v, %d waits, %v; want a plain failure after 2", ev.Infra, len(waits), err)
	}
	if logs, _ := filepath.Glob(filepath.Join(j.LogDir, "check-02*.stdout")); len(logs) != 1 {
		t.Errorf("the check that the work failed ran %d times; want once", len(logs))
	}
}

func TestRunWaitsForNothingWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	j := jobOf(t, nil, fake(t, "say", "connect ECONNREFUSED 127.0.0.1:1\n", "1"))
	j.InfraReruns = 1
	_, err := Runner{Wait: func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }}.Run(ctx, j)
	if !errors.Is(err, ErrInterrupted) {
		t.Errorf("Run = %v; want ErrInterrupted", err)
	}
}

func TestRunReadsReports(t *testing.T) {
	const junit = `<testsuite><testcase name="adds"><failure type="E" message="4 is not 5"></failure></testcase></testsuite>`
	report := func(data, old string) round.Check {
		c := fake(t, "report", "out.xml", data, old)
		c.Report = "out.xml"
		return c
	}
	tests := map[string]struct {
		check  round.Check
		before map[string]string
		note   string
		detail string
	}{
		"a new report is read":               {report(junit, ""), nil, "", "4 is not 5"},
		"one of the run before is removed":   {report("", ""), map[string]string{"out.xml": junit}, "the report is missing", "as the text tells it"},
		"one that pretends to be old is not": {report(junit, "old"), nil, "the report is older than the run", "as the text tells it"},
		"one that is empty is told":          {report(" ", ""), nil, "the report is empty", "as the text tells it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := verified(t, jobOf(t, tt.before, tt.check)).Checks[0]
			if got := strings.Join(c.Notes, "; "); got != tt.note {
				t.Errorf("notes = %q; want %q", got, tt.note)
			}
			if len(c.Failures) != 1 || !strings.Contains(c.Failures[0].Detail, tt.detail) {
				t.Errorf("failures = %v; want %q", c.Failures, tt.detail)
			}
		})
	}
}

func TestRunListsTestsThatTurnedGreen(t *testing.T) {
	base := jobOf(t, nil, fake(t, "say", tapOf("-adds", "subs", "-divs"), "1"))
	now := jobOf(t, nil, fake(t, "say", tapOf("adds", "subs", "-divs", "new"), "1"))
	now.Base = []signature.Tests{verified(t, base).Checks[0].Tests}
	ev := verified(t, now)
	if len(ev.RedToGreen) != 1 || !strings.Contains(ev.RedToGreen[0], "adds") {
		t.Errorf("red to green = %q; want adds alone", ev.RedToGreen)
	}
}

// A tool that names the file of a test only where it fails makes the fixed test
// look like another one.
func TestRunKnowsATestThatWasFixed(t *testing.T) {
	now := jobOf(t, nil, fake(t, "say", tapOf("adds", "subs"), "0"))
	now.Base = []signature.Tests{{Known: true, Run: 2, Ran: []string{"subs", "test/a.test.mjs > adds"}, Green: []string{"subs"}}}
	ev := verified(t, now)
	if !ev.Checks[0].Passed || len(ev.RedToGreen) != 1 || ev.RedToGreen[0] != "adds" {
		t.Errorf("passed %v, red to green %q; want adds alone", ev.Checks[0].Passed, ev.RedToGreen)
	}
}

func TestRunNoticesTestsThatVanished(t *testing.T) {
	base := jobOf(t, nil, fake(t, "say", tapOf("adds", "-subs"), "1"))
	now := jobOf(t, nil, fake(t, "say", tapOf("adds"), "0"))
	now.Base = []signature.Tests{verified(t, base).Checks[0].Tests}
	now.Changed = []string{"src/calc.mjs"}
	c := verified(t, now).Checks[0]
	if c.Passed || len(c.Failures) != 1 || c.Failures[0].Class != TestsVanished || !strings.Contains(c.Failures[0].ID, "subs") {
		t.Errorf("check = passed %v, %v; want the test that is gone", c.Passed, c.Failures)
	}
}
