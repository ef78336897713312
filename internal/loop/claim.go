package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/verify"
	"looprun.dev/looprun/internal/workspace"
)

// claim takes the next task of inbox. again is when the inbox is worth another
// look, the zero time if it is not: a file that looks half-written settles soon.
func (p *pass) claim(ctx context.Context, space *workspace.Space) (j *record.Journal, again time.Time, err error) {
	reason, detail, err := p.unfit(ctx, space)
	if err != nil {
		return nil, time.Time{}, err
	}
	if reason != "" {
		p.warn("nothing is claimed: %s: %s", reason, detail)
		p.end(reason)
		return nil, time.Time{}, nil
	}
	list, err := p.queue.Next(p.known, p.store.Known, p.opts.Now())
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("scan inbox: %w", err)
	}
	for _, w := range list.Warnings {
		p.warn("%s", w)
	}
	for _, bad := range list.Bad {
		if err := p.quarantine(bad); err != nil {
			return nil, time.Time{}, err
		}
	}
	p.result.Waiting = list.Waiting
	j, err = p.claimFirst(ctx, space, list.Ready)
	if j != nil || err != nil {
		return j, time.Time{}, err
	}
	return nil, list.Settles, nil
}

// known gives the faults of a task that only loop.yaml can tell.
func (l *Loop) known(t task.Task) []task.Fault { return t.Against(l.cfg.Known()) }

// claimItem claims one task and begins its journal; nil where the file is gone,
// stuck or no task after all.
func (p *pass) claimItem(ctx context.Context, space *workspace.Space, item queue.Item) (*record.Journal, error) {
	claimed, err := p.queue.Claim(item.Name)
	var rejected *queue.Rejected
	var stuck *queue.Stuck
	switch {
	case errors.Is(err, queue.ErrGone):
		return nil, nil
	case errors.As(err, &stuck):
		if !stuck.Again {
			p.warn("%v", stuck)
		}
		return nil, nil
	case errors.As(err, &rejected):
		p.told(rejected.Name, rejected.As, rejected.Faults)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("claim %s: %w", item.Name, err)
	}
	return p.start(ctx, space, claimed, false)
}

// start begins the journal of a task whose file is in processing.
func (p *pass) start(ctx context.Context, space *workspace.Space, c queue.Claimed, adopted bool) (*record.Journal, error) {
	for _, w := range c.Warnings {
		p.warn("%s: %s", c.ID, w)
	}
	claim, err := p.claimed(ctx, space, c, adopted)
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", c.ID, err)
	}
	for _, w := range verify.SatisfiableWarnings(c.Task, claim.Policy.Boundary, verify.NewBuiltin(config.FileName, claim.Policy.Profiles, nil)) {
		p.warn("%s: %s", c.ID, w)
	}
	p.warnUncommitted(ctx, space)
	if err := space.Forget(c.ID); err != nil {
		return nil, err
	}
	j, err := p.store.Begin(c.ID, claim.At, claim)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(p.store.Render(j), p.store.Tell(j)); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	p.opts.Observer.Recorded(j.State(), j.Lines()[0].Event)
	return j, nil
}

// claimed is the first event: the task, and the policy that it is judged by
// from now on, whatever becomes of loop.yaml.
func (p *pass) claimed(ctx context.Context, space *workspace.Space, c queue.Claimed, adopted bool) (round.Claimed, error) {
	follows, err := p.followUp(c.ID)
	if err != nil {
		return round.Claimed{}, err
	}
	policy := follows.Raise(p.policy(c.Task))
	data, err := json.Marshal(policy)
	if err != nil {
		return round.Claimed{}, err
	}
	base, conflict, err := p.base(ctx, space, c.Task)
	if err != nil {
		return round.Claimed{}, err
	}
	return round.Claimed{
		Task:     c.Task,
		TaskFile: round.File{Path: path.Join(TasksDir, string(task.Processing), c.ID+".json"), SHA256: c.SHA256, Bytes: int64(len(c.Data))},
		Policy:   policy, PolicySHA: record.Digest(data),
		Base: base, Conflict: conflict, FollowUp: follows, Adopted: adopted, At: p.opts.Now().UTC().Round(0),
	}, nil
}

func (p *pass) quarantine(bad queue.Bad) error {
	as, err := p.queue.Quarantine(bad.Name, bad.Faults)
	var stuck *queue.Stuck
	switch {
	case errors.Is(err, queue.ErrGone):
		return nil
	case errors.As(err, &stuck):
		if !stuck.Again {
			p.warn("%v", stuck)
		}
		return nil
	case err != nil:
		return fmt.Errorf("quarantine %q: %w", bad.Name, err)
	}
	p.told(bad.Name, as, bad.Faults)
	return nil
}

func (p *pass) told(name, as string, faults []task.Fault) {
	p.result.Quarantined++
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = f.String()
	}
	p.opts.Observer.Quarantined(name, as, texts)
}

// warnUncommitted tells once a pass that what is not committed is in no tree.
func (p *pass) warnUncommitted(ctx context.Context, space *workspace.Space) {
	if p.cfg.Workspace.Mode == config.InPlace || p.warned {
		return
	}
	p.warned = true
	if changed, err := space.Uncommitted(ctx); err == nil && changed {
		p.warn("the checkout has uncommitted changes: tasks start from the commit and do not see them")
	}
}
