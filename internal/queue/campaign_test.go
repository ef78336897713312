package queue_test

import (
	"fmt"
	"iter"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

// fillScene has a file for every way through the queue.
func fillScene(p place) {
	p.put("inbox/good.json", body("good"))
	p.put("inbox/bad.json", "{}")
	p.put("inbox/dup.json", body("dup", `"title": "the second"`))
	p.put("done/dup.json", body("dup"))
	p.put("inbox/mended.json", body("mended"))
	p.put("blocked/mended.json", `{"id": "mended"}`)
	p.put("blocked/mended.reason.json", `{"file": "mended.json"}`)
	p.put("inbox/odd.json", body("odd"))
	p.put("processing/old.json", body("old"))
	p.put("done/old.json", `{"id": "put here by hand"}`)
}

// ends is where the tasks of the scene end.
var ends = map[string]task.Stage{"good": task.Done, "mended": task.BlockedStage, "odd": task.NeedsInputStage, "old": task.BlockedStage}

var sceneAfter = map[string]string{
	"done/good.json":            body("good"),
	"blocked/bad.json":          "{}",
	"blocked/dup.dup-1.json":    body("dup", `"title": "the second"`),
	"done/dup.json":             body("dup"),
	"blocked/mended.json":       body("mended"),
	"blocked/mended.dup-1.json": `{"id": "mended"}`,
	"needs-input/odd.json":      body("odd"),
	"blocked/old.json":          body("old"),
	"blocked/old.dup-1.json":    `{"id": "put here by hand"}`,
}

// work does what a pass does with the queue. The journal's word is body: where
// a task is, Finish has to find out.
func work(q *queue.Queue, recover bool) error {
	if recover {
		r, err := q.Recover()
		if err != nil {
			return err
		}
		for _, id := range r.Processing {
			if _, err := q.Finish(id, ends[id], []byte(body(id))); err != nil {
				return err
			}
		}
	}
	if _, err := q.Finish("old", ends["old"], []byte(body("old"))); err != nil {
		return err
	}
	l, err := q.Scan(nil, nil, noon)
	if err != nil {
		return err
	}
	for _, b := range l.Bad {
		if _, err := q.Quarantine(b.Name, b.Faults); err != nil {
			return err
		}
	}
	for _, item := range l.Ready {
		c, err := q.Claim(item.Name)
		if _, rejected := err.(*queue.Rejected); rejected {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := q.Finish(c.ID, ends[c.ID], c.Data); err != nil {
			return err
		}
	}
	return nil
}

func attempt(p place, seam *fsxtest.Recorder, recover bool) (crashed bool, err error) {
	crashed = fsxtest.Run(func() {
		var q *queue.Queue
		if q, err = queue.Open(string(p.Scratch), seam); err == nil {
			defer q.Close()
			err = work(q, recover)
		}
	})
	return crashed, err
}

func TestACrashAnywhereLosesNothingAndDoublesNothing(t *testing.T) {
	calm := &fsxtest.Recorder{}
	p := newPlace(t)
	fillScene(p)
	if _, err := attempt(p, calm, false); err != nil {
		t.Fatal(err)
	}
	p.wantContents(sceneAfter)
	total := calm.Count()
	for n := 1; n <= total; n++ {
		p := newPlace(t)
		fillScene(p)
		if crashed, err := attempt(p, fsxtest.CrashAt(n), false); !crashed {
			t.Fatalf("no crash at change %d of %d: %v", n, total, err)
		}
		p.recoverAndCheck(fmt.Sprintf("crash at change %d", n))
	}
	fsxtest.Figure(t, total, "kill points")
}

// Recovery can itself be killed: every crash, and then a crash at every change
// of the recovery after it.
func TestACrashInTheRecoveryLosesNothing(t *testing.T) {
	pairs := 0
	for n := 1; ; n += 3 {
		for m := 1; ; m += 2 {
			p := newPlace(t)
			fillScene(p)
			if crashed, _ := attempt(p, fsxtest.CrashAt(n), false); !crashed {
				fsxtest.Figure(t, pairs, "double kills")
				return
			}
			if crashed, _ := attempt(p, fsxtest.CrashAt(m), true); !crashed {
				break
			}
			p.recoverAndCheck(fmt.Sprintf("crash at change %d, then at %d", n, m))
			pairs++
		}
	}
}

func TestAnErrorAnywhereLosesNothing(t *testing.T) {
	errs := 0
	for errno, how := range faultsOfDisks() {
		for n := 1; ; n++ {
			p := newPlace(t)
			fillScene(p)
			r := how(n)
			_, err := attempt(p, r, false)
			if r.Count() < n {
				break
			}
			if err != nil && !strings.Contains(err.Error(), errno) {
				t.Errorf("%s at change %d: error %v", errno, n, err)
			}
			p.recoverAndCheck(fmt.Sprintf("%s at change %d (%v)", errno, n, err))
			errs++
		}
	}
	fsxtest.Figure(t, errs, "errors")
}

func (p place) recoverAndCheck(what string) {
	p.t.Helper()
	if _, err := attempt(p, &fsxtest.Recorder{}, true); err != nil {
		p.t.Errorf("%s: recovery: %v", what, err)
	}
	if diff := cmp.Diff(sceneAfter, p.contents()); diff != "" {
		p.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	p.wantReasonsWithFiles()
	again := &fsxtest.Recorder{}
	if _, err := attempt(p, again, true); err != nil || again.Count(fsx.OpSyncDir) != again.Count() {
		p.t.Errorf("%s: a second recovery changes something: %v", what, err)
	}
}

// faultsOfDisks is every error, by its text, once and for ever.
func faultsOfDisks() iter.Seq2[string, func(n int) *fsxtest.Recorder] {
	return func(yield func(string, func(n int) *fsxtest.Recorder) bool) {
		for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC} {
			once := func(n int) *fsxtest.Recorder { return fsxtest.FailAt(n, errno) }
			ever := func(n int) *fsxtest.Recorder { return fsxtest.FailFrom(n, errno) }
			if !yield(errno.Error(), once) || !yield(errno.Error(), ever) {
				return
			}
		}
	}
}
