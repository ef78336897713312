package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/signature"
)

type failure = signature.Failure

func TestExtractHowACommandEnded(t *testing.T) {
	for name, tt := range map[string]struct {
		in     Output
		exit   int
		signal string
		want   []failure
	}{
		"it passed":                       {Output{Stdout: []byte("error: none of note\n")}, 0, "", nil},
		"it said nothing":                 {Output{ExitCode: 4}, 4, "", []failure{{Class: "exit:4"}}},
		"a signal by name":                {Output{ExitCode: -1, Signal: "SEGV"}, -1, "SEGV", []failure{{Class: "signal:SEGV"}}},
		"a signal as a negative code":     {Output{ExitCode: -11}, -1, "SEGV", []failure{{Class: "signal:SEGV"}}},
		"a signal as a shell tells it":    {Output{ExitCode: 139}, -1, "SEGV", []failure{{Class: "signal:SEGV"}}},
		"a code that is no signal":        {Output{ExitCode: 255}, 255, "", []failure{{Class: "exit:255"}}},
		"its own limit":                   {Output{ExitCode: 143, Signal: "TERM", TimedOut: true}, -1, "", []failure{{Class: "timeout"}}},
		"its own limit, with code 0":      {Output{TimedOut: true}, -1, "", []failure{{Class: "timeout"}}},
		"a command that is not there":     {Output{ExitCode: 127, Stderr: []byte("run.sh: 2: foo: not found\n")}, 127, "", []failure{{Class: "not-found", Detail: "run.sh: foo: not found"}}},
		"a signal after a failed message": {Output{ExitCode: 134, Stderr: []byte("app: app.c:5: main: Assertion `x == 1' failed.\n")}, -1, "ABRT", []failure{{Class: "signal:ABRT"}, {ID: "app.c > main", Class: "assertion", Detail: "x == 1"}}},
		"a limit after a failed test": {
			Output{TimedOut: true, Stdout: []byte("--- FAIL: TestA (0.00s)\n    a_test.go:3: bad\n")}, -1, "",
			[]failure{{Class: "timeout"}, {ID: "TestA", Class: "fail", Detail: "bad"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Extract(tt.in).Check
			if got.ExitCode != tt.exit || got.Signal != tt.signal {
				t.Errorf("Extract: exit %d signal %q; want %d %q", got.ExitCode, got.Signal, tt.exit, tt.signal)
			}
			if diff := cmp.Diff(tt.want, got.Failures); diff != "" {
				t.Errorf("Extract: failures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExtractFallback(t *testing.T) {
	for name, tt := range map[string]struct {
		out, err string
		want     []string // details
	}{
		"lines that look like errors, sorted, once each": {
			"step 1\nERROR: b\nok\n", "error: a at 16:22:10\nerror: a at 16:22:11\n",
			[]string{"ERROR: b", "error: a at <time>"},
		},
		"a capital inside a word begins one": {"com.foo.BarException: x\n", "", []string{"com.foo.BarException: x"}},
		"but not any letter":                 {"terrorist\nfamily\n", "", []string{"terrorist\nfamily"}},
		"what a wrapper adds is left out": {
			"", "wrong answer: expected 3\nmake: *** [Makefile:3: test] Error 1\nnpm ERR! code 1\n",
			[]string{"wrong answer: expected 3"},
		},
		"unless there is nothing else": {"", "make: *** [Makefile:3: test] Error 1\n", []string{"make: *** [Makefile: test] Error 1"}},
		"else the last lines, without numbers": {
			"1\n2\n3\n\n4\n5\n6 of 7\n", "", []string{"<n>\n<n>\n<n>\n<n>\n<n> of <n>"},
		},
		"of a progress line the last state": {"10%\r20%\rstopped here\r\n", "", []string{"stopped here"}},
		"numbers of lines are left out":     {"./calc.sh: line 12: syntax error near `{'\n", "", []string{"./calc.sh: line: syntax error near `{'"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Extract(Output{ExitCode: 1, Stdout: []byte(tt.out), Stderr: []byte(tt.err)})
			var details []string
			for _, f := range got.Check.Failures {
				details = append(details, f.Detail)
			}
			if diff := cmp.Diff(tt.want, details); diff != "" || got.Check.PathTaken != "fallback" {
				t.Errorf("Extract: path %q, details (-want +got):\n%s", got.Check.PathTaken, diff)
			}
		})
	}
}

func TestExtractInfra(t *testing.T) {
	for name, tt := range map[string]struct {
		in    Output
		infra bool
		class string // of the first failure
	}{
		"connection refused":        {Output{Stderr: []byte("error: connect ECONNREFUSED 127.0.0.1:5432\n")}, true, "infra:connection_refused"},
		"a name that nobody knows":  {Output{Stderr: []byte("fatal: could not resolve host: github.com\n")}, true, "infra:dns"},
		"a full disk":               {Output{Stderr: []byte("cp: error writing 'x': No space left on device\n")}, true, "infra:disk_full"},
		"out of memory in Node":     {Output{ExitCode: 134, Stderr: []byte("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n")}, true, "infra:out_of_memory"},
		"out of memory in Python":   {Output{Stderr: []byte("Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    x()\nMemoryError\n")}, true, "infra:out_of_memory"},
		"too many requests":         {Output{Stderr: []byte("error: HTTP 429 Too Many Requests\n")}, true, "infra:rate_limited"},
		"service unavailable":       {Output{Stderr: []byte("request failed with status code 503\n")}, true, "infra:unavailable"},
		"inside a wrapper's report": {Output{Stderr: []byte("npm error code ENOTFOUND\nnpm error network request failed, reason: getaddrinfo ENOTFOUND registry\n")}, true, "infra:dns"},
		"a test that was refused": {
			Output{Stdout: []byte("--- FAIL: TestDB (0.00s)\n    db_test.go:9: dial tcp 127.0.0.1:5432: connect: connection refused\nFAIL\nFAIL\tx\t0.1s\n")},
			true, "infra:connection_refused",
		},
		"another failure besides": {Output{Stderr: []byte("error: connect ECONNREFUSED\nerror: expected 4\n")}, false, "exit:1"},
		"an assertion about such a text": {
			Output{Stderr: []byte("FAIL a.test.js\n  ● asks\n\n    expect(received).toBe(expected)\n\n    Expected: \"ok\"\n    Received: \"ECONNREFUSED\"\n")},
			false, "assertion",
		},
		"nothing of the kind": {Output{Stderr: []byte("error: bad\n")}, false, "exit:1"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.in.ExitCode == 0 {
				tt.in.ExitCode = 1
			}
			got := Extract(tt.in)
			if got.Infra != tt.infra || len(got.Check.Failures) == 0 || got.Check.Failures[0].Class != tt.class {
				t.Errorf("Extract: infra %t, failures %q; want infra %t and class %s", got.Infra, got.Check.Failures, tt.infra, tt.class)
			}
		})
	}
}

const junitBare = `<testsuites><testsuite name="s"><testcase name="a" classname="c"><failure message="test failed"/></testcase></testsuite></testsuites>`

func TestExtractReport(t *testing.T) {
	goText := "--- FAIL: TestA (0.00s)\n    a_test.go:3: bad\nFAIL\nFAIL\tx\t0.1s\n"
	for name, tt := range map[string]struct {
		in    Output
		path  string
		bare  bool
		notes []string
		want  []failure
	}{
		"a report wins over the text": {
			Output{Stdout: []byte(goText), Report: []byte(`<testsuite name="s"><testcase name="a" classname="c"><failure message="m" type="T"/></testcase></testsuite>`)},
			"report", false, nil, []failure{{ID: "s > c > a", Class: "T", Detail: "m"}},
		},
		"an empty report is told and the text read": {
			Output{Stdout: []byte(goText), Report: []byte("\n")},
			"text:go-test", false, []string{"the report is empty"}, []failure{{ID: "x > TestA", Class: "fail", Detail: "bad"}},
		},
		"one that cannot be read": {
			Output{Stdout: []byte(goText), Report: []byte("hello"), Format: "junit"},
			"text:go-test", false, []string{"the report cannot be read as junit"}, []failure{{ID: "x > TestA", Class: "fail", Detail: "bad"}},
		},
		"one of another format than was said": {
			Output{Stdout: []byte(goText), Report: []byte(junitBare), Format: "ctrf"},
			"text:go-test", false, []string{"the report cannot be read as ctrf"}, []failure{{ID: "x > TestA", Class: "fail", Detail: "bad"}},
		},
		"one that knows of no failure": {
			Output{Stdout: []byte(goText), Report: []byte(`<testsuite><testcase name="a"/></testsuite>`)},
			"text:go-test", false, []string{"the report names no failure though the command failed"}, []failure{{ID: "x > TestA", Class: "fail", Detail: "bad"}},
		},
		"a failure without a reason is completed from the text": {
			Output{Stderr: []byte("file:///w/lib/a.js:3\nx = = 3\n    ^\n\nSyntaxError: Unexpected token '='\n    at compile (node:internal/a:1:2)\n\nNode.js v20\n"), Report: []byte(junitBare)},
			"report", false, nil, []failure{{ID: "/w/lib/a.js", Class: "SyntaxError", Detail: "Unexpected token '='"}, {ID: "s > c > a", Class: "failure", Detail: "test failed"}},
		},
		"and told to be without one if the text has none": {
			Output{Report: []byte(junitBare)},
			"report", true, nil, []failure{{ID: "s > c > a", Class: "failure", Detail: "test failed"}},
		},
		"a document on standard output": {
			Output{Stdout: []byte("building\n" + junitBare + "\ndone\n")},
			"format", true, nil, []failure{{ID: "s > c > a", Class: "failure", Detail: "test failed"}},
		},
		"a format that was said, on standard output": {
			Output{Stdout: []byte("ok 1 - a\nnot ok 2 - b\n1..2\n"), Format: "tap"},
			"format", true, nil, []failure{{ID: "b", Class: "fail"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tt.in.ExitCode = 1
			got := Extract(tt.in)
			if got.Check.PathTaken != tt.path || got.Bare != tt.bare || !slices.Equal(got.Notes, tt.notes) {
				t.Errorf("Extract: path %q bare %t notes %q; want %q %t %q", got.Check.PathTaken, got.Bare, got.Notes, tt.path, tt.bare, tt.notes)
			}
			if diff := cmp.Diff(tt.want, got.Check.Failures); diff != "" {
				t.Errorf("Extract: failures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExtractOfAPassedRunStillCountsTests(t *testing.T) {
	for name, tt := range map[string]struct {
		in   Output
		want signature.Tests
	}{
		"pytest that found nothing": {Output{Stdout: []byte("============================ no tests ran in 0.01s =============================\n")}, signature.Tests{Known: true}},
		"go with empty packages":    {Output{Stdout: []byte("?   \tx\t[no test files]\nok  \ty\t0.1s [no tests to run]\n")}, signature.Tests{Known: true}},
		"go with tests":             {Output{Stdout: []byte("?   \tx\t[no test files]\nok  \ty\t0.1s\n")}, signature.Tests{}},
		"a report":                  {Output{Report: []byte(`<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>`)}, signature.Tests{Known: true, Run: 1, Passed: 1, Skipped: 1, Ran: []string{"a"}, Green: []string{"a"}}},
		"vitest without files":      {Output{Stdout: []byte("No test files found, exiting with code 0\n")}, signature.Tests{Known: true}},
		"go test -json":             {Output{Stdout: []byte(`{"Action":"start","Package":"x"}` + "\n" + `{"Action":"skip","Package":"x"}` + "\n")}, signature.Tests{Known: true}},
		"several runners add up": {
			Output{Stdout: []byte("Test Suites: 1 passed, 1 total\nTests:       4 passed, 4 total\n\n2 passed in 0.07s\n")},
			signature.Tests{Known: true, Run: 6, Passed: 6},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Extract(tt.in)
			if diff := cmp.Diff(tt.want, got.Check.Tests); diff != "" || len(got.Check.Failures) > 0 {
				t.Errorf("Extract: failures %v, tests (-want +got):\n%s", got.Check.Failures, diff)
			}
		})
	}
}

func TestExtractBoundsWhatItKeeps(t *testing.T) {
	var b strings.Builder
	for i := range 700 {
		fmt.Fprintf(&b, "src/a.ts(%d,1): error TS2304: Cannot find name 'x%d'.\n", i, i)
	}
	got := Extract(Output{ExitCode: 2, Stdout: []byte(b.String())}).Check
	if len(got.Failures) != maxFailures || got.Dropped != 500 {
		t.Errorf("Extract: %d failures, %d left out; want %d and 500", len(got.Failures), got.Dropped, maxFailures)
	}
	long := "--- FAIL: TestA (0.00s)\n    a_test.go:3: " + strings.Repeat("x", 3000)
	a := Extract(Output{ExitCode: 1, Stdout: []byte(long + "1\n")}).Check.Failures[0]
	c := Extract(Output{ExitCode: 1, Stdout: []byte(long + "2\n")}).Check.Failures[0]
	if len(a.Detail) > maxDetail || a.Detail == c.Detail {
		t.Errorf("details of %d bytes, equal %t; want at most %d, and two", len(a.Detail), a.Detail == c.Detail, maxDetail)
	}
}

func TestExtractCountsWhatALinterRepeats(t *testing.T) {
	lint := func(lines ...string) failure {
		out := strings.Join(lines, "\n") + "\n\n✖ 9 problems (9 errors, 0 warnings)\n"
		return Extract(Output{ExitCode: 1, Stdout: []byte(out)}).Check.Failures[0]
	}
	three := lint("/w/a.js", "  2:9  error  Unexpected console statement  no-console", "  3:9  error  Unexpected console statement  no-console", "  7:9  error  Unexpected console statement  no-console")
	two := lint("/w/a.js", "  2:9  error  Unexpected console statement  no-console", "  7:9  error  Unexpected console statement  no-console")
	if three.Detail != "Unexpected console statement (3 times)" || two.Detail != "Unexpected console statement (2 times)" {
		t.Errorf("details %q and %q; want the number of times in both", three.Detail, two.Detail)
	}
}

func TestExtractMasksOfTheUser(t *testing.T) {
	m, err := signature.CompileMask("order", `order [A-Z]{3}`)
	if err != nil {
		t.Fatal(err)
	}
	got := Extract(Output{ExitCode: 1, Stdout: []byte("error: order ABC lost\n"), Masks: []signature.Masker{m}})
	if want := "error: <order> lost"; got.Check.Failures[0].Detail != want {
		t.Errorf("detail %q; want %q", got.Check.Failures[0].Detail, want)
	}
}

func TestExtractLeavesItsInputAlone(t *testing.T) {
	in := Output{ExitCode: 1, Argv: []string{"x"}, Stdout: []byte("\x1b[31merror\x1b[0m\r\n"), WorkTree: []string{"/b", "/a/longer"}}
	Extract(in)
	if string(in.Stdout) != "\x1b[31merror\x1b[0m\r\n" || !slices.Equal(in.WorkTree, []string{"/b", "/a/longer"}) {
		t.Errorf("Extract changed its input: %q, %q", in.Stdout, in.WorkTree)
	}
}

func TestFormats(t *testing.T) {
	want := []string{"ctrf", "eslint-json", "go-json", "jest-json", "junit", "rspec-json", "sarif", "tap"}
	if diff := cmp.Diff(want, Formats()); diff != "" {
		t.Errorf("Formats (-want +got):\n%s", diff)
	}
}
