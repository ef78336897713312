package extract

import (
	"strings"
	"testing"
	"time"
)

// Four times the log may cost four times the allocations, and no more.
func TestAllocationsAreLinear(t *testing.T) {
	for name, log := range logs {
		t.Run(name, func(t *testing.T) {
			small, large := log(128<<10), log(512<<10)
			few := testing.AllocsPerRun(1, func() { Extract(small) })
			many := testing.AllocsPerRun(1, func() { Extract(large) })
			if many > 4.5*few+500 {
				t.Errorf("%.0f allocations for 128 KiB and %.0f for 512 KiB; want at most four times as many", few, many)
			}
		})
	}
}

// Lines that begin something and never end it are what would make a reader
// look at the rest of the page again and again. Eight times the page may take
// eight times as long; a square would take sixty-four times.
func TestTimeIsLinear(t *testing.T) {
	units := []string{
		"=== FAILURES ===\n___ x ___\nE  x\n", "___ x ___\n", "Traceback (most recent call last):\n  File \"a.py\", line 1\n",
		"not ok 1 - x\n  ---\n", "not ok 1 - x {\n", "1..1\n    not ok 1 - x\n", "FAIL a.js\n  ● x\n", "    at x (a:1:1)\n",
		"thread 'x' panicked at 'a\n", "panic: x\n", "WARNING: DATA RACE\n", "a.go:1: x\n", "a.go:1:2: x\n\ty\n",
		"{\"Action\":\"output\",\"Package\":\"a\"}\n", "{\"filePath\"\n", "[\n", "<testsuite>", "<testcase name=\"a\"><failure>",
		"&#x1b;<testsuite", "\x1b[", "a\r", "--- FAIL: T/a/a (0.0s)\n", " FAIL  a\n", "  1 passing\n  1 failing\n  1) x\n",
		"There was 1 failure:\n1) a::b\n", "Failures:\n  1) x\n", "[ RUN      ] a\n", "TEST CASE:  a\n", "* What went wrong:\n",
		"An error occurred in x\n", "Exception in thread \"a\" b.c\n\tat x\n", "[ERROR] a Time elapsed: 1 s <<< FAILURE!\n",
		"**********************************************************************\nFile \"a\", line 1, in b\nFailed example:\n",
		"======================================================================\nFAIL: a (b.c)\n----------------------------------------------------------------------\n",
		"✖ failing tests:\nℹ tests 1\n✖ x (1ms)\n  'y'\n", "---- a stdout ----\n", "error: x\n --> a:1:1\n", "#   Failed test 'x'\n", "/w/tree/",
	}
	for _, tool := range tools {
		for _, m := range tool.marks {
			units = append(units, strings.TrimPrefix(m, ": ")+" x\n")
		}
	}
	for _, unit := range units {
		small, large := took(unit, 4<<10), took(unit, 32<<10)
		for try := 0; large > 32*small+2*time.Millisecond; try++ {
			if try == 5 {
				t.Errorf("%q: 4 KiB take %v, 32 KiB %v; want at most some eight times as long", unit, small, large)
				break
			}
			small, large = took(unit, 4<<10), took(unit, 32<<10)
		}
	}
}

// took is how long a page of one unit takes.
func took(unit string, size int) time.Duration {
	in := Output{ExitCode: 1, Stdout: []byte(strings.Repeat(unit, size/len(unit)+1)), WorkTree: []string{"/w/tree"}}
	start := time.Now()
	Extract(in)
	return time.Since(start)
}
