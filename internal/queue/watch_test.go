package queue_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"

	"looprun.dev/looprun/internal/queue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func watch(t *testing.T, q *queue.Queue, how queue.Watching) <-chan struct{} {
	t.Helper()
	hints, err := q.Watch(t.Context(), how)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the test's context has ended by now
		for range hints {
		}
	})
	return hints
}

func wantHint(t *testing.T, hints <-chan struct{}, why string) {
	t.Helper()
	select {
	case <-hints:
	case <-time.After(10 * time.Second):
		t.Fatalf("no hint: %s", why)
	}
}

// wantQuiet lets time pass in a bubble.
func wantQuiet(t *testing.T, hints <-chan struct{}, d time.Duration) {
	t.Helper()
	select {
	case <-hints:
		t.Fatal("a hint without a reason")
	case <-time.After(d):
	}
}

func TestADroppedFileIsHintedAt(t *testing.T) {
	p := newPlace(t)
	hints := watch(t, p.open(), queue.Watching{})
	wantHint(t, hints, "the start")
	p.put("inbox/t1.json", body("t1"))
	wantHint(t, hints, "a new file")
	p.must(p.Rename("inbox/t1.json", "done/t1.json"), p.Rename("done/t1.json", "inbox/t2.json"))
	wantHint(t, hints, "a file moved in")
}

func TestHintsStopWithTheContext(t *testing.T) {
	for _, mode := range []string{queue.WatchAuto, queue.WatchPoll} {
		ctx, cancel := context.WithCancel(t.Context())
		hints, err := newPlace(t).open().Watch(ctx, queue.Watching{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		for range hints {
		}
	}
}

func source() *queue.FakeSource {
	return &queue.FakeSource{Add: func(string) error { return nil }, Events: make(chan fsnotify.Event), Errors: make(chan error)}
}

func TestWithoutEventsInboxIsLookedAtAndSaysSo(t *testing.T) {
	tests := map[string]struct {
		open, add error
		note      string
	}{
		"the limit of watches":  {nil, syscall.ENOSPC, "fs.inotify.max_user_watches"},
		"the limit of watchers": {syscall.EMFILE, nil, "fs.inotify.max_user_instances"},
		"no such thing":         {errors.ErrUnsupported, nil, "unsupported"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			q := p.open()
			synctest.Test(t, func(t *testing.T) {
				s := source()
				s.Add = func(string) error { return test.add }
				var notes []string
				how := queue.Watching{Note: func(n string) { notes = append(notes, n) }}.From(func() (*queue.FakeSource, error) { return s, test.open })
				hints := watch(t, q, how)
				wantHint(t, hints, "the start")
				wantQuiet(t, hints, 5*time.Second)
				p.put("inbox/t1.json", body("t1"))
				wantHint(t, hints, "a new file")
				wantQuiet(t, hints, 5*time.Second)
				if len(notes) != 1 || !strings.Contains(notes[0], test.note) || strings.Contains(notes[0], "no space") {
					t.Errorf("notes = %q; want one with %q", notes, test.note)
				}
				if test.open == nil && !s.Closed {
					t.Error("the source is still open")
				}
				how.Mode = queue.WatchEvents
				if _, err := q.Watch(t.Context(), how); err == nil {
					t.Error("Watch with events alone = nil; want an error")
				}
			})
		})
	}
}

func TestAHintComesAtLeastSoOften(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	synctest.Test(t, func(t *testing.T) {
		hints := watch(t, q, queue.Watching{Every: 30 * time.Second}.From(func() (*queue.FakeSource, error) { return source(), nil }))
		wantHint(t, hints, "the start")
		for range 3 {
			wantQuiet(t, hints, 29*time.Second)
			time.Sleep(time.Second)
			wantHint(t, hints, "the time")
		}
	})
}

func TestALostEventIsAHint(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	synctest.Test(t, func(t *testing.T) {
		s := source()
		hints := watch(t, q, queue.Watching{}.From(func() (*queue.FakeSource, error) { return s, nil }))
		wantHint(t, hints, "the start")
		s.Errors <- fsnotify.ErrEventOverflow
		wantHint(t, hints, "an overflow")
		for range 200 {
			s.Events <- fsnotify.Event{Name: p.Path("inbox/x.json"), Op: fsnotify.Create}
		}
		wantHint(t, hints, "many events")
		synctest.Wait()
		select {
		case <-hints: // the last of the events may have come after the hint before
		default:
		}
		wantQuiet(t, hints, 5*time.Second)
	})
}

func TestAReplacedInboxIsListenedToAnew(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	for _, told := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var sources []*queue.FakeSource
			hints := watch(t, q, queue.Watching{}.From(func() (*queue.FakeSource, error) {
				sources = append(sources, source())
				return sources[len(sources)-1], nil
			}))
			wantHint(t, hints, "the start")
			p.must(p.RemoveAll("old"), p.Rename("inbox", "old"))
			if told {
				sources[0].Events <- fsnotify.Event{Name: p.Path("inbox"), Op: fsnotify.Rename}
				wantHint(t, hints, "inbox went away")
			}
			wantQuiet(t, hints, 3*time.Second)
			p.must(p.MkdirAll("inbox"))
			wantHint(t, hints, "inbox is back")
			synctest.Wait()
			if len(sources) != 2 || !sources[0].Closed {
				t.Fatalf("%d sources; want a second, and the first closed", len(sources))
			}
			sources[1].Events <- fsnotify.Event{Name: p.Path("inbox/t1.json"), Op: fsnotify.Create}
			wantHint(t, hints, "an event of the new inbox")
		})
	}
}

// The same with the system's own events: the task that comes into the new inbox
// is found there.
func TestATaskInAReplacedInboxIsFound(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	hints := watch(t, q, queue.Watching{})
	wantHint(t, hints, "the start")
	p.must(p.Rename("inbox", "old"), p.MkdirAll("inbox"))
	wantHint(t, hints, "inbox went away, or is another one")
	p.put("inbox/t1.json", body("t1"))
	for l := scan(t, q, noon); len(l.Ready) == 0; l = scan(t, q, noon) {
		wantHint(t, hints, "a new file in the new inbox")
	}
}
