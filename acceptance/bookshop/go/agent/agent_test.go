package main

import (
	"encoding/json"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const evidence = `{"round": 2, "new_evidence": {"boundary_errors": [{"code": "candidate_empty", "path": ""}], "failed_commands": [{
	"argv": ["go", "test", "./checks/diacritics"], "exit_code": 1,
	"failures": [{"id": "TestDiacritics/plain_letters", "class": "fail", "detail": "Find(shelf, \"garcia\") = []"}]}]}}`

func TestAgent(t *testing.T) {
	for name, test := range map[string]struct {
		task, round, plan string
		status            string
		edits             bool
	}{
		"the first round claims to be done":          {"issue-005", "1", "", "candidate_ready", false},
		"a later round with the failure edits":       {"issue-005", "2", evidence, "candidate_ready", true},
		"a later round without a plan asks":          {"issue-005", "2", "", "needs_input", false},
		"a later round without evidence asks":        {"issue-005", "2", `{"new_evidence": {}}`, "needs_input", false},
		"the publisher's convention is unclear":      {"issue-006", "1", "", "candidate_ready", false},
		"the publisher's convention remains unclear": {"issue-006", "2", evidence, "candidate_ready", false},
		"a task that is not in the script asks":      {"issue-007", "1", "", "needs_input", false},
	} {
		t.Run(name, func(t *testing.T) {
			source := tree(t, "search")
			original := read(t, source)
			if got := play(t, test.task, test.round, test.plan).Status; got != test.status {
				t.Errorf("status = %q; want %q", got, test.status)
			}
			if got := read(t, source) != original; got != test.edits {
				t.Errorf("edited = %v; want %v", got, test.edits)
			}
		})
	}
}

func TestEditIsGoAsGofmtWritesItAndIsMadeOnce(t *testing.T) {
	source := tree(t, "search")
	play(t, "issue-005", "2", evidence)
	once := read(t, source)
	if formatted, err := format.Source([]byte(once)); err != nil || string(formatted) != once {
		t.Errorf("format.Source of the edited file = %s, %v; want it unchanged", formatted, err)
	}
	play(t, "issue-005", "3", evidence)
	if got := read(t, source); got != once {
		t.Errorf("second edit = %s; want none", got)
	}
}

func TestSourceIsFoundFromTheTopAndFromBelow(t *testing.T) {
	source := tree(t, "acceptance/bookshop/go/search")
	for _, dir := range []string{".", "acceptance", "bookshop", "go", "search"} {
		t.Chdir(dir)
		file, err := find("search/search.go", "acceptance/bookshop/go/search/search.go")
		if err != nil || file != source {
			t.Errorf("find from %q = %q, %v; want %q", dir, file, err, source)
		}
	}
}

// tree makes a tree with a copy of the source in dir, goes to its top and
// returns the copy's path.
func tree(t *testing.T, dir string) string {
	t.Helper()
	source := read(t, "../search/search.go")
	if made, ok := strings.CutSuffix(source, after); ok { // someone merged the agent's work
		source = made + before
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(top)
	file := filepath.Join(top, dir, "search.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, file, source)
	return file
}

// play runs the agent as looprun starts it.
func play(t *testing.T, task, round, plan string) report {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("LOOPRUN_TASK_ID", task)
	t.Setenv("LOOPRUN_ROUND", round)
	t.Setenv("LOOPRUN_REPORT", filepath.Join(dir, "report.json"))
	t.Setenv("LOOPRUN_PLAN", "")
	if plan != "" {
		t.Setenv("LOOPRUN_PLAN", filepath.Join(dir, "plan.json"))
		write(t, filepath.Join(dir, "plan.json"), plan)
	}
	if err := run(); err != nil {
		t.Fatalf("run: %v", err)
	}
	var r report
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "report.json"))), &r); err != nil {
		t.Fatalf("read report: %v", err)
	}
	return r
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
