package loop

import (
	"path/filepath"
	"sync"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// A task that comes just after one worker found nothing to do must not be taken
// by another: that one would be alone for as long as the task takes, and with
// it every task that comes meanwhile. The next pass has all of them.
func TestAPassThatFoundNothingIsOverForAllWorkers(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	l := &Loop{opts: Options{}.withDefaults()}
	var err error
	l.store, err = record.Open(filepath.Join(dir, LoopDir))
	must(err)
	must(fsx.Scratch(dir).MkdirAll("tasks/inbox"))
	l.queue, err = queue.Open(filepath.Join(dir, TasksDir))
	must(err)
	l.lock, err = record.Acquire(ctx, l.store.Loop(), l.owner(), l.opts.Patience)
	must(err)
	defer func() { must(l.Close()) }()
	p := &pass{Loop: l, stop: ctx}
	p.changed = sync.NewCond(&p.mu)

	j, err := p.next(ctx, nil)
	must(err)
	must(fsx.Scratch(dir).WriteFile("tasks/inbox/late.json", []byte(`{"id": "late", "goal": "g"}`)))
	late, err := p.next(ctx, nil)
	must(err)
	if j != nil || late != nil {
		t.Errorf("next = %v, then %v; want nothing, and nothing for the other worker", j, late)
	}
	if cards, err := l.queue.List(task.Inbox); len(cards) != 1 || err != nil {
		t.Errorf("inbox holds %v, %v; want the task that came late", cards, err)
	}
}
