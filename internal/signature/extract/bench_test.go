package extract

import (
	"fmt"
	"strings"
	"testing"
)

// logs are long outputs of one tool each: many tests that pass and print, and
// one that fails.
var logs = map[string]func(n int) Output{
	"go test -v": func(n int) Output {
		var b strings.Builder
		for i := range n / 200 {
			fmt.Fprintf(&b, "=== RUN   TestNumber%d\n    calc_test.go:18: worker 14709 at 2026-11-30T16:26:35.785637248Z port 20051 ptr 0x4f584e24070\n", i)
			fmt.Fprintf(&b, "2026/11/30 16:26:35 main.go:7: request served in 12.3ms\n--- PASS: TestNumber%d (0.02s)\n", i)
		}
		b.WriteString("=== RUN   TestLast\n    calc_test.go:20: Add(2, 2) = 5, want 4\n--- FAIL: TestLast (0.02s)\nFAIL\nFAIL\texample.test/calc\t0.066s\nFAIL\n")
		return Output{ExitCode: 1, Stdout: []byte(b.String())}
	},
	"go test -json": func(n int) Output {
		var b strings.Builder
		const at = `{"Time":"2026-11-30T16:26:54.42397823Z","Action":"%s","Package":"example.test/calc","Test":"TestNumber%d"%s}` + "\n"
		for i := range n / 430 {
			fmt.Fprintf(&b, at, "run", i, "")
			fmt.Fprintf(&b, at, "output", i, `,"Output":"    calc_test.go:18: worker 20413 port 27302\n"`)
			fmt.Fprintf(&b, at, "pass", i, `,"Elapsed":0.01`)
		}
		fmt.Fprintf(&b, at, "output", -1, `,"Output":"    calc_test.go:20: Add(2, 2) = 5, want 4\n"`)
		fmt.Fprintf(&b, at, "fail", -1, "")
		b.WriteString(`{"Action":"fail","Package":"example.test/calc"}` + "\n")
		return Output{ExitCode: 1, Stdout: []byte(b.String())}
	},
	"pytest -v": func(n int) Output {
		var b strings.Builder
		b.WriteString("============================= test session starts ==============================\n")
		for i := range n / 200 {
			fmt.Fprintf(&b, "tests/test_calc.py::test_number_%d PASSED                                  [ 42%%]\n", i)
			b.WriteString("worker 28328 2026-11-30T16:20:35.337019 <object object at 0x7f723bcf90c0> port 24709 seed 0.7304\n")
		}
		b.WriteString("=================================== FAILURES ===================================\n__________________________________ test_adds ___________________________________\n\n" +
			">       assert add(2, 2) == 4\nE       assert 5 == 4\n\ntests/test_calc.py:11: AssertionError\n" +
			"=========================== short test summary info ============================\nFAILED tests/test_calc.py::test_adds - assert 5 == 4\n" +
			"========================= 1 failed, 3 passed in 0.11s ==========================\n")
		return Output{ExitCode: 1, Stdout: []byte(b.String())}
	},
	"jest": func(n int) Output {
		var b strings.Builder
		for i := range n / 130 {
			if i%100 == 0 {
				fmt.Fprintf(&b, "PASS test/file%d.test.js\n  calc\n", i)
			}
			fmt.Fprintf(&b, "    ✓ adds numbers number %d (176 ms)\n  console.log\n    worker 28282 2026-11-30T16:20:36.349Z port 28182\n\n", i)
		}
		b.WriteString("FAIL test/calc.test.js\n  ● calc › adds numbers\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 5\n\nTests:       1 failed, 3 passed, 4 total\n")
		return Output{ExitCode: 1, Stderr: []byte(b.String())}
	},
	"JUnit XML": func(n int) Output {
		var b strings.Builder
		b.WriteString("<?xml version=\"1.0\"?>\n<testsuites><testsuite name=\"all\">\n")
		for i := range n / 200 {
			fmt.Fprintf(&b, "<testcase classname=\"tests.calc\" name=\"number %d\" time=\"0.057965161\"><system-out>worker 10950 2026-11-30T16:22:27.086Z port 25136 and some more</system-out></testcase>\n", i)
		}
		b.WriteString("<testcase classname=\"tests.calc\" name=\"last\"><failure message=\"expected 5 to be 4\" type=\"AssertionError\">AssertionError: expected 5 to be 4</failure></testcase></testsuite></testsuites>\n")
		return Output{ExitCode: 1, Stdout: []byte("see the report\n"), Report: []byte(b.String())}
	},
	"TAP": func(n int) Output {
		var b strings.Builder
		b.WriteString("TAP version 13\n")
		for i := range n / 130 {
			fmt.Fprintf(&b, "# Subtest: number %d\nok %d - number %d\n  ---\n  duration_ms: 5.980039\n  ...\n# worker 15811 2026-11-30T16:19:26.934Z port 21902\n", i, i+1, i)
		}
		b.WriteString("not ok 9 - last\n  ---\n  error: 'bad'\n  ...\n1..9\n")
		return Output{ExitCode: 1, Stdout: []byte(b.String())}
	},
	"cargo": func(n int) Output {
		var b strings.Builder
		b.WriteString("\nrunning 9 tests\n")
		for i := range n / 40 {
			fmt.Fprintf(&b, "test tests::number_%d ... ok\n", i)
		}
		b.WriteString("\nfailures:\n\n---- tests::adds stdout ----\n\nthread 'tests::adds' (24189) panicked at src/lib.rs:20:9:\nassertion failed\n\nfailures:\n    tests::adds\n\ntest result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n")
		return Output{ExitCode: 101, Stdout: []byte(b.String())}
	},
	"a script": func(n int) Output {
		var b strings.Builder
		for i := range n / 90 {
			fmt.Fprintf(&b, "[2026-11-30T16:31:34+00:00] step %d of many: the quick brown fox jumps over the lazy dog\n", i)
		}
		b.WriteString("Expected total to be 10 but was 9\n")
		return Output{ExitCode: 1, Stdout: []byte(b.String())}
	},
	"eslint, all failing": func(n int) Output {
		var b strings.Builder
		for i := range n / 80 {
			if i%20 == 0 {
				fmt.Fprintf(&b, "\n/work/src/app%d.js\n", i)
			}
			fmt.Fprintf(&b, "  %d:9   error  'unused%d' is assigned a value but never used  no-unused-vars\n", i, i)
		}
		b.WriteString("\n✖ 3 problems (3 errors, 0 warnings)\n")
		return Output{ExitCode: 1, Stdout: []byte(b.String())}
	},
	"in colour": func(n int) Output {
		var b strings.Builder
		for i := range n / 110 {
			fmt.Fprintf(&b, "\x1b[32m     \x1b[32m✓\x1b[39m number %d\x1b[32m 7\x1b[2mms\x1b[22m\x1b[39m and what it printed, in one long line\r\n", i)
		}
		b.WriteString("⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n\x1b[41m FAIL \x1b[49m test/calc.test.js\x1b[2m > \x1b[22madds\n\x1b[31mAssertionError: expected 5 to be 4\x1b[39m\n")
		return Output{ExitCode: 1, Stdout: []byte(b.String())}
	},
}

func BenchmarkExtract10MB(b *testing.B) {
	for name, log := range logs {
		b.Run(name, func(b *testing.B) {
			in := log(10 << 20)
			b.SetBytes(int64(len(in.Stdout) + len(in.Stderr) + len(in.Report)))
			b.ReportAllocs()
			for b.Loop() {
				Extract(in)
			}
		})
	}
}
