package site

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"looprun.dev/looprun/engine/temporal/internal/flow"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// A Site is where steps are done: trees, a copy of the journals, a repository.
type Site struct {
	Worker string
	Steps  *loop.Steps
	Remote Remote
	Branch string // land.branch of loop.yaml
}

// do does a step of a task in a tree of its own, with a sign of life for the
// engine as long as it takes. What the step needs of the repository is fetched
// before. A worker that is being stopped ends it.
func (s *Site) do(ctx context.Context, c flow.Call, step func(context.Context, *loop.Step) error) (err error) {
	ctx, stop := alive(ctx)
	defer stop()
	t, err := s.Steps.Take(ctx, c.ID, []byte(c.Journal))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if err := s.obtain(ctx, t.State()); err != nil {
		return err
	}
	return step(ctx, t)
}

// alive tells the engine that the activity goes on, until stop is called. The
// context that it returns ends with the activity's own, and with the worker; an
// activity that is being ended goes on giving signs of life.
func alive(ctx context.Context) (_ context.Context, stop func()) {
	beat := ctx
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	every := max(100*time.Millisecond, min(activity.GetInfo(ctx).HeartbeatTimeout/5, 2*time.Second))
	leaving := activity.GetWorkerStopChannel(ctx)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				activity.RecordHeartbeat(beat)
			case <-leaving:
				cancel()
				leaving = nil
			case <-over:
				return
			}
		}
	}()
	return ctx, func() {
		close(over)
		cancel()
	}
}

// obtain fetches the commits that a task rests on.
func (s *Site) obtain(ctx context.Context, st round.State) error {
	if !s.Remote.Has(ctx, st.Claimed.Base) {
		if err := s.Remote.Fetch(ctx, flow.BaseRef(st.Task.ID)); err != nil {
			return err
		}
	}
	commit := st.Try.Candidate.Commit
	if commit == "" || s.Remote.Has(ctx, commit) {
		return nil
	}
	return s.Remote.Fetch(ctx, flow.TryRef(st.Task.ID, st.Round, st.Try.N))
}

// Preflight is the activity of that name.
func (s *Site) Preflight(ctx context.Context, c flow.Call) (res round.PreflightResult, err error) {
	err = s.do(ctx, c, func(ctx context.Context, t *loop.Step) error {
		res, err = t.Preflight(ctx)
		return err
	})
	return res, err
}

// Generate is the activity of that name. Its error means that the generator was
// started and nobody knows what came of it; what keeps it from being started is
// an answer.
func (s *Site) Generate(ctx context.Context, c flow.Call) (flow.Generated, error) {
	out := flow.Generated{Worker: s.Worker}
	began := false
	err := s.do(ctx, c, func(ctx context.Context, t *loop.Step) (err error) {
		if out.Unready, out.Detail, err = t.Ready(ctx); err != nil || out.Unready != "" || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		began = true
		if out.Try, err = t.Generate(ctx); err != nil {
			return err
		}
		out.Try.Candidate = bounded(out.Try.Candidate, t.State().Policy.Boundary.MaxFiles)
		return s.send(ctx, t, out.Try)
	})
	if err != nil && !began && ctx.Err() == nil {
		out.Unready, out.Detail = task.WorkspaceResetFailed, err.Error()
		return out, nil
	}
	return out, err
}

// send gives the others a candidate, under a name that no other try can have.
func (s *Site) send(ctx context.Context, t *loop.Step, try round.Try) error {
	commit := try.Candidate.Commit
	if commit == "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // an interrupted try has a candidate too
	if err := t.Carry(ctx, commit); err != nil {
		return err
	}
	st := t.State()
	return s.Remote.Push(ctx, Move{Ref: flow.TryRef(st.Task.ID, st.Round, try.N), New: commit})
}

// bounded is a candidate whose list of changes goes into history: the boundary
// refuses one with more than most files whatever else it changes.
func bounded(c round.Candidate, most int) round.Candidate {
	const ignored = 200
	c.Changed = c.Changed[:min(len(c.Changed), most+1)]
	c.Ignored = c.Ignored[:min(len(c.Ignored), ignored)]
	c.Refused = c.Refused[:min(len(c.Refused), ignored)]
	return c
}

// Verify is the activity of that name.
func (s *Site) Verify(ctx context.Context, c flow.Call) (ev round.Evidence, err error) {
	err = s.do(ctx, c, func(ctx context.Context, t *loop.Step) error {
		ev, err = t.Verify(ctx)
		return err
	})
	return ev, err
}

// Consult is the activity of that name.
func (s *Site) Consult(ctx context.Context, c flow.Call) (out round.Consulted, err error) {
	err = s.do(ctx, c, func(ctx context.Context, t *loop.Step) error {
		out, err = t.Consult(ctx)
		return err
	})
	return out, err
}

// Observe is the activity of that name.
func (s *Site) Observe(ctx context.Context, c flow.Call) (out round.Observed, err error) {
	err = s.do(ctx, c, func(ctx context.Context, t *loop.Step) error {
		out, err = t.Observe(ctx)
		return err
	})
	return out, err
}

// Compensate is the activity of that name.
func (s *Site) Compensate(ctx context.Context, c flow.Call) (out round.Observed, err error) {
	err = s.do(ctx, c, func(ctx context.Context, t *loop.Step) error {
		out, err = t.Compensate(ctx)
		return err
	})
	return out, err
}

// Forget is the activity of that name.
func (s *Site) Forget(ctx context.Context, c flow.Call) error {
	return s.do(ctx, c, func(_ context.Context, t *loop.Step) error { return t.Forget() })
}

// Land is the activity of that name: the candidate that the engine accepted,
// and no other, gets the names that the outside looks at. It bears repeating.
func (s *Site) Land(ctx context.Context, c flow.Call) (round.Landed, error) {
	ctx, stop := alive(ctx)
	defer stop()
	chain, err := record.ParseChain([]byte(c.Journal))
	if err != nil {
		return round.Landed{}, err
	}
	st := chain.State()
	if err := s.obtain(ctx, st); err != nil {
		return round.Landed{}, err
	}
	landed, moves, err := landing(st, s.Branch)
	if err != nil {
		return round.Landed{}, err
	}
	err = s.Remote.Push(ctx, moves...)
	if errors.Is(err, ErrMoved) {
		return round.Landed{Mode: landed.Mode, Reason: task.LandFailed, Detail: err.Error()}, nil
	}
	return landed, err
}

// landing is what a landing does and says.
func landing(st round.State, branch string) (round.Landed, []Move, error) {
	commit := st.Try.Candidate.Commit
	l := round.Landed{Mode: st.Policy.Land, Commit: commit}
	moves := []Move{{Ref: flow.AcceptedRef(st.Task.ID), New: commit}}
	switch l.Mode {
	case "none":
	case "patch":
		l.Patch = st.Try.Candidate.Patch
	case "branch":
		l.Branch = strings.ReplaceAll(branch, "{id}", st.Task.ID)
		moves = append(moves, Move{Ref: "refs/heads/" + l.Branch, New: commit})
	default:
		return l, nil, fmt.Errorf("land %s: mode %q is not for Temporal", st.Task.ID, l.Mode)
	}
	return l, moves, nil
}
