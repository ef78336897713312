package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/unit"
)

// TestMain makes the test binary a check when a test starts it as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "fake" {
		fakes[os.Args[2]](os.Args[3:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var fakes = map[string]func(args []string){
	"exit": func(args []string) { exit(args[0]) },
	// say prints a text and exits.
	"say": func(args []string) { fmt.Print(args[0]); exit(args[1]) },
	// cat prints files of the tree; one that is missing fails.
	"cat": func(args []string) {
		for _, name := range args {
			data, err := os.ReadFile(name)
			if err != nil {
				fmt.Println("error: cannot read", name)
				os.Exit(1)
			}
			os.Stdout.Write(data)
		}
	},
	// file prints a file and exits with the code that it begins with.
	"file": func(args []string) {
		data, err := os.ReadFile(args[0])
		code, text, _ := strings.Cut(string(data), "\n")
		if err != nil {
			code, text = "2", "error: cannot read "+args[0]
		}
		fmt.Print(text)
		exit(code)
	},
	// turns takes what it prints and its exit code from one argument a run.
	"turns": func(args []string) {
		n, turns := count(args[0]), args[1:]
		code, text, _ := strings.Cut(turns[min(n, len(turns)-1)], " ")
		fmt.Println(text)
		exit(code)
	},
	"report": func(args []string) {
		if args[1] != "" {
			os.WriteFile(args[0], []byte(args[1]), 0o600)
		}
		if args[2] != "" {
			old := time.Now().Add(-time.Hour)
			os.Chtimes(args[0], old, old)
		}
		fmt.Println("error: as the text tells it")
		os.Exit(1)
	},
	"env": func([]string) {
		os.WriteFile(filepath.Join(os.Getenv("HOME"), "left"), nil, 0o600)
		fmt.Println(strings.Join(os.Environ(), "\n"))
	},
	"hang": func([]string) { fmt.Println("not ok 1 - adds"); time.Sleep(time.Minute) },
}

func exit(code string) {
	n, err := strconv.Atoi(code)
	if err != nil {
		n = 99
	}
	os.Exit(n)
}

// count says how often it was called with name before.
func count(name string) int {
	data, _ := os.ReadFile(name)
	os.WriteFile(name, append(data, '.'), 0o600)
	return len(data)
}

// fake is a check that the test binary plays.
func fake(t *testing.T, args ...string) round.Check {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return round.Check{Run: append([]string{exe, "fake"}, args...), Timeout: unit.Duration(30 * time.Second)}
}

// jobOf is a job in a new tree whose files are given as name and content.
func jobOf(t *testing.T, files map[string]string, checks ...round.Check) Job {
	t.Helper()
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree")
	writeTree(t, tree, files)
	return Job{
		Dir: tree, Profiles: []Profile{{Name: "unit", Checks: checks}}, Home: dir,
		TaskDir: filepath.Join(dir, "records"), LogDir: filepath.Join(dir, "records", "attempts", "round-001"),
		RunID: fmt.Sprintf("run-%d", time.Now().UnixNano()), Left: time.Minute, Grace: 50 * time.Millisecond,
	}
}

func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// patient is a Runner that waits for nothing, and counts how often it would.
func patient(waits *[]time.Duration) Runner {
	return Runner{Wait: func(_ context.Context, d time.Duration) error {
		if waits != nil {
			*waits = append(*waits, d)
		}
		return nil
	}}
}

func verified(t *testing.T, j Job) round.Evidence {
	t.Helper()
	ev, err := patient(nil).Run(t.Context(), j)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return ev
}

// classesOf lists the classes of a check's failures.
func classesOf(c round.CheckResult) []string {
	list := []string{}
	for _, f := range c.Failures {
		list = append(list, f.Class)
	}
	return list
}

// tapOf is the output of a test tool that names its tests; a leading minus
// marks a test that fails.
func tapOf(names ...string) string {
	var w strings.Builder
	w.WriteString("TAP version 13\n")
	passed := len(names)
	for i, n := range names {
		ok, name := "ok", n
		if rest, bad := strings.CutPrefix(n, "-"); bad {
			ok, name = "not ok", rest
			passed--
		}
		fmt.Fprintf(&w, "%s %d - %s\n", ok, i+1, name)
	}
	fmt.Fprintf(&w, "1..%[1]d\n# tests %[1]d\n# pass %[2]d\n", len(names), passed)
	return w.String()
}

// tapOfNone is what a test tool prints that left every test out.
const tapOfNone = "TAP version 13\nok 1 - adds # SKIP test name does not match pattern\n1..1\n# tests 1\n# pass 0\n# skipped 1\n"

func ran(ids ...string) signature.Tests {
	return signature.Tests{Known: true, Run: len(ids), Ran: ids}
}
