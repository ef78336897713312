package site

import (
	"context"
	"errors"
	"fmt"
	"time"

	"looprun.dev/looprun/engine/temporal/internal/flow"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// A Control is the repository whose tasks/ and .loop/ are the queue and the
// records. Several workers and commands may have it open: each change takes the
// lock, for as long as the change takes.
type Control struct {
	Config  config.Config
	Environ []string
	Remote  Remote // as seen from here
}

// lockTime is how long a change waits for others.
const lockTime = time.Minute

// Open takes the lock of the control repository.
func (c Control) Open(ctx context.Context, o loop.Observer) (*loop.Loop, error) {
	return loop.Open(ctx, loop.Options{Config: c.Config, Environ: c.Environ, Observer: o, Patience: lockTime})
}

// Return is the activity of that name: what came about elsewhere becomes the
// record, the task's file goes where it belongs, and what the remote holds of
// dead tries goes away. It bears repeating.
func (c Control) Return(ctx context.Context, call flow.Call) (err error) {
	ctx, stop := alive(ctx)
	defer stop()
	chain, err := record.ParseChain([]byte(call.Journal))
	if err != nil {
		return err
	}
	refs := "refs/looprun/" + call.ID + "/*"
	if err := c.Remote.Fetch(ctx, "+"+refs+":"+refs); err != nil {
		return err
	}
	l, err := c.Open(ctx, nil)
	if err != nil {
		return err
	}
	_, err = l.Return(ctx, call.ID, []byte(call.Journal))
	if err = errors.Join(err, l.Close()); err != nil {
		return err
	}
	return c.prune(ctx, chain.State())
}

// prune takes the refs away that nobody needs any more. Rejected tries stay
// reachable in the control repository, which has them by now.
func (c Control) prune(ctx context.Context, s round.State) error {
	id := s.Task.ID
	have, err := c.Remote.Read(ctx, "refs/looprun/"+id+"/*")
	if err != nil {
		return err
	}
	var moves []Move
	drop := func(ref string) {
		if old := have[ref]; old != "" {
			moves = append(moves, Move{Ref: ref, Old: old})
		}
	}
	drop(flow.BaseRef(id))
	if s.Decision.Kind == task.Completed {
		drop(flow.TryRef(id, s.Round, s.Try.N))
	}
	for n, try := range s.Rejected() {
		if !c.Remote.Itself() {
			drop(flow.TryRef(id, n, try.N))
		}
	}
	if len(moves) == 0 {
		return nil
	}
	return c.Remote.Push(ctx, moves...)
}

// Start hands the tasks that are ready over to the engine; begin starts the
// workflow of one, and bears being asked again.
func (c Control) Start(ctx context.Context, o loop.Observer, most int, begin func(flow.Input) error) (started int, left loop.Pass, err error) {
	if err := c.fit(); err != nil {
		return 0, left, err
	}
	engine, err := ReadEngine(c.Config)
	if err != nil {
		return 0, left, err
	}
	l, err := c.Open(ctx, o)
	if err != nil {
		return 0, left, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	return l.HandOver(ctx, "temporal", most, func(id string, journal []byte) error {
		chain, err := record.ParseChain(journal)
		if err != nil {
			return err
		}
		if err := c.offer(ctx, chain.State()); err != nil {
			return err
		}
		return begin(flow.Input{ID: id, Journal: string(journal), Setup: engine.Setup()})
	})
}

// fit says what of loop.yaml does not go with many machines.
func (c Control) fit() error {
	switch {
	case c.Config.Workspace.Mode == config.InPlace:
		return errors.New("workspace.mode in_place is not for Temporal: use isolated")
	case c.Config.Land.Mode == "merge":
		return errors.New("land.mode merge is not for Temporal: use branch, patch or none")
	}
	return nil
}

// offer puts the commit that a task starts from where every worker finds it.
// What was accepted under that id before, and the engine may have forgotten, is
// not made again.
func (c Control) offer(ctx context.Context, s round.State) error {
	id := s.Task.ID
	have, err := c.Remote.Read(ctx, flow.AcceptedRef(id), flow.BaseRef(id))
	if err != nil {
		return err
	}
	if have[flow.AcceptedRef(id)] != "" || have[flow.BaseRef(id)] == s.Claimed.Base {
		return nil
	}
	if err := c.Remote.Push(ctx, Move{Ref: flow.BaseRef(id), New: s.Claimed.Base}); err != nil {
		return fmt.Errorf("offer the base of %s: %w", id, err)
	}
	return nil
}

// Accepted reports whether a candidate of a task was accepted already.
func (c Control) Accepted(ctx context.Context, id string) (bool, error) {
	have, err := c.Remote.Read(ctx, flow.AcceptedRef(id))
	return have[flow.AcceptedRef(id)] != "", err
}
