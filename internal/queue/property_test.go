package queue_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"pgregory.net/rapid"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

// A machine plays a queue against a map of where each task should be. Every
// step may die before any of its changes; the queue is then opened again and
// recovered, and the task is where it was or where it was going.
type machine struct {
	t     *rapid.T
	path  string
	q     *queue.Queue
	seam  *fsxtest.Recorder
	where map[string]task.Stage
}

func (m *machine) open() {
	m.seam = &fsxtest.Recorder{}
	q, err := queue.Open(m.path, m.seam)
	if err != nil {
		m.t.Fatal(err)
	}
	m.q = q
}

// step moves the task id to a stage by do, or dies on the way.
func (m *machine) step(id string, to task.Stage, do func() error) {
	m.seam.Reset()
	m.seam.Break = nil
	if die := rapid.IntRange(0, 12).Draw(m.t, "dies before change"); die > 0 {
		m.seam.Break = fsxtest.CrashAt(die).Break
	}
	var err error
	if fsxtest.Run(func() { err = do() }) {
		m.recover(id, to)
		return
	}
	if err != nil {
		m.t.Fatalf("move %s from %q to %s: %v", id, m.where[id], to, err)
	}
	m.where[id] = to
	m.check()
}

func (m *machine) recover(id string, to task.Stage) {
	m.q.Close()
	m.open()
	if die := rapid.IntRange(0, 6).Draw(m.t, "recovery dies before change"); die > 0 {
		m.seam.Break = fsxtest.CrashAt(die).Break
		fsxtest.Run(func() { m.q.Recover() })
		m.q.Close()
		m.open()
	}
	if _, err := m.q.Recover(); err != nil {
		m.t.Fatal(err)
	}
	if _, err := os.Lstat(m.file(to, id)); err == nil {
		m.where[id] = to
	}
	m.check()
}

func (m *machine) file(stage task.Stage, id string) string {
	return fsx.Scratch(m.path).Path(string(stage) + "/" + id + ".json")
}

// check holds the directories against the map: each task in its stage with
// its bytes, and nothing else anywhere.
func (m *machine) check() {
	for _, stage := range task.Stages {
		entries, err := os.ReadDir(fsx.Scratch(m.path).Path(string(stage)))
		if err != nil {
			m.t.Fatal(err)
		}
		for _, e := range entries {
			if id := e.Name()[:len(e.Name())-len(".json")]; m.where[id] != stage {
				m.t.Fatalf("%s/%s; want it in %q", stage, e.Name(), m.where[id])
			}
		}
	}
	for id, stage := range m.where {
		if stage == "" {
			continue
		}
		if data, err := os.ReadFile(m.file(stage, id)); string(data) != body(id) {
			m.t.Fatalf("%s in %s = %q, %v; want its bytes", id, stage, data, err)
		}
	}
}

func (m *machine) pick(stages ...task.Stage) string {
	var ids []string
	for i := range len(m.where) {
		id := fmt.Sprintf("t%d", i)
		for _, stage := range stages {
			if m.where[id] == stage {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		m.t.Skip("no task to work on")
	}
	return rapid.SampledFrom(ids).Draw(m.t, "id")
}

func (m *machine) add(*rapid.T) {
	id := fmt.Sprintf("t%d", len(m.where))
	m.where[id] = ""
	m.step(id, task.Inbox, func() error { return m.q.Add([]byte(body(id)), id) })
}

func (m *machine) addAgain(*rapid.T) {
	id := m.pick(task.Stages[:]...)
	m.seam.Break = nil
	if err := m.q.Add([]byte(body(id)), id); !errors.Is(err, fs.ErrExist) {
		m.t.Fatalf("Add of %s in %s = %v; want fs.ErrExist", id, m.where[id], err)
	}
	m.check()
}

func (m *machine) claim(*rapid.T) {
	id := m.pick(task.Inbox)
	m.step(id, task.Processing, func() error { _, err := m.q.Claim(id + ".json"); return err })
}

func (m *machine) finish(*rapid.T) {
	id := m.pick(task.Processing)
	to := rapid.SampledFrom(task.Stages[2:]).Draw(m.t, "stage")
	m.step(id, to, func() error { _, err := m.q.Finish(id, to, []byte(body(id))); return err })
}

func (m *machine) lose(*rapid.T) {
	id := m.pick(task.Processing)
	if err := os.Remove(m.file(task.Processing, id)); err != nil {
		m.t.Fatal(err)
	}
	m.where[id] = ""
	m.step(id, task.Done, func() error { _, err := m.q.Finish(id, task.Done, []byte(body(id))); return err })
	if m.where[id] == "" { // died before the file was written anew: the journal goes on
		m.seam.Break = nil
		m.step(id, task.Done, func() error { _, err := m.q.Finish(id, task.Done, []byte(body(id))); return err })
	}
}

func TestEveryTaskIsInExactlyOneStage(t *testing.T) {
	dir := fsx.Scratch(fsxtest.TempDir(t))
	rapid.Check(t, func(t *rapid.T) {
		path, err := dir.MkdirTemp("run-")
		if err != nil {
			t.Fatal(err)
		}
		defer path.RemoveAll("")
		if err := queue.Make(string(path)); err != nil {
			t.Fatal(err)
		}
		m := &machine{t: t, path: string(path), where: map[string]task.Stage{}}
		m.open()
		defer func() { m.q.Close() }()
		t.Repeat(map[string]func(*rapid.T){"add": m.add, "add again": m.addAgain, "claim": m.claim, "finish": m.finish, "lose": m.lose})
	})
}
