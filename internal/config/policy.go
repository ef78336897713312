package config

import (
	"cmp"
	"maps"
	"slices"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// Known is what the file offers to tasks.
func (c Config) Known() task.Known {
	s := c.Stop
	return task.Known{
		Profiles:   sortedKeys(c.Verification.Profiles),
		Always:     slices.Clone(c.Verification.Always),
		Operations: sortedKeys(c.Effects),
		Limits: task.Limits{
			MaxRounds: s.MaxRounds, SameFailure: s.SameFailure, MaxTries: s.MaxTries,
			WallClock: s.WallClock, Deadline: s.Deadline, MaxTokens: s.MaxTokens, Cost: s.Cost,
			MaxChangedFiles: c.Boundary.MaxFiles, MaxChangedLines: c.Boundary.MaxLines, MaxBytes: unit.Size(c.Boundary.MaxBytes),
		},
	}
}

// Policy is what t is judged by: the file's settings, lowered by the task's
// own limits, with the profiles and effects that the task uses. Its lists and
// maps are its own. What an adapter brings (resume, compact) is for the caller
// to fill in where the file does not give it.
func (c Config) Policy(t task.Task) round.Policy {
	s, l, v, r := c.Stop, t.Limits, c.Verification, c.Recovery
	profiles := pick(v.Profiles, append(slices.Clone(v.Always), t.Verify...))
	return round.Policy{
		InPlace:     c.Workspace.Mode == InPlace,
		Land:        c.Land.Mode,
		MaxRounds:   lower(s.MaxRounds, l.MaxRounds),
		SameFailure: lower(s.SameFailure, l.SameFailure),
		MaxTries:    lower(s.MaxTries, l.MaxTries),
		WallClock:   lower(s.WallClock, l.WallClock),
		Deadline:    lower(s.Deadline, l.Deadline),
		MaxTokens:   lower(s.MaxTokens, l.MaxTokens),
		Cost:        lower(s.Cost, l.Cost),
		MinTryCost:  s.MinTryCost,
		DailyCost:   s.DailyCost,
		TryTimeout:  c.Generator.Timeout,
		FlakyReruns: v.FlakyReruns,
		Baseline:    v.Baseline,
		Canary:      v.Canary,
		CanarySkip:  pick(v.CanarySkip, sortedKeys(profiles)),
		Models:      slices.Clone(c.Generator.Models),
		Resume:      c.Generator.Resume,
		Backoff:     r.Backoff,
		InlineWait:  r.InlineWait,
		Hold:        r.Hold,
		Breaker:     r.Breaker,
		RetryBudget: r.RetryBudget,
		Chains:      cloneChains(r.Chains),
		Patterns:    slices.Clone(r.Patterns),
		Strategies:  maps.Clone(r.Strategies),
		Effects:     pick(c.Effects, t.Operations),
		Boundary:    c.boundary(t),
		Profiles:    profiles,
		Always:      slices.Clone(v.Always),
		Masks:       slices.Clone(v.Masks),
	}
}

func (c Config) boundary(t task.Task) round.Boundary {
	b := c.Boundary
	b.Allow, b.TaskAllow = slices.Clone(b.Allow), slices.Clone(t.Allow)
	b.Protect, b.TaskProtect = slices.Clone(b.Protect), slices.Clone(t.Protect)
	b.MaxFiles = lower(b.MaxFiles, t.Limits.MaxChangedFiles)
	b.MaxLines = lower(b.MaxLines, t.Limits.MaxChangedLines)
	b.MaxBytes = lower(b.MaxBytes, t.Limits.MaxBytes.Bytes())
	return b
}

// lower is the file's limit, or the task's where it gives a smaller one.
func lower[T cmp.Ordered](file, task T) T {
	var none T
	if task == none {
		return file
	}
	return min(file, task)
}

// pick is the part of all that is named; nil if nothing is.
func pick[V any](all map[string]V, names []string) map[string]V {
	var out map[string]V
	for _, name := range names {
		if v, ok := all[name]; ok {
			if out == nil {
				out = map[string]V{}
			}
			out[name] = v
		}
	}
	return out
}

func cloneChains(chains map[recovery.Category]recovery.Chain) map[recovery.Category]recovery.Chain {
	out := make(map[recovery.Category]recovery.Chain, len(chains))
	for category, chain := range chains {
		chain.Steps = slices.Clone(chain.Steps)
		out[category] = chain
	}
	return out
}
