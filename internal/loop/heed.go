package loop

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// glance is the time between two looks at what no event tells of.
const glance = time.Second

// A sight is what of a file shows that it changed; the zero value is no file.
type sight struct {
	size  int64
	mtime time.Time
}

func see(path string) sight {
	info, err := os.Stat(path)
	if err != nil {
		return sight{}
	}
	return sight{info.Size(), info.ModTime()}
}

// heed looks at the pause flag, at requests, at loop.yaml and at the wall clock,
// which goes on while a machine sleeps and timers do not.
func (w *watch) heed(ctx context.Context) {
	pause, requests := filepath.Join(w.store.Path(), "pause"), filepath.Join(w.store.Path(), "requests")
	flag, asked := see(pause), see(requests)
	file := settling{now: see(w.File)}
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if w.Alive != nil {
			w.Alive()
		}
		before, inbox := flag, asked
		flag, asked = see(pause), see(requests)
		if w.Load != nil && file.changed(see(w.File)) {
			w.stale.Store(true)
		}
		resumed := w.paused.Load() && flag == (sight{}) // set and gone between two glances
		if flag != before || asked != inbox || resumed || w.stale.Load() || w.overdue() {
			w.wake()
		}
	}
}

// overdue reports that the time to wake has come, whatever became of its timer,
// or that a task may go on while others are under way.
func (w *watch) overdue() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.opts.Now()
	if !w.next.IsZero() && !now.Before(w.next) {
		return true
	}
	for _, at := range w.left {
		if w.pass != nil && !at.IsZero() && !now.Before(at) {
			return true
		}
	}
	return false
}

// A settling file counts as changed when it has another look than before for
// two glances: somebody may still be writing it.
type settling struct {
	now    sight
	moving bool
}

func (s *settling) changed(look sight) bool {
	same := look == s.now
	s.now = look
	switch {
	case !same:
		s.moving = true
	case s.moving:
		s.moving = false
		return true
	}
	return false
}

// once passes a warning on only if the pass before did not give it too: a watch
// would say the same for as long as its cause stands.
type once struct {
	Observer
	mu           sync.Mutex
	before, said map[string]bool
}

func newOnce(o Observer) *once { return &once{Observer: o, said: map[string]bool{}} }

// Warn implements Observer.
func (o *once) Warn(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.before[text] && !o.said[text] {
		o.Observer.Warn(text)
	}
	o.said[text] = true
}

// turn begins a pass.
func (o *once) turn() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.before, o.said = o.said, map[string]bool{}
}
