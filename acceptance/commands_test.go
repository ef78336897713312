//go:build unix

package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// bookshop LANG copies the bookshop's library into the directory of the script
// and commits it with whatever else is there.
func bookshop(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: bookshop go|node")
	}
	from := filepath.Join(ts.Getenv("ACCEPTANCE"), "bookshop", args[0])
	ts.Check(os.CopyFS(ts.MkAbs("."), os.DirFS(from)))
	commit(ts, false, nil)
}

// commit makes the directory of the script a repository and commits all of it,
// but for the queue and the records.
func commit(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(os.MkdirAll(ts.MkAbs("tasks/inbox"), 0o755))
	git(ts, "init", "-q", "-b", "main")
	ts.Check(os.WriteFile(ts.MkAbs(".git/info/exclude"), []byte(own), 0o644))
	git(ts, "add", "-A")
	git(ts, "-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "base")
	moved(ts, false, nil)
}

// own are the files beside the repository that are no part of it.
const own = "/tasks/\n/.loop/\n/agent/\n/starts.log\n/before\n/remembered\n/home/\n/tmp/\n"

func git(ts *testscript.TestScript, args ...string) string {
	cmd := exec.Command("git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		ts.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// json FILE FIELD [VALUE] compares a field of a JSON file, named as
// "a.b.0.c", with a value in JSON or plain text. Without a value it must exist.
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: json FILE FIELD [VALUE]")
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	got, err := field(doc, strings.Split(args[1], "."))
	if len(args) == 2 {
		if (err == nil) == neg {
			ts.Fatalf("%s: %s: %v", args[0], args[1], err)
		}
		return
	}
	ts.Check(err)
	if want := strings.Join(args[2:], " "); (got == want) == neg {
		ts.Fatalf("%s: %s = %s; want %s", args[0], args[1], got, want)
	}
}

func field(doc any, path []string) (string, error) {
	for _, name := range path {
		switch at := doc.(type) {
		case map[string]any:
			v, ok := at[name]
			if !ok {
				return "", fmt.Errorf("no field %q", name)
			}
			doc = v
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(at) {
				return "", fmt.Errorf("no element %q of %d", name, len(at))
			}
			doc = at[i]
		default:
			return "", fmt.Errorf("no field %q in %v", name, doc)
		}
	}
	if s, ok := doc.(string); ok {
		return s, nil
	}
	data, err := json.Marshal(doc)
	return string(data), err
}

// starts N fails unless agents were started N times in all.
func starts(ts *testscript.TestScript, _ bool, args []string) {
	data, err := os.ReadFile(ts.MkAbs("starts.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		ts.Check(err)
	}
	if got := strings.Count(string(data), "\n"); strconv.Itoa(got) != args[0] {
		ts.Fatalf("%d starts; want %s:\n%s", got, args[0], data)
	}
}

// run CODE COMMAND... runs a command and compares its exit code.
func run(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s exited with %d; want %s", strings.Join(args[1:], " "), code, args[0])
	}
}
