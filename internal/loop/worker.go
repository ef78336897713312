package loop

import (
	"context"
	"errors"
	"fmt"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// A worker works off one task after another in its own tree.
type worker struct {
	*pass
	slot  int
	space *workspace.Space
}

func (w *worker) run(ctx context.Context) error {
	for {
		j, err := w.next(ctx, w.space)
		if err != nil || j == nil {
			return err
		}
		end, left, err := w.work(ctx, j)
		w.done(end, left)
		if err := errors.Join(err, j.Close()); err != nil {
			return err
		}
	}
}

// work plays a task until it ends, or until nothing more can be done for it in
// this pass.
func (w *worker) work(ctx context.Context, j *record.Journal) (*record.ResultView, *record.PassView, error) {
	var _ round.Host[context.Context] = (*host)(nil)
	h := &host{worker: w, journal: j}
	defer h.letGo(ctx)
	s, err := h.resume(ctx, j.State())
	for err == nil && s.Next != round.End {
		if reason := w.leaves(ctx, s); reason != "" {
			return nil, h.left(s, reason), nil
		}
		lines := len(j.Lines())
		s, err = round.Play(ctx, s, h)
		if err == nil && len(j.Lines()) == lines {
			return nil, h.rests(ctx, s), nil
		}
	}
	if errors.Is(err, errInterrupted) {
		return nil, h.left(j.State(), task.SignalReceived), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("task %s: %w", j.ID, err)
	}
	return w.finished(ctx, j)
}

// leaves says why the pass goes no further with a task that could be started.
func (w *worker) leaves(ctx context.Context, s round.State) task.Reason {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return task.SignalReceived
	case s.Next == round.Start && w.limits.PauseAfterRound > 0 && s.Round > w.limits.PauseAfterRound && roundReady(s):
		w.end(task.PausedAfterReplan)
		return task.PausedAfterReplan
	}
	return ""
}

// roundReady reports a round whose plan stands but which was not started.
func roundReady(s round.State) bool {
	return len(s.Rounds) > 0 && len(s.Rounds[len(s.Rounds)-1].Tries) == 0 && s.Round > 1
}

// finished moves the file of a task whose end is on record, and tells of it.
func (w *worker) finished(ctx context.Context, j *record.Journal) (*record.ResultView, *record.PassView, error) {
	s := j.State()
	data, err := s.Task.MarshalJSON()
	if err != nil {
		return nil, nil, fmt.Errorf("task %s: %w", j.ID, err)
	}
	moved, err := w.queue.Finish(j.ID, s.Stage(), data)
	if err != nil {
		return nil, nil, fmt.Errorf("task %s: move it to %s: %w", j.ID, s.Stage(), err)
	}
	if moved.Rewritten {
		w.warn("the file of %s was missing and was written anew in %s", j.ID, s.Stage())
	}
	if err := record.Answered(w.store.Loop(), j.ID); err != nil {
		return nil, nil, err
	}
	view := record.NewResultView(s, j.Lines(), j.Head())
	if s.Policy.InPlace && s.Policy.Land == "none" && len(s.Try.Candidate.Changed) > 0 {
		w.mu.Lock()
		w.over = true // the candidate lies in the checkout for review
		w.mu.Unlock()
	}
	w.exportMetrics(exportEvery)
	w.notifyEnd(ctx, view)
	return &view, nil, nil
}
