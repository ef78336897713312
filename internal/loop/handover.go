package loop

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// HandOver claims what is ready in the inbox for another engine, up to most
// tasks (0: all), begins their journals and gives them away. A task that was
// claimed before, and may not have reached the engine, is given once more: give
// must bear that. The tasks stand in processing, where no pass touches them,
// until Return. It tells how many were given, and what was left in inbox.
func (l *Loop) HandOver(ctx context.Context, engine string, most int, give func(id string, journal []byte) error) (int, Pass, error) {
	p := &pass{Loop: l, limits: Limits{MaxTasks: most}, stop: ctx}
	p.changed = sync.NewCond(&p.mu)
	given, err := p.giveAgain(ctx, give)
	for err == nil && (most <= 0 || given < most) {
		var id string
		if id, err = p.giveNext(ctx, engine, give); id == "" {
			break
		}
		given++
	}
	return given, p.result, errors.Join(err, l.leave())
}

// giveAgain completes what a handover before may have left half done.
func (p *pass) giveAgain(ctx context.Context, give func(id string, journal []byte) error) (given int, err error) {
	if _, err := p.queue.Recover(); err != nil {
		return 0, fmt.Errorf("recover the queue: %w", err)
	}
	if err := p.openAccounts(); err != nil {
		return 0, err
	}
	ids, err := p.store.Given()
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if again, err := p.giveOne(ctx, id, give); err != nil {
			return given, err
		} else if again {
			given++
		}
	}
	return given, nil
}

// giveOne gives a task that is marked. Without a journal its claim died half
// way: the file is adopted, or is still in inbox and comes later.
func (p *pass) giveOne(ctx context.Context, id string, give func(id string, journal []byte) error) (bool, error) {
	var j *record.Journal
	var err error
	if p.store.Known(id) {
		j, err = p.store.Task(id)
	} else {
		j, err = p.adopt(ctx, p.spaces[0], id)
	}
	if err != nil || j == nil {
		return false, err
	}
	defer j.Close()
	if j.State().Next == round.End {
		return false, nil
	}
	return true, p.give(j, give)
}

func (p *pass) give(j *record.Journal, give func(id string, journal []byte) error) error {
	text, err := p.store.JournalText(j.ID)
	if err != nil {
		return err
	}
	if err := give(j.ID, text); err != nil {
		return fmt.Errorf("hand %s over: %w", j.ID, err)
	}
	return nil
}

// giveNext claims and gives the first task that is ready; "" if none is.
func (p *pass) giveNext(ctx context.Context, engine string, give func(id string, journal []byte) error) (string, error) {
	list, err := p.queue.Next(p.known, p.store.Known, p.opts.Now())
	if err != nil {
		return "", fmt.Errorf("scan inbox: %w", err)
	}
	for _, bad := range list.Bad {
		if err := p.quarantine(bad); err != nil {
			return "", err
		}
	}
	p.result.Waiting = list.Waiting
	for _, item := range list.Ready {
		if err := p.store.Give(item.ID(), engine); err != nil {
			return "", err
		}
		j, err := p.claimItem(ctx, p.spaces[0], item)
		if err != nil {
			return "", err
		}
		if j == nil { // it is no task after all, or gone
			if err := p.store.TakeBack(item.ID()); err != nil {
				return "", err
			}
			continue
		}
		defer j.Close()
		return j.ID, p.give(j, give)
	}
	return "", nil
}

// Return takes a task back that ended elsewhere: its journal becomes the
// record, and its file moves to where it belongs. It bears repeating.
func (l *Loop) Return(ctx context.Context, id string, journal []byte) (view record.ResultView, err error) {
	p := &pass{Loop: l, stop: ctx}
	p.changed = sync.NewCond(&p.mu)
	if err := p.openAccounts(); err != nil {
		return view, err
	}
	j, err := l.store.Extend(id, journal)
	if err != nil {
		return view, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if j.State().Next != round.End {
		return view, fmt.Errorf("take %s back: it has not ended", id)
	}
	if err := errors.Join(l.store.Render(j), l.store.Tell(j), l.accounts.Count(j)); err != nil {
		return view, err
	}
	end, _, err := (&worker{pass: p}).finished(ctx, j)
	if err != nil {
		return view, err
	}
	return *end, errors.Join(l.store.TakeBack(id), l.leave())
}
