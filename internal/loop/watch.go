package loop

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// ErrLockLost ends Watch when the lock's file was replaced under it: another
// instance may be running.
var ErrLockLost = errors.New("the lock was lost")

// Watching says what Watch needs of its caller. No field but Load and Alive may
// be nil or empty; its functions are called by several goroutines, one at a time.
type Watching struct {
	File   string                       // loop.yaml: it is looked at for changes
	Load   func() (config.Config, bool) // reads it again and tells what is wrong with it; nil: never
	Ready  func()                       // called once: a task that is dropped from now on is seen
	Alive  func()                       // called about once a second; nil: never
	Ended  func(record.ResultView)      // a task reached its end
	Left   func(record.PassView)        // a task waits, for another reason or time than it did before
	Passed func(Pass)                   // nothing more can be done at the moment
}

// watch is Watch under way: one pass after another, and what wakes it.
type watch struct {
	*Loop
	Watching
	woken chan struct{}
	stale atomic.Bool // loop.yaml was changed: begin nothing new, read it

	paused atomic.Bool // the last pass met the pause flag

	listening context.CancelFunc // ends the events of inbox
	side      sync.WaitGroup

	mu   sync.Mutex
	pass *pass                      // under way
	left map[string]time.Time       // tasks that wait, and when to go on with them
	told map[string]record.PassView // what was told of them last
	next time.Time                  // when to wake by itself; zero: not at all

	cold map[*workspace.Space]bool // trees that could not be made ready
}

// Watch makes one pass after another until ctx ends: when something comes into
// the inbox, when a wait is over, when a pause ends. Between two tasks it takes
// over a loop.yaml that was changed and is valid. It returns nil when ctx ended,
// after what was under way is recorded.
func (l *Loop) Watch(ctx context.Context, how Watching) error {
	w := &watch{
		Loop: l, Watching: how, woken: make(chan struct{}, 1),
		left: map[string]time.Time{}, told: map[string]record.PassView{}, cold: map[*workspace.Space]bool{},
	}
	told := l.opts.Observer
	heard := newOnce(told)
	l.opts.Observer = heard
	defer func() { l.opts.Observer = told }()

	ctx, stop := context.WithCancel(ctx)
	defer w.side.Wait()
	defer stop()
	if err := w.listen(ctx); err != nil {
		return err
	}
	w.side.Go(func() { w.heed(ctx) })
	w.Ready()
	for first := true; ; first = false {
		heard.turn()
		result, err := w.round(ctx, first)
		switch {
		case err != nil || ctx.Err() != nil:
			return err
		case result.Reason == task.Locked:
			return ErrLockLost
		}
		w.paused.Store(result.Reason == task.PauseFlag)
		w.Passed(result)
		w.warm(ctx)
		w.rest(ctx, w.wakeAt(result))
		if w.stale.Swap(false) {
			w.reload(ctx)
		}
	}
}

// round makes one pass. What a dead instance left is put right in the first;
// afterwards nobody else can have left anything.
func (w *watch) round(ctx context.Context, first bool) (Pass, error) {
	p := &pass{Loop: w.Loop, stop: ctx, watch: w}
	p.changed = sync.NewCond(&p.mu)
	if first {
		if err := p.begin(ctx); err != nil {
			return p.result, err
		}
	}
	w.under(p)
	err := p.workers(ctx)
	w.under(nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	w.tell(p)
	return p.result, errors.Join(err, w.leave())
}

func (w *watch) under(p *pass) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pass = p
}

// tell passes on what became of tasks since it was called last in this pass.
// The caller holds the lock of p.
func (w *watch) tell(p *pass) {
	for _, end := range p.result.Ended[p.seen.ended:] {
		w.forget(end.TaskID)
		w.Ended(end)
	}
	for _, left := range p.result.Left[p.seen.left:] {
		if w.note(left) {
			w.Left(left)
		}
	}
	p.seen.ended, p.seen.left = len(p.result.Ended), len(p.result.Left)
}

func (w *watch) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.left, id)
	delete(w.told, id)
}

// note keeps when to go on with a task, and reports whether it is news.
func (w *watch) note(v record.PassView) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left[v.TaskID] = w.again(v)
	news := w.told[v.TaskID] != v
	w.told[v.TaskID] = v
	return news
}

// again is when a task that was left is worth another look. What no time is
// known for, such as a checkout that a person must clean up, is looked at now
// and then. A pause is over when its flag is gone, and that wakes by itself.
func (w *watch) again(v record.PassView) time.Time {
	if v.Reason == task.PauseFlag {
		return time.Time{}
	}
	if at, err := time.Parse(time.RFC3339, v.NotBefore); err == nil {
		return at.Add(time.Second) // it was cut to whole seconds
	}
	return w.opts.Now().Add(w.cfg.Queue.Rescan.Std())
}

// due are the tasks whose wait is over, or that somebody wants to end.
func (w *watch) due() (ids []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.opts.Now()
	for id, at := range w.left {
		cancelled, err := record.Cancelled(w.store.Loop(), id)
		if !now.Before(at) || cancelled || err != nil {
			ids = append(ids, id)
			delete(w.left, id)
		}
	}
	return ids
}

// listen starts, or starts anew, the events of inbox.
func (w *watch) listen(ctx context.Context) error {
	if w.listening != nil {
		w.listening()
	}
	ctx, w.listening = context.WithCancel(ctx)
	q := w.cfg.Queue
	hints, err := w.queue.Watch(ctx, queue.Watching{Mode: q.Watch, Every: q.Rescan.Std(), Note: func(text string) { w.warn("%s", text) }})
	if err != nil {
		return err
	}
	w.side.Go(func() {
		for range hints {
			w.wake()
		}
	})
	return nil
}

// reload takes over what loop.yaml says now, if it can be worked with. Tasks
// that were claimed before keep the policy that they were claimed under.
func (w *watch) reload(ctx context.Context) {
	cfg, ok := w.Load()
	if !ok {
		return
	}
	before := w.cfg.Queue
	err := w.use(ctx, cfg)
	if err == nil && w.cfg.Queue != before {
		err = w.listen(ctx)
	}
	if err != nil {
		w.warn("the changed loop.yaml is not used: %v", err)
	}
}

// use replaces the configuration and what follows from it; after an error what
// was before stands.
func (l *Loop) use(ctx context.Context, cfg config.Config) error {
	was, spaces, confined, secrets := l.cfg, l.spaces, l.sandbox, l.secrets
	l.cfg, l.spaces, l.sandbox = cfg, nil, sandbox{}
	err := l.decideSandbox()
	if err == nil {
		err = l.furnish(ctx)
	}
	if err != nil {
		l.cfg, l.spaces, l.sandbox, l.secrets = was, spaces, confined, secrets
		return err
	}
	l.queue.Forget()
	return nil
}
