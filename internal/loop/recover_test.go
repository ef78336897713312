package loop_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/task"
)

// answering is a field whose generator answers well at once.
func answering(t *testing.T, tasks ...string) field {
	t.Helper()
	return layOut(t, "answering", scenario{mode: config.Isolated, tasks: tasks, agent: "echo good >answer"})
}

// pass makes one pass that no error ends.
func (f field) pass(limits loop.Limits) loop.Pass {
	f.t.Helper()
	p, err := pass(f.dir, limits, playing{})
	f.must(err)
	return p
}

func (f field) path(name string) string { return filepath.Join(f.dir, "repo", name) }

func (f field) wantIn(stage, id string) {
	f.t.Helper()
	if got := strings.Join(f.where()[id], " and "); got != stage {
		f.t.Errorf("%s is in %q; want %q", id, got, stage)
	}
}

func TestAFileInProcessingWithoutARecordIsTakenUp(t *testing.T) {
	f := answering(t, "t1")
	s := fsx.Scratch(f.dir)
	f.must(s.MkdirAll("repo/tasks/processing"), s.Rename("repo/tasks/inbox/t1.json", "repo/tasks/processing/t1.json"))
	if p := f.pass(loop.Limits{}); len(p.Ended) != 1 || p.Ended[0].Decision != task.Completed {
		t.Errorf("the pass ended %+v; want t1 completed", p.Ended)
	}
	f.wantIn("done", "t1")
	if f.starts() != 1 {
		t.Errorf("%d starts; want 1", f.starts())
	}
}

// A person's hand may put the file of a task under way anywhere, or take it
// away. The record decides where it belongs.
func TestAMovedFileOfATaskUnderWayComesBack(t *testing.T) {
	for name, move := range map[string]func(f field) error{
		"to inbox": func(f field) error {
			return os.Rename(f.path("tasks/processing/t1.json"), f.path("tasks/inbox/t1.json"))
		},
		"to done": func(f field) error {
			return os.Rename(f.path("tasks/processing/t1.json"), f.path("tasks/done/t1.json"))
		},
		"away": func(f field) error { return os.Remove(f.path("tasks/processing/t1.json")) },
	} {
		t.Run(name, func(t *testing.T) {
			f := lay(t, "paused")
			f.pass(loop.Limits{PauseAfterRound: 1})
			f.must(move(f))
			f.pass(loop.Limits{})
			f.wantIn("done", "t1")
			if f.starts() != 2 {
				t.Errorf("%d starts; want one a round", f.starts())
			}
		})
	}
}

// A task whose journal can't be trusted is blocked, which is told once. Nothing
// is written to the journal, and nothing is started.
func TestATaskWithADamagedRecordIsSetAsideOnce(t *testing.T) {
	f := lay(t, "paused")
	f.pass(loop.Limits{PauseAfterRound: 1})
	journal := f.path(".loop/tasks/t1/journal.jsonl")
	data, err := os.ReadFile(journal)
	f.must(err)
	damaged := strings.Replace(string(data), `"kind":"start"`, `"kind":"stare"`, 1)
	f.must(os.WriteFile(journal, []byte(damaged), 0o600))
	f.add("", "t2")
	p := f.pass(loop.Limits{})
	if len(p.Ended) != 2 || p.Ended[0].Reason != task.RecordDamaged || p.Ended[1].TaskID != "t2" {
		t.Errorf("the pass ended %+v; want t1 blocked as damaged, then t2", p.Ended)
	}
	f.wantIn("blocked", "t1")
	if p := f.pass(loop.Limits{}); len(p.Ended) != 0 {
		t.Errorf("the next pass ended %+v; want nothing told again", p.Ended)
	}
	if after, err := os.ReadFile(journal); err != nil || string(after) != damaged {
		t.Errorf("the damaged journal was written to: %v", err)
	}
	if got := f.starts(); got != 1+2 {
		t.Errorf("%d starts; want 1 of t1 and 2 of t2", got)
	}
}

// A result that is gone is rendered again, without a start.
func TestALostResultIsRenderedAgain(t *testing.T) {
	f := answering(t, "t1")
	f.pass(loop.Limits{})
	result := f.path(".loop/results/t1.json")
	before, err := os.ReadFile(result)
	f.must(err, os.Remove(result))
	f.pass(loop.Limits{})
	if after, err := os.ReadFile(result); err != nil || string(after) != string(before) {
		t.Errorf("the result is %q, %v; want what it was", after, err)
	}
	f.wantIn("done", "t1")
	if p := f.pass(loop.Limits{}); f.starts() != 1 || len(p.Ended) != 0 {
		t.Errorf("%d starts, ended %+v; want 1 start, and nothing told a third time", f.starts(), p.Ended)
	}
}
