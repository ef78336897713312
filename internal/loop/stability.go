package loop

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/verify"
)

// A Probed is what a profile said of the base when it ran several times.
type Probed struct {
	Profile    string
	Runs       int
	Passed     int
	Signatures map[string]int // of the runs that failed: how often each came
	First      string         // the first failure that was seen, in one line
	Slowest    time.Duration
}

// Stable reports that every run said the same.
func (p Probed) Stable() bool {
	return p.Passed == p.Runs || p.Passed == 0 && len(p.Signatures) == 1
}

// Probe runs each profile n times on the base, each time on a clean tree, and
// tells of it as soon as it is through. Nothing is rerun or kept.
func (l *Loop) Probe(ctx context.Context, n int, told func(Probed)) error {
	base, err := l.Base(ctx)
	if err != nil {
		return err
	}
	logs, err := fsx.Scratch("").MkdirTemp(l.tempName("probe"))
	if err != nil {
		return err
	}
	defer func() { _ = logs.RemoveAll("") }()
	for _, name := range slices.Sorted(maps.Keys(l.cfg.Verification.Profiles)) {
		p := Probed{Profile: name, Signatures: map[string]int{}}
		for range n {
			ev, err := l.checkBase(ctx, base, name, logs.Path(fmt.Sprintf("%s-%d", name, p.Runs)))
			if err != nil {
				return fmt.Errorf("probe %s: %w", name, err)
			}
			p.add(ev)
		}
		told(p)
	}
	return nil
}

func (p *Probed) add(ev round.Evidence) {
	p.Runs++
	p.Slowest = max(p.Slowest, time.Duration(ev.DurationMS)*time.Millisecond)
	if ev.Passed() {
		p.Passed++
		return
	}
	p.Signatures[signature.Of(ev.Visible()).Hash]++
	for _, c := range ev.Checks {
		for _, f := range c.Failures {
			if p.First == "" {
				p.First = fmt.Sprint(f.ID, " ", f.Class, " ", f.Detail)
			}
		}
	}
}

// checkBase runs one profile on a clean tree of the base.
func (l *Loop) checkBase(ctx context.Context, base, profile, logs string) (round.Evidence, error) {
	dir, err := l.spaces[0].CheckTree(ctx, base, nil)
	if err != nil {
		return round.Evidence{}, err
	}
	job := l.bareJob(profile, logs)
	job.Dir, job.SkipHidden = dir, true
	return verify.Runner{}.Run(ctx, job)
}

// bareJob is a verification by one profile that belongs to no task.
func (l *Loop) bareJob(profile, logs string) verify.Job {
	checks := l.cfg.Verification.Profiles[profile]
	var commands [][]string
	for _, c := range checks {
		commands = append(commands, c.Run)
	}
	return verify.Job{
		Profiles: []verify.Profile{{Name: profile, Checks: checks}}, Home: l.cfg.Dir, LogDir: logs, TaskDir: filepath.Dir(logs), Temp: l.tempName("check"),
		Env: l.checkEnviron(), Sandbox: l.checkSandbox(commands), RunID: "doctor-" + randomHex(), Redact: l.secretValues(),
		Masks: l.cfg.Verification.Masks, MaxOutput: int64(l.cfg.Records.MaxOutput), Grace: l.cfg.Generator.Grace.Std(),
		Left: l.cfg.Stop.WallClock.Std(),
	}
}
