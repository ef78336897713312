package config

import (
	"fmt"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// Warnings are settings that can never fire, in order of place. Only what is
// sure is told.
func (c Config) Warnings() []task.Fault {
	d := &decoder{file: c.file, places: c.places}
	c.stopWarnings(d)
	c.generatorWarnings(d)
	c.verificationWarnings(d)
	c.recoveryWarnings(d)
	for _, category := range c.givenChains() {
		c.chainWarnings(d, category)
	}
	for i := range d.faults {
		d.faults[i].Warning = true
	}
	task.Sort(d.faults)
	return d.faults
}

// idle warns of the setting, if it never has an effect.
func (d *decoder) idle(never bool, path, format string, args ...any) {
	if never {
		d.add(path, task.CodeNoEffect, "never has an effect: %s", fmt.Sprintf(format, args...))
	}
}

// outlasts warns of a time that another one always cuts short.
func (d *decoder) outlasts(path string, long unit.Duration, other string, short unit.Duration) {
	d.idle(long > short, path, "%v is above %s (%v)", long, other, short)
}

func (c Config) stopWarnings(d *decoder) {
	s := c.Stop
	d.idle(s.SameFailure > s.MaxRounds && s.SameFailure > s.MaxTries, "stop.same_failure_limit",
		"%d equal failures do not fit into %d tries", s.SameFailure, s.MaxTries)
	d.idle(s.SameFailure > s.MaxRounds && s.SameFailure <= s.MaxTries, "stop.same_failure_limit",
		"%d failed verifications do not fit into %d rounds", s.SameFailure, s.MaxRounds)
	d.idle(s.MaxRounds > s.MaxTries, "stop.max_rounds_per_task", "%d rounds do not fit into %d tries", s.MaxRounds, s.MaxTries)
	d.outlasts("stop.wall_clock", s.WallClock, "stop.deadline", s.Deadline)
	d.outlasts("recovery.backoff.max_wait", c.Recovery.Backoff.MaxWait, "stop.deadline", s.Deadline)
}

func (c Config) generatorWarnings(d *decoder) {
	g := c.Generator
	d.outlasts("generator.timeout", g.Timeout, "stop.wall_clock", c.Stop.WallClock)
	d.idle(g.Silence >= g.Timeout, "generator.silence", "%v is not below generator.timeout (%v)", g.Silence, g.Timeout)
	_, given := c.Origin("land.branch")
	d.idle(given && !slices.Contains([]string{"branch", "merge"}, c.Land.Mode), "land.branch", "land.mode is %s", c.Land.Mode)
}

func (c Config) verificationWarnings(d *decoder) {
	v := c.Verification
	for _, name := range sortedKeys(v.Profiles) {
		for i, check := range v.Profiles[name] {
			path := member(item(member("verification.profiles", name), i), "timeout")
			d.outlasts(path, check.Timeout, "stop.wall_clock", c.Stop.WallClock)
			d.blind(item(member("verification.profiles", name), i), check)
		}
	}
	d.idle(!v.Canary && len(v.CanarySkip) > 0, "verification.canary_skip", "verification.canary is false")
}

// blind warns of a check whose output names the tests that fail and no others:
// that one which passed on the base is gone then shows nowhere.
func (d *decoder) blind(path string, check round.Check) {
	run := check.Run
	plain := len(run) > 1 && run[0] == "go" && run[1] == "test" && check.Report == ""
	if plain && !slices.ContainsFunc(run[2:], func(flag string) bool { return namesTests[strings.TrimLeft(flag, "-")] }) {
		d.add(member(path, "run"), task.CodeBlind, "go test names only tests that fail, so one that a candidate takes away is not missed: add -v or -json")
	}
}

// namesTests are the flags of go test with which it names all tests, or runs none.
var namesTests = map[string]bool{"v": true, "v=true": true, "test.v": true, "json": true, "c": true, "list": true}

func (c Config) recoveryWarnings(d *decoder) {
	used := map[recovery.Strategy]bool{}
	for _, chain := range c.Recovery.Chains {
		for _, step := range chain.Steps {
			used[step.Strategy] = true
		}
	}
	for _, name := range sortedKeys(c.Recovery.Strategies) {
		d.idle(!used[name], member("recovery.strategies", string(name)), "no chain uses it")
	}
}

// chainWarnings looks at a chain of the user's own. What is built in is meant
// for every setup, so there steps that do not apply are no news.
func (c Config) chainWarnings(d *decoder, category recovery.Category) {
	chain := c.Recovery.Chains[category]
	path := member("recovery.chains", string(category))
	switch class := recovery.ClassesOf(c.Recovery.Patterns).Of(category); {
	case class == recovery.Guard || class == recovery.Input:
		d.idle(true, path, "class %s ends the task before any chain", class)
		return
	case class == recovery.Ambient && category != recovery.QuotaExhausted:
		d.idle(true, path, "class %s holds the target before any chain", class)
		return
	}
	steps := member(path, "steps")
	_, given := c.Origin(steps)
	d.idle(given && chain.Disabled, steps, "the chain is switched off")
	if !given || chain.Disabled {
		return
	}
	for i, step := range chain.Steps {
		at := item(steps, i)
		d.idle(step.Strategy == recovery.FallbackModel && len(c.Generator.Models) < 2, at, "generator.models has no second model")
		needsResume := step.Strategy == recovery.Continue || step.Strategy == recovery.Compact
		d.idle(needsResume && c.Generator.Adapter == "exec" && !c.Generator.Resume, at, "generator.resume is false")
	}
}
