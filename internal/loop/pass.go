package loop

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// Limits bound one pass.
type Limits struct {
	MaxTasks        int           // tasks that are taken up; 0: no limit
	MaxTime         time.Duration // 0: no limit
	PauseAfterRound int           // 0: never
}

// A Pass is what one pass did, in the order in which it came about.
type Pass struct {
	Ended       []record.ResultView // tasks that reached their end
	Left        []record.PassView   // tasks that the pass took up and left before it
	Quarantined int                 // files that cannot be tasks
	Waiting     []queue.Waiting     // files in inbox that are not to be claimed yet
	Reason      task.Reason         // why the pass ended early; "" if it did not
	Until       time.Time           // when that may be over, if it is known
	OutOfTime   bool                // MaxTime ran out
}

// pass is one pass under way.
type pass struct {
	*Loop
	limits Limits
	stop   context.Context // done: start nothing new
	watch  *watch          // nil: one pass and no other

	changed *sync.Cond // a worker ended a task, or the pass is to stop
	mu      sync.Mutex // guards what follows
	resumed []string   // tasks in processing that no worker took up yet
	aside   []aside    // tasks that wait while others go on
	taken   int
	busy    int
	over    bool
	warned  bool            // of uncommitted changes
	kept    map[string]bool // targets that keep tasks in inbox and were told of
	result  Pass
	seen    struct{ ended, left int } // how much of result a watch has told
}

// Run makes one pass: it goes on with what is in processing, then claims what
// is ready, until nothing is left that can be done now. When ctx is cancelled
// the step under way is ended and recorded.
func (l *Loop) Run(ctx context.Context, limits Limits) (Pass, error) {
	p := &pass{Loop: l, limits: limits, stop: ctx}
	p.changed = sync.NewCond(&p.mu)
	if limits.MaxTime > 0 {
		var cancel context.CancelFunc
		p.stop, cancel = context.WithTimeout(ctx, limits.MaxTime)
		defer cancel()
	}
	if err := p.begin(ctx); err != nil {
		return p.result, err
	}
	if err := p.workers(p.stop); err != nil {
		return p.result, err
	}
	p.result.OutOfTime = ctx.Err() == nil && p.stop.Err() != nil
	return p.result, l.leave()
}

// begin puts right what the pass before may have left.
func (p *pass) begin(ctx context.Context) error {
	recovered, err := p.queue.Recover()
	if err != nil {
		return fmt.Errorf("recover the queue: %w", err)
	}
	p.tellRecovered(recovered)
	if p.resumed, err = p.unfinished(append(recovered.Processing, recovered.Clashes...)); err != nil {
		return err
	}
	if err := p.endOrphans(ctx, p.resumed); err != nil {
		return err
	}
	p.sweepTemp()
	if err := p.repair(); err != nil {
		return err
	}
	return p.openAccounts()
}

// workers runs as many tasks at once as loop.yaml allows, each in its own tree.
func (p *pass) workers(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changed.Broadcast()
	})()
	errs := make([]error, len(p.spaces))
	var all sync.WaitGroup
	for slot, space := range p.spaces {
		all.Go(func() {
			w := &worker{pass: p, slot: slot, space: space}
			if errs[slot] = w.run(ctx); errs[slot] != nil {
				cancel() // a disk that fails fails for all
			}
		})
	}
	all.Wait()
	p.leaveAside()
	return errors.Join(errs...)
}

// next hands out the next task to work on, nil when there is none for this
// worker. Claims are made one at a time, so their order is that of the queue
// whatever the number of workers. While others are busy it waits for them:
// what they end may be what another task comes after.
func (p *pass) next(ctx context.Context, space *workspace.Space) (*record.Journal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.goesOn(ctx) {
		j, again, err := p.take(ctx, space)
		switch {
		case err != nil:
			return nil, err
		case j != nil:
			p.taken++
			p.busy++
			return j, nil
		case !again.IsZero():
			p.rest(ctx, again)
		case p.busy == 0:
			// It ends for all workers: with one gone, a task that comes now would
			// be worked on alone for as long as it takes.
			p.over = true
			return nil, nil
		default:
			p.changed.Wait()
		}
	}
	return nil, nil
}

// goesOn reports that something new may be begun.
func (p *pass) goesOn(ctx context.Context) bool {
	enough := p.limits.MaxTasks > 0 && p.taken >= p.limits.MaxTasks
	return !p.over && ctx.Err() == nil && !enough && !p.outdated() && !p.halted()
}

// outdated reports that loop.yaml is to be read before anything new is begun.
func (p *pass) outdated() bool { return p.watch != nil && p.watch.stale.Load() }

// rest waits until t without keeping the other workers from going on.
func (p *pass) rest(ctx context.Context, t time.Time) {
	p.mu.Unlock()
	defer p.mu.Lock()
	timer := time.NewTimer(max(0, t.Sub(p.opts.Now())))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// halted looks at the pause flag and the lock before anything new is begun.
func (p *pass) halted() bool {
	_, paused, err := record.PausedAt(p.store.Loop(), p.opts.Now())
	if err != nil || paused {
		p.end(task.PauseFlag)
		return true
	}
	if err := p.lock.Check(); err != nil {
		p.warn("%v", err)
		p.end(task.Locked)
		return true
	}
	return false
}

// end keeps the pass from beginning anything more. The first reason stands.
func (p *pass) end(reason task.Reason) {
	p.over = true
	if p.result.Reason == "" {
		p.result.Reason = reason
	}
}

// take goes on with a task in processing, else claims the next one of inbox.
// again is when it is worth another look, the zero time if it is not.
func (p *pass) take(ctx context.Context, space *workspace.Space) (j *record.Journal, again time.Time, err error) {
	if p.watch != nil {
		p.resumed = append(p.resumed, p.watch.due()...)
	}
	due, wait, err := p.dueAside()
	if err != nil {
		return nil, wait, err
	}
	p.resumed = append(p.resumed, due...)
	if len(p.resumed) > 0 {
		id := p.resumed[0]
		p.resumed = p.resumed[1:]
		j, err := p.reopen(ctx, space, id)
		return j, p.opts.Now(), err
	}
	j, again, err = p.claim(ctx, space)
	return j, sooner(again, wait), err
}

// done notes what became of a task that a worker had.
func (p *pass) done(end *record.ResultView, left *record.PassView) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	p.changed.Broadcast()
	if end != nil {
		p.result.Ended = append(p.result.Ended, *end)
	}
	if left != nil {
		p.result.Left = append(p.result.Left, *left)
	}
	if p.watch != nil {
		p.watch.tell(p)
	}
}
