package loop

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
	"looprun.dev/looprun/internal/workspace"
)

// openAccounts reads what was spent, once: every later pass counts on.
func (p *pass) openAccounts() (err error) {
	if p.accounts != nil {
		return nil
	}
	if err := p.breakers.Sweep(); err != nil {
		return err
	}
	p.accounts, err = p.store.OpenAccounts(func(text string) { p.warn("%s", text) })
	return err
}

// leave ends a pass: all that it rendered and counted becomes durable at once.
func (l *Loop) leave() error {
	if l.accounts != nil {
		if err := l.accounts.Settle(); err != nil {
			return err
		}
	}
	l.exportMetrics(0)
	return l.store.Leave()
}

// firstModel is the model that a task starts with.
func (l *Loop) firstModel() string {
	if models := l.cfg.Generator.Models; len(models) > 0 {
		return models[0]
	}
	return ""
}

// claimFirst claims the first task that nothing keeps back. Where its target is
// held the task stays in inbox, at no cost.
func (p *pass) claimFirst(ctx context.Context, space *workspace.Space, ready []queue.Item) (*record.Journal, error) {
	if len(ready) == 0 {
		return nil, nil
	}
	if held, err := p.heldBack(ctx); held || err != nil {
		return nil, err
	}
	if full, err := p.unmerged(ctx, space); full || err != nil {
		return nil, err
	}
	profiles, err := p.heldProfiles(ctx, space)
	if err != nil {
		return nil, err
	}
	for _, item := range ready {
		targets := p.depends(item, profiles)
		open, err := p.obstacles(item.ID(), targets)
		if err != nil {
			return nil, err
		}
		if len(open) > 0 {
			p.keep(open[0])
			continue
		}
		j, err := p.claimItem(ctx, space, item)
		if err != nil {
			return nil, err
		}
		if j != nil {
			return j, p.probing(ctx, j, append(targets, p.agent(p.firstModel())...))
		}
	}
	return nil, nil
}

// probing gives a task that was claimed the probe of targets that may work
// again, so that no other is claimed for them meanwhile.
func (p *pass) probing(ctx context.Context, j *record.Journal, targets []record.Target) error {
	_, err := p.admit(ctx, j.ID, targets)
	if err != nil {
		return errors.Join(err, j.Close())
	}
	return nil
}

// usedUp reports that no start may be made today: what it is reckoned to cost
// is more than is left.
func usedUp(spent, dearest unit.Money, stop config.Stop) bool {
	return spent >= stop.DailyCost || spent+max(min(dearest, stop.Cost, stop.DailyCost), stop.MinTryCost) > stop.DailyCost
}

// tomorrow is when there is money again: days are those of UTC.
func tomorrow(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour) }

// heldBack reports that no task may be claimed now, and ends the pass then: no
// money is left for today, or what every start depends on is held.
func (p *pass) heldBack(ctx context.Context) (bool, error) {
	now := p.opts.Now()
	spent, stop := p.accounts.SpentOn("", now), p.cfg.Stop
	dearest, err := p.dearest(p.firstModel())
	if err != nil {
		return false, err
	}
	if usedUp(spent, dearest, stop) {
		p.end(task.DailyBudget)
		p.result.Until = tomorrow(now)
		p.warn("nothing is claimed: stop.daily_cost_usd (%s) is used up until %s", stop.DailyCost, p.result.Until.Local().Format(time.DateTime))
		return true, nil
	}
	targets := p.agent(p.firstModel())
	if err := p.heal(ctx, targets); err != nil {
		return false, err
	}
	open, err := p.obstacles("", targets)
	if err != nil || len(open) == 0 {
		return false, err
	}
	p.end(open[0].Reason)
	p.keep(open[0])
	return true, nil
}

// keep tells once a pass why tasks stay in inbox, and for how long.
func (p *pass) keep(t round.Target) {
	if p.kept[t.Name] {
		return
	}
	if p.kept == nil {
		p.kept = map[string]bool{}
	}
	p.kept[t.Name] = true
	if p.result.Reason == "" {
		p.result.Reason = t.Reason
	}
	p.result.Until = sooner(p.result.Until, t.Until)
	p.warn("tasks stay in the inbox: %s is held until %s: %s; looprun breaker list shows why", t.Name, t.Until.Local().Format(time.DateTime), t.Reason)
}

// heldProfiles are the targets of the profiles that failed on the present base
// in a way that is no task's fault, by the name of the profile.
func (p *pass) heldProfiles(ctx context.Context, space *workspace.Space) (map[string]record.Target, error) {
	circuits, _, err := p.breakers.List()
	if err != nil {
		return nil, err
	}
	held := map[string]record.Target{}
	base := ""
	for _, c := range circuits {
		name, ok := strings.CutPrefix(c.Target, profileScope+" ")
		if !ok || c.State != record.PhaseOpen {
			continue
		}
		if base == "" {
			if base, _, err = space.Base(ctx); err != nil {
				return nil, err
			}
		}
		name, _, _ = strings.Cut(name, "@")
		if t := profileOn(name, base); t.String() == c.Target {
			held[name] = t
		}
	}
	return held, nil
}

// depends lists the targets among held that a task in inbox depends on. Its
// file is read only where there are any; the claim reads it again.
func (p *pass) depends(item queue.Item, held map[string]record.Target) (targets []record.Target) {
	if len(held) == 0 {
		return nil
	}
	for _, name := range append(p.verifies(item), p.cfg.Verification.Always...) {
		if t, ok := held[name]; ok {
			targets = append(targets, t)
		}
	}
	return targets
}

func (p *pass) verifies(item queue.Item) []string {
	dir, err := fsx.Open(filepath.Join(p.cfg.Dir, TasksDir, string(task.Inbox)))
	if err != nil {
		return nil // the claim tells
	}
	defer dir.Close()
	data, err := dir.Read(item.Name, task.MaxBytes)
	if err != nil {
		return nil
	}
	t, _ := task.Parse(data, item.ID())
	return t.Verify
}
