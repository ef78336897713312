package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

func digest(of ...any) string { return record.Digest([]byte(fmt.Sprint(of...)))[:40] }

// claim is the first event of a task, with the policy of a real loop.yaml.
func claim(t testing.TB, id string) round.Claimed {
	t.Helper()
	cfg, faults := config.Parse("/repo/loop.yaml", []byte(`{"verification": {"profiles": {"unit": [{"run": ["go", "test"]}]}}, "generator": {"command": ["agent"]}}`))
	if _, warnings := task.Split(faults); len(faults) > len(warnings) {
		t.Fatal(faults)
	}
	one := task.Task{ID: id, Title: "A <title> & more", Goal: "make it so", Verify: []string{"unit"}}
	policy := cfg.Policy(one)
	data, err := json.Marshal(policy)
	if err != nil {
		t.Fatal(err)
	}
	return round.Claimed{
		Task: one, Policy: policy, PolicySHA: record.Digest(data), Base: digest("base"), At: noon,
		TaskFile: round.File{Path: "tasks/processing/" + id + ".json", SHA256: strings.Repeat("d", 64), Bytes: 70},
	}
}

func openStore(t testing.TB, path string, seam ...fsx.Seam) *record.Store {
	t.Helper()
	s, err := record.Open(path, seam...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openTask(t testing.TB, s *record.Store, id string) *record.Journal {
	t.Helper()
	j, err := s.Task(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// begin claims a task and renders it.
func begin(t testing.TB, s *record.Store, id string) *record.Journal {
	t.Helper()
	j, err := s.Begin(id, noon, claim(t, id))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	must(t, s.Render(j), s.Tell(j))
	return j
}

// runTask takes a task from its claim to its end.
func runTask(t testing.TB, s *record.Store, id string, tries ...string) *record.Journal {
	t.Helper()
	j := begin(t, s, id)
	must(t, (&player{store: s, journal: j, tries: tries, now: noon}).play())
	return j
}

// place is a fresh .loop in memory.
func place(t testing.TB) string {
	t.Helper()
	return filepath.Join(fsxtest.TempDir(t), ".loop")
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	must(t, err)
	return data
}

func writeFile(t testing.TB, data string, path ...string) {
	t.Helper()
	must(t, fsx.Scratch("").WriteFile(filepath.Join(path...), []byte(data)))
}

// A stamp is all that can be seen of a file without opening it, and what it holds.
type stamp struct {
	Mode fs.FileMode
	Time time.Time
	Data string
}

// stamps is every file and directory under root.
func stamps(t testing.TB, root string) map[string]stamp {
	t.Helper()
	all := map[string]stamp{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st := stamp{Mode: info.Mode(), Time: info.ModTime()}
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			st.Data = string(data)
		}
		name, err := filepath.Rel(root, path)
		all[filepath.ToSlash(name)] = st
		return err
	}))
	return all
}

// contents is what the files under root hold, but for the notes of open tasks.
func contents(t testing.TB, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, st := range stamps(t, root) {
		if st.Mode.IsRegular() && !strings.HasPrefix(filepath.Base(name), ".open-") {
			all[name] = st.Data
		}
	}
	return all
}

// lines are the lines of a file, each with its newline.
func lines(data []byte) [][]byte {
	all := bytes.SplitAfter(data, []byte("\n"))
	return all[:len(all)-1]
}
