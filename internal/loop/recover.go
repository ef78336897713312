package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

func (p *pass) tellRecovered(r queue.Recovered) {
	for _, w := range r.Warnings {
		p.warn("%s", w)
	}
}

// unfinished lists the tasks to go on with: those in processing, and those
// whose journal has no end although their file is elsewhere or gone.
func (p *pass) unfinished(processing []string) ([]string, error) {
	ids := slices.Clone(processing)
	open, err := p.store.Active()
	if err != nil {
		return nil, err
	}
	for _, id := range open {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// reopen takes up a task that a pass before had. It returns nil where the task
// turned out to have ended, or to be none, or where another engine plays it.
func (p *pass) reopen(ctx context.Context, space *workspace.Space, id string) (*record.Journal, error) {
	if p.store.GivenAway(id) {
		return nil, nil
	}
	j, err := p.store.Task(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.adopt(ctx, space, id)
	case errors.Is(err, record.ErrDamaged):
		return nil, p.damaged(id, err)
	case err != nil:
		return nil, err
	}
	if len(j.Lines()) == 0 {
		if err := j.Close(); err != nil {
			return nil, err
		}
		return p.adopt(ctx, space, id)
	}
	if err := errors.Join(p.restore(j), p.store.Complete(j)); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// adopt claims a file that stands in processing without a journal: the claim
// before died between its move and its first line.
func (p *pass) adopt(ctx context.Context, space *workspace.Space, id string) (*record.Journal, error) {
	c, err := p.queue.Adopt(id)
	var rejected *queue.Rejected
	switch {
	case errors.Is(err, queue.ErrGone):
		return nil, nil
	case errors.As(err, &rejected):
		p.told(rejected.Name, rejected.As, rejected.Faults)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("adopt %s: %w", id, err)
	}
	p.warn("%s stood in processing without a record and is taken up", id)
	return p.start(ctx, space, c, true)
}

// restore puts the file of a claimed task back where its journal has it, if a
// person moved it.
func (p *pass) restore(j *record.Journal) error {
	if j.State().Next == round.End {
		return nil
	}
	data, err := j.State().Task.MarshalJSON()
	if err != nil {
		return err
	}
	from, err := p.queue.Restore(j.ID, data)
	if err != nil {
		return fmt.Errorf("bring %s back to processing: %w", j.ID, err)
	}
	if from != "" {
		p.warn("%s is not finished: its file was in %s and is back in processing", j.ID, from)
	}
	return nil
}

// damaged sets a task aside whose journal can't be trusted. The journal itself
// is left as it is.
func (p *pass) damaged(id string, cause error) error {
	p.warn("%v: the task is blocked and its journal left untouched; looprun doctor shows the place", cause)
	moved, err := p.queue.Finish(id, task.BlockedStage, nil)
	if err != nil {
		return fmt.Errorf("set %s aside: %w", id, err)
	}
	if moved.From == task.BlockedStage {
		return nil // an earlier pass told of its end
	}
	p.result.Ended = append(p.result.Ended, record.ResultView{
		Schema: "looprun.result/1", Decision: task.Blocked, Reason: task.RecordDamaged, TaskID: id,
		Detail: cause.Error(), Advice: task.FixEnvironment,
	})
	return nil
}

// repair brings the views and events of the tasks that a pass had open which
// died up to their journals.
func (p *pass) repair() error {
	repaired, err := p.store.Recover()
	for _, r := range repaired {
		if r.Aside != "" {
			p.warn("%s was not as the journal of %s says: it is %s now, and was rendered again", r.Path, r.TaskID, filepath.Base(r.Aside))
		}
	}
	return err
}

// resume makes s what it is after a crash: a start whose outcome was never
// recorded is a try that ended interrupted.
func (h *host) resume(ctx context.Context, s round.State) (round.State, error) {
	if s.Next != round.Generate {
		return s, nil
	}
	try, err := h.interrupted(ctx, s)
	if err != nil {
		return s, err
	}
	e := round.Event{Kind: round.Generate, Try: &try}
	if err := h.Record(ctx, e); err != nil {
		return s, err
	}
	return s.Apply(e), nil
}

// interrupted is the try that a dead looprun had under way. What it left in the
// tree is thrown away with the next start; in place it is told, since nobody
// may throw it away but its owner.
func (h *host) interrupted(ctx context.Context, s round.State) (round.Try, error) {
	try := s.Lost("looprun ended while the generator ran")
	try.Effects = h.effects(s)
	if !s.Policy.InPlace {
		return try, nil
	}
	var err error
	try.Candidate, err = h.snapshot(ctx, s)
	return try, err
}
