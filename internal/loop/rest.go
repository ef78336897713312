package loop

import (
	"context"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// wakeAt is when something is worth doing that nothing will announce; the zero
// time if there is no such thing.
func (w *watch) wakeAt(p Pass) time.Time {
	var at time.Time
	if p.Reason == task.PauseFlag {
		if pause, _, err := record.PauseFlag(w.store.Loop()); err == nil {
			at = pause.Until
		}
		return at
	}
	at = p.Until
	for _, wait := range p.Waiting {
		at = sooner(at, wait.Until)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, until := range w.left {
		at = sooner(at, until)
	}
	return at
}

// sooner is the earlier of two times; the zero time is none.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// pace keeps two passes apart that nothing called for but the clock: it may
// have been set back, or a file may never settle.
const pace = 200 * time.Millisecond

// rest waits for what wakes it, at most until at.
func (w *watch) rest(ctx context.Context, at time.Time) {
	if w.stale.Load() {
		return
	}
	var over <-chan time.Time
	if !at.IsZero() {
		t := time.NewTimer(max(pace, at.Sub(w.opts.Now())))
		defer t.Stop()
		over = t.C
	}
	w.wakes(at)
	defer w.wakes(time.Time{})
	select {
	case <-ctx.Done():
	case <-w.woken:
	case <-over:
	}
}

func (w *watch) wakes(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = at
}

// wake ends a rest, or lets the workers of a pass that have nothing to do look
// again. One that comes in between is kept.
func (w *watch) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
	w.mu.Lock()
	p := w.pass
	w.mu.Unlock()
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changed.Broadcast()
	}
}

// warm makes the trees ready for whatever comes next. What keeps one from it is
// told by the task that needs it; until the configuration is read anew it is
// not tried again.
func (w *watch) warm(ctx context.Context) {
	for _, space := range w.spaces {
		if w.cold[space] || w.stale.Load() || len(w.woken) > 0 {
			continue
		}
		if err := space.Warm(ctx); err != nil {
			w.cold[space] = true
		}
	}
}
