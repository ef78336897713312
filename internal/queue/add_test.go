package queue_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

func TestAddPublishesAWholeFile(t *testing.T) {
	p := newPlace(t)
	r := &fsxtest.Recorder{}
	q := p.open(r)
	if err := q.Add([]byte(body("t1")), "t1"); err != nil {
		t.Fatal(err)
	}
	if got := p.data("inbox/t1.json"); got != body("t1") {
		t.Errorf("file = %q; want the task", got)
	}
	if got := r.Syncs(); got != 2 {
		t.Errorf("Add takes %d fsyncs; want 2", got)
	}
	wantScan(t, q, noon, "ready t1")
}

func TestAddSaysWhereATaskOfTheIDIs(t *testing.T) {
	for _, stage := range task.Stages {
		p := newPlace(t)
		p.put(string(stage)+"/t1.json", body("t1"))
		err := p.open().Add([]byte(body("t1")), "t1")
		if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), string(stage)) {
			t.Errorf("Add of an id in %s = %v; want fs.ErrExist and the stage", stage, err)
		}
		p.wantFiles(string(stage) + "/t1.json")
	}
}

func TestAddSurvivesTheSweepOfAnInstanceThatStarts(t *testing.T) {
	p := newPlace(t)
	sweeps := 0
	q := p.open(&fsxtest.Recorder{Break: func(_ int, op fsx.Op) error {
		if op.Kind == fsx.OpRename && sweeps < 2 {
			sweeps++
			return os.Remove(op.Path)
		}
		return nil
	}})
	if err := q.Add([]byte(body("t1")), "t1"); err != nil || sweeps != 2 {
		t.Errorf("Add = %v after %d sweeps; want success after 2", err, sweeps)
	}
	p.wantFiles("inbox/t1.json")
}

func TestListTellsTasksFromQuarantine(t *testing.T) {
	p := newPlace(t)
	p.put("blocked/t1.json", body("t1"))
	p.put("blocked/t2.json", "{}")
	p.put("blocked/t2.reason.json", "{}")
	p.put("blocked/.t3.json", "")
	cards, err := p.open().List(task.BlockedStage)
	if err != nil || len(cards) != 2 || cards[0] != (queue.Card{Name: "t1.json"}) || cards[1] != (queue.Card{Name: "t2.json", Quarantined: true}) {
		t.Errorf("List = %+v, %v; want t1, and t2 in quarantine", cards, err)
	}
}

func TestPeekChangesNothing(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/t1.json", body("t1"))
	p.put("inbox/.tmp-0123456789abcdef", "")
	p.put("inbox/t2.json", "{}")
	p.must(p.RemoveAll("done"))
	before, err := os.ReadDir(string(p.Scratch))
	p.must(err)
	q, err := queue.Peek(string(p.Scratch))
	p.must(err)
	defer q.Close()
	wantScan(t, q, noon, "ready t1; missing_key t2.json")
	cards, err := q.List(task.Inbox)
	if err != nil || len(cards) != 2 {
		t.Errorf("List = %v, %v; want two", cards, err)
	}
	if cards, err := q.List(task.Done); err != nil || len(cards) != 0 {
		t.Errorf("List of a stage that is not there = %v, %v; want nothing", cards, err)
	}
	_, claiming := q.Claim("t1.json")
	_, recovering := q.Recover()
	if adding := q.Add(nil, "x"); !errors.Is(claiming, queue.ErrReadOnly) || !errors.Is(recovering, queue.ErrReadOnly) || !errors.Is(adding, queue.ErrReadOnly) {
		t.Errorf("Claim, Recover, Add = %v, %v, %v; want ErrReadOnly", claiming, recovering, adding)
	}
	after, err := os.ReadDir(string(p.Scratch))
	if p.must(err); len(before) != len(after) {
		t.Errorf("stages = %v; want %v", after, before)
	}
	p.wantFiles("inbox/.tmp-0123456789abcdef inbox/t1.json inbox/t2.json")
}

func TestPeekOfNoTasksDirectoryIsEmpty(t *testing.T) {
	p := newPlace(t)
	p.must(p.RemoveAll(""))
	q, err := queue.Peek(string(p.Scratch))
	p.must(err)
	defer q.Close()
	wantScan(t, q, noon, "")
	if cards, err := q.List(task.Inbox); err != nil || len(cards) != 0 {
		t.Errorf("List = %v, %v; want nothing", cards, err)
	}
	if _, err := q.Reason("t1.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Reason = %v; want fs.ErrNotExist", err)
	}
}
