package queue_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

func TestClaimMovesTheFileAndReadsItThere(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/t1.json", body("t1"))
	r := &fsxtest.Recorder{}
	q := p.open(r)
	r.Reset()
	c := claim(t, q, "t1")
	if c.ID != "t1" || string(c.Data) != body("t1") || len(c.SHA256) != 64 {
		t.Errorf("Claim = %+v; want t1 with its bytes and their hash", c)
	}
	p.wantFiles("processing/t1.json")
	if _, err := q.Finish("t1", task.Done, c.Data); err != nil {
		t.Fatal(err)
	}
	p.wantFiles("done/t1.json")
	if got := r.Syncs(); got != 4 {
		t.Errorf("claim and finish take %d fsyncs; want 4", got)
	}
}

// Rows 36 and 37.
func TestADuplicateIDIsQuarantinedUnderAnotherName(t *testing.T) {
	for _, stage := range task.Stages[1:] {
		t.Run(string(stage), func(t *testing.T) {
			p := newPlace(t)
			q := p.open()
			p.put(string(stage)+"/t1.json", body("t1"))
			for n := 1; n <= 2; n++ {
				p.put("inbox/t1.json", body("t1", `"title": "again"`))
				wantScan(t, q, noon, "ready t1")
				var rejected *queue.Rejected
				if _, err := q.Claim("t1.json"); !errors.As(err, &rejected) {
					t.Fatalf("Claim = %v; want a Rejected", err)
				}
				if got, want := rejected.As, []string{"t1.dup-1.json", "t1.dup-2.json"}[n-1]; got != want {
					t.Errorf("quarantined as %s; want %s", got, want)
				}
				r, err := q.Reason(rejected.As)
				if err != nil || r.File != "t1.json" || r.Faults[0].Code != queue.CodeDuplicate || r.Hint == "" || !r.At.Equal(noon) {
					t.Errorf("Reason = %+v, %v; want that of a duplicate", r, err)
				}
			}
			if got := p.data(string(stage) + "/t1.json"); got != body("t1") {
				t.Errorf("the first task is now %q", got)
			}
		})
	}
}

func TestACorrectedFileTakesTheNameOfTheOneInQuarantine(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	p.put("inbox/t1.json", "{}")
	l := scan(t, q, noon)
	if as, err := q.Quarantine("t1.json", l.Bad[0].Faults); as != "t1.json" || err != nil {
		t.Fatalf("Quarantine = %q, %v; want t1.json", as, err)
	}
	p.put("inbox/t1.json", body("t1"))
	wantScan(t, q, noon, "ready t1")
	c := claim(t, q, "t1")
	p.wantFiles("blocked/t1.dup-1.json processing/t1.json")
	if r, err := q.Reason("t1.dup-1.json"); err != nil || r.File != "t1.json" {
		t.Errorf("Reason = %+v, %v; want that of t1.json", r, err)
	}
	if _, err := q.Finish("t1", task.BlockedStage, c.Data); err != nil {
		t.Fatal(err)
	}
	p.wantFiles("blocked/t1.dup-1.json blocked/t1.json")
	if _, err := q.Reason("t1.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Reason of a task that was blocked = %v; want fs.ErrNotExist", err)
	}
}

func TestAFileTakenOutOfQuarantineIsATaskLikeAnyOther(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	p.put("inbox/t1.json", "{}")
	if _, err := q.Quarantine("t1.json", scan(t, q, noon).Bad[0].Faults); err != nil {
		t.Fatal(err)
	}
	p.must(p.Remove("blocked/t1.json"))
	p.put("inbox/t1.json", body("t1"))
	wantScan(t, q, noon, "ready t1")
	c := claim(t, q, "t1")
	if _, err := q.Finish("t1", task.BlockedStage, c.Data); err != nil {
		t.Fatal(err)
	}
	cards, err := q.List(task.BlockedStage)
	if err != nil || len(cards) != 1 || cards[0].Quarantined {
		t.Errorf("List = %+v, %v; want one task, not in quarantine", cards, err)
	}
}

func TestQuarantineLeavesTheNamesOfTasksFree(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	p.put("processing/t1.json", body("t1"))
	p.put("inbox/t1.json", "{}")
	if as, err := q.Quarantine("t1.json", scan(t, q, noon).Bad[0].Faults); as != "t1.dup-1.json" || err != nil {
		t.Errorf("Quarantine = %q, %v; want t1.dup-1.json", as, err)
	}
	p.wantFiles("blocked/t1.dup-1.json processing/t1.json")
}

func TestQuarantineKeepsTheBytes(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	const odd = "\xef\xbb\xbf{\"id\": \x00\xff\r\n"
	p.put("inbox/Ünicode name.json", odd)
	l := scan(t, q, noon)
	as, err := q.Quarantine(l.Bad[0].Name, l.Bad[0].Faults)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.data("blocked/" + as); got != odd {
		t.Errorf("quarantined file = %q; want it unchanged", got)
	}
	r, err := q.Reason(as)
	if err != nil || len(r.Faults) != len(l.Bad[0].Faults) || r.Faults[0].Line == 0 {
		t.Errorf("Reason = %+v, %v; want every fault with its place", r, err)
	}
}

// Row 47: the directory or the file lets nothing be moved.
func TestAStuckFileIsLeftAloneForLongerAndLonger(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/t1.json", body("t1"))
	p.put("inbox/t2.json", body("t2"))
	stubborn := true
	q := p.open(&fsxtest.Recorder{Break: func(_ int, op fsx.Op) error {
		if stubborn && strings.HasSuffix(op.Path, "inbox/t1.json") {
			return syscall.EPERM
		}
		return nil
	}})
	now := noon
	wantScan(t, q, now, "ready t1; ready t2")
	var waits []time.Duration
	for i := range 8 {
		var stuck *queue.Stuck
		if _, err := q.Claim("t1.json"); !errors.As(err, &stuck) || stuck.Again != (i > 0) {
			t.Fatalf("Claim %d = %v; want a Stuck", i+1, err)
		}
		l := scan(t, q, now)
		if got, want := show(l), "ready t2; stuck t1.json"; got != want {
			t.Fatalf("Scan = %s; want %s", got, want)
		}
		waits = append(waits, l.Waiting[0].Until.Sub(now)/time.Second)
		now = l.Waiting[0].Until
		wantScan(t, q, now, "ready t1; ready t2")
	}
	if want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}; !slices.Equal(waits, want) {
		t.Errorf("waits = %d seconds; want %d", waits, want)
	}
	p.wantFiles("inbox/t1.json inbox/t2.json")
	stubborn = false
	claim(t, q, "t1")
}

// A file of another user cannot be linked on a hardened kernel.
func TestWhereLinksAreRefusedTheClaimIsDegraded(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/t1.json", body("t1"))
	q := p.open(&fsxtest.Recorder{Break: func(_ int, op fsx.Op) error {
		if op.Kind == fsx.OpLink {
			return syscall.EPERM
		}
		return nil
	}})
	if q.Degraded() {
		t.Error("degraded before any move")
	}
	claim(t, q, "t1")
	p.wantFiles("processing/t1.json")
	if !q.Degraded() {
		t.Error("Degraded = false after a move by rename")
	}
}

func TestAFullDiskChangesNoStage(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		p := newPlace(t)
		p.put("inbox/t1.json", body("t1"))
		p.put("inbox/t2.json", "{}")
		p.put("processing/t3.json", body("t3"))
		full := &fsxtest.Recorder{}
		q := p.open(full)
		l := scan(t, q, noon)
		full.Break = func(int, fsx.Op) error { return errno }
		_, claiming := q.Claim("t1.json")
		_, quarantining := q.Quarantine("t2.json", l.Bad[0].Faults)
		_, finishing := q.Finish("t3", task.Done, []byte(body("t3")))
		adding := q.Add([]byte(body("t4")), "t4")
		for what, err := range map[string]error{"Claim": claiming, "Quarantine": quarantining, "Finish": finishing, "Add": adding} {
			if !errors.Is(err, errno) {
				t.Errorf("%s = %v; want %v", what, err, errno)
			}
		}
		p.wantFiles("inbox/t1.json inbox/t2.json processing/t3.json")
	}
}

func TestNamesThatAreNoTasksAreNotClaimed(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	for _, name := range []string{"", "../t1.json", "t1", ".t1.json", "T1.json", "t1.reason.json", "a/b.json"} {
		if _, err := q.Claim(name); err == nil || errors.Is(err, queue.ErrGone) {
			t.Errorf("Claim(%q) = %v; want it refused", name, err)
		}
	}
	for _, id := range []string{"", "../x", "X", "a.lock"} {
		_, adopting := q.Adopt(id)
		_, finishing := q.Finish(id, task.Done, nil)
		_, restoring := q.Restore(id, nil)
		if adopting == nil || finishing == nil || restoring == nil || q.Add(nil, id) == nil {
			t.Errorf("the id %q was taken", id)
		}
	}
	p.wantFiles("")
}

func FuzzReason(f *testing.F) {
	f.Add([]byte(`{"file": "t1.json", "faults": [{"code": "empty", "msg": "the file is empty"}], "hint": "", "at": "2030-01-02T12:00:00Z"}`))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newPlace(t)
		p.put("blocked/t1.reason.json", string(data))
		q := p.open()
		first, err := q.Reason("t1.json")
		if err != nil {
			return
		}
		text, err := json.Marshal(first)
		p.must(err)
		p.put("blocked/t1.reason.json", string(text))
		second, err := q.Reason("t1.json")
		if err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("Reason = %+v, %v; want %+v as it was written", second, err, first)
		}
	})
}
