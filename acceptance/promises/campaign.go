package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// A campaign is one call of go test.
type campaign struct {
	what     string
	packages []string
	tests    string   // a regular expression
	short    []string // its flags, in each form
	long     []string
}

var campaigns = []campaign{
	{
		what:     "files, queue and records: every change in turn",
		packages: []string{"./internal/fsx", "./internal/queue", "./internal/record"},
		tests:    "Crash|Error|Power|Fsync|Cut|Lock|Replaced|Torn|Budgets|Hint|Listing|Events",
	},
	{
		what:     "the whole loop, with real processes and a real repository",
		packages: []string{"./internal/loop"}, tests: "Campaign|TemporaryFolders",
		short: []string{"-campaign", "short"},
		long:  []string{"-campaign", "long"},
	},
	{
		what:     "the whole process, at its system calls",
		packages: []string{"./acceptance"}, tests: "ACall|Power|DoneIsDurable|DiskThatIsFull|Instances|KilledAnywhere|SilentGenerator|KillsLooprun",
		long: []string{"-calls.all", "-sizes.all", "-race.all"},
	},
	{
		what:     "processes that will not go",
		packages: []string{"./internal/child"}, tests: "LeavesNothing|EndOrphans|DiesWithLooprun",
	},
}

// results is what all campaigns came to.
type results struct {
	long    bool
	figures map[string]int
	skipped []string
	failed  int
}

// An event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, Key, Value string
}

// run runs the tests of c and adds up what they tell.
func (c campaign) run(all *results) error {
	args := append([]string{"test", "-count=1", "-json", "-timeout", "3h", "-parallel", "8", "-run", c.tests}, c.packages...)
	if all.long {
		args = append(args, c.long...)
	} else {
		args = append(args, c.short...)
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = all.read(bufio.NewScanner(out))
	var exit *exec.ExitError
	if e := cmd.Wait(); e != nil && !errors.As(e, &exit) {
		err = errors.Join(err, e)
	} else if e != nil && all.failed == 0 {
		err = errors.Join(err, fmt.Errorf("go %s: %w", strings.Join(args, " "), e))
	}
	return err
}

func (all *results) read(lines *bufio.Scanner) error {
	said := map[string][]string{} // by tests that have not ended
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("read what go test says: %w", err)
		}
		if err := all.add(e, said); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (all *results) add(e event, said map[string][]string) error {
	switch key := e.Package + " " + e.Test; e.Action {
	case "output", "build-output":
		if text := strings.TrimSpace(e.Output); !strings.HasPrefix(text, "=== ") && !strings.HasPrefix(text, "--- ") {
			said[key] = append(said[key], e.Output)
		}
	case "attr":
		if e.Key != "figure" {
			return nil
		}
		n, what, _ := strings.Cut(e.Value, " ")
		number, err := strconv.Atoi(n)
		all.figures[what] += number
		fmt.Printf("%8s %s\n", n, what)
		return err
	case "fail", "build-fail":
		all.failed++
		fmt.Printf("FAIL %s\n%s", key, strings.Join(said[key], ""))
		delete(said, key)
	case "skip":
		if e.Test != "" {
			all.skipped = append(all.skipped, e.Test+": "+strings.TrimSpace(strings.Join(said[key], "")))
		}
		delete(said, key)
	case "pass":
		delete(said, key)
	}
	return nil
}
