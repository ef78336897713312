package queue_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/queue"
)

// next gives the names that are ready, by a look that may be the one before.
func next(t *testing.T, q *queue.Queue, now time.Time) []string {
	t.Helper()
	l, err := q.Next(nil, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, item := range l.Ready {
		names = append(names, item.Name)
	}
	return names
}

func wantNext(t *testing.T, q *queue.Queue, now time.Time, why string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), next(t, q, now)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", why, diff)
	}
}

func claimNext(t *testing.T, q *queue.Queue, name string) {
	t.Helper()
	if _, err := q.Claim(name); err != nil {
		t.Fatal(err)
	}
}

func TestClaimsGoOnWithOneListing(t *testing.T) {
	p := newPlace(t)
	for _, id := range []string{"t1", "t2", "t3"} {
		p.put("inbox/"+id+".json", body(id))
	}
	q := p.open()
	wantNext(t, q, noon, "the first look", "t1.json", "t2.json", "t3.json")
	claimNext(t, q, "t1.json")
	// Written in place the file is older news: no name came or went.
	p.put("inbox/t3.json", body("t3", `"priority": 9`))
	wantNext(t, q, noon, "after a claim", "t2.json", "t3.json")
	wantNext(t, q, noon.Add(2*time.Second), "after a while", "t3.json", "t2.json")
	claimNext(t, q, "t2.json")
	wantNext(t, q, noon.Add(2*time.Second), "after a claim that was not the first", "t3.json")
	claimNext(t, q, "t3.json")
	wantNext(t, q, noon.Add(2*time.Second), "at the end")
}

func TestAChangeByOthersEndsAListing(t *testing.T) {
	tests := map[string]struct {
		change func(p place)
		want   []string
	}{
		"a task is dropped":     {func(p place) { p.put("inbox/t0.json", body("t0", `"priority": 1`)) }, []string{"t0.json", "t2.json", "t3.json"}},
		"one is taken back":     {func(p place) { p.must(p.Remove("inbox/t2.json")) }, []string{"t3.json"}},
		"the inbox is replaced": {func(p place) { p.must(p.Rename("inbox", "old"), p.MkdirAll("inbox")) }, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			for _, id := range []string{"t1", "t2", "t3"} {
				p.put("inbox/"+id+".json", body(id))
			}
			q := p.open()
			wantNext(t, q, noon, "the first look", "t1.json", "t2.json", "t3.json")
			claimNext(t, q, "t1.json")
			tick(p)
			tt.change(p)
			wantNext(t, q, noon, "after the change", tt.want...)
		})
	}
}

func (p place) modTime(name string) time.Time {
	p.t.Helper()
	info, err := os.Stat(p.Path(name))
	p.must(err)
	return info.ModTime()
}

// tick waits until the clock of the file system has moved on, so that the next
// change has another time than the one before.
func tick(p place) {
	p.t.Helper()
	p.put("tick", "")
	was := p.modTime("tick")
	for p.modTime("tick").Equal(was) {
		p.put("tick", "")
	}
}

func TestWhatBecomesReadyEndsAListing(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/t1.json", body("t1"))
	p.put("inbox/t2.json", body("t2"))
	p.put("inbox/later.json", body("later", `"priority": 5`, `"not_before": "`+noon.Add(100*time.Millisecond).Format(time.RFC3339Nano)+`"`))
	q := p.open()
	wantNext(t, q, noon, "before its time", "t1.json", "t2.json")
	wantNext(t, q, noon.Add(200*time.Millisecond), "after it", "later.json", "t1.json", "t2.json")
	p.put("inbox/after.json", body("after", `"after": ["t1"]`, `"priority": 7`))
	q.Forget()
	wantNext(t, q, noon, "with one that comes after another", "t1.json", "t2.json")
	claimNext(t, q, "t1.json")
	p.must(p.Rename("processing/t1.json", "done/t1.json"))
	wantNext(t, q, noon, "when that is done", "after.json", "t2.json")
}
