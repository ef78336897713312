package loop

import (
	"context"
	"errors"
	"sync"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// Steps do single steps of tasks whose journals another engine keeps. What
// stands in the records of this Loop are copies, and the raw logs.
type Steps struct {
	pass *pass

	mu   sync.Mutex
	free *sync.Cond
	idle []*workspace.Space
}

// Steps ends what a dead instance left behind and makes ready for steps. The
// Loop must not be used otherwise from then on.
func (l *Loop) Steps(ctx context.Context) (*Steps, error) {
	p := &pass{Loop: l, stop: ctx}
	p.changed = sync.NewCond(&p.mu)
	known, err := l.store.Active()
	if err != nil {
		return nil, err
	}
	if err := p.endOrphans(ctx, known); err != nil {
		return nil, err
	}
	p.sweepTemp()
	if err := p.openAccounts(); err != nil {
		return nil, err
	}
	st := &Steps{pass: p, idle: append([]*workspace.Space(nil), l.spaces...)}
	st.free = sync.NewCond(&st.mu)
	return st, nil
}

// A Step is a task in a tree of its own, until Close.
type Step struct {
	steps *Steps
	host  *host
	state round.State
}

// Take gives a task a tree, as soon as one is free: the one that the task had
// before, if it can. journal is all that has been recorded of the task.
func (st *Steps) Take(ctx context.Context, id string, journal []byte) (*Step, error) {
	space, err := st.take(ctx, id)
	if err != nil {
		return nil, err
	}
	j, err := st.pass.store.Mirror(id, journal)
	if err != nil {
		st.put(space)
		return nil, err
	}
	h := &host{worker: &worker{pass: st.pass, space: space}, journal: j}
	return &Step{steps: st, host: h, state: j.State()}, nil
}

func (st *Steps) take(ctx context.Context, id string) (*workspace.Space, error) {
	defer context.AfterFunc(ctx, func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.free.Broadcast()
	})()
	st.mu.Lock()
	defer st.mu.Unlock()
	for len(st.idle) == 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		st.free.Wait()
	}
	at := 0
	for i, space := range st.idle {
		if prepared, _, ok := space.Prepared(); ok && prepared == id {
			at = i
		}
	}
	space := st.idle[at]
	st.idle = append(st.idle[:at], st.idle[at+1:]...)
	return space, nil
}

func (st *Steps) put(space *workspace.Space) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.idle = append(st.idle, space)
	st.free.Signal()
}

// Close lets go of the tree and of the copy of the journal.
func (t *Step) Close() error {
	t.steps.put(t.host.space)
	return t.host.journal.Close()
}

// State is what the journal says.
func (t *Step) State() round.State { return t.state }

// Ready makes the tree what the start on record asks for, or says what is in
// the way of it. Then the generator was not started.
func (t *Step) Ready(ctx context.Context) (task.Reason, string, error) {
	return t.host.ready(ctx, t.state)
}

// Preflight looks whether the checks can be trusted on the base of the claim.
func (t *Step) Preflight(ctx context.Context) (round.PreflightResult, error) {
	res, err := t.host.preflight(ctx, t.state)
	res.Base = t.state.Claimed.Base
	return res, err
}

// Generate runs the try that is on record, in a tree that Ready made.
func (t *Step) Generate(ctx context.Context) (round.Try, error) {
	return t.host.Generate(ctx, t.state)
}

// Verify judges the candidate of the last try. Its commit, and the base, must
// be in the repository.
func (t *Step) Verify(ctx context.Context) (round.Evidence, error) {
	return t.host.Verify(ctx, t.state)
}

// Consult asks the command of a strategy.
func (t *Step) Consult(ctx context.Context) (round.Consulted, error) {
	return t.host.Consult(ctx, t.state)
}

// Observe looks whether an operation happened.
func (t *Step) Observe(ctx context.Context) (round.Observed, error) {
	return t.host.Observe(ctx, t.state)
}

// Compensate undoes an operation.
func (t *Step) Compensate(ctx context.Context) (round.Observed, error) {
	return t.host.Compensate(ctx, t.state)
}

// Carry puts the candidate of a try, with all that it stands on, into the
// repository, from where it can be sent to others.
func (t *Step) Carry(ctx context.Context, commit string) error {
	return t.host.space.Carry(ctx, commit)
}

// Forget frees what was kept for the task here.
func (t *Step) Forget() error {
	return errors.Join(t.host.space.Release(t.host.journal.ID), t.host.endExchange())
}
