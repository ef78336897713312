package loop

import (
	"context"
	"errors"
	"sync"
)

// Cancel ends a task whose end was asked for, paused or not, and takes up no
// other. The Pass is empty where it turned out to have ended before.
func (l *Loop) Cancel(ctx context.Context, id string) (Pass, error) {
	p := &pass{Loop: l, stop: ctx, busy: 1}
	p.changed = sync.NewCond(&p.mu)
	if err := p.begin(ctx); err != nil {
		return p.result, err
	}
	w := &worker{pass: p, space: p.spaces[0]}
	j, err := p.reopen(ctx, w.space, id)
	if err != nil || j == nil {
		return p.result, err
	}
	end, left, err := w.work(ctx, j)
	w.done(end, left)
	if err := errors.Join(err, j.Close()); err != nil {
		return p.result, err
	}
	return p.result, l.leave()
}
