package config

import (
	"slices"
	"strings"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
)

// chains reads the user's own answers over the built-in ones. A member that a
// chain leaves out stays as it is built in.
func (d *decoder) chains(r *Recovery) reader {
	return d.named(whyNoName, func(name string, n node, path string) {
		category := recovery.Category(name)
		chain, builtin := r.Chains[category]
		if !builtin {
			chain.Then = recovery.ThenBlock
		}
		enabled, then := true, string(chain.Then)
		d.entry(map[string]reader{
			"enabled": d.flag(&enabled),
			"steps":   d.steps(&chain.Steps),
			"then":    d.choice(&then, string(recovery.ThenBlock), string(recovery.ThenHold), string(recovery.ThenReplan)),
		})(n, path)
		chain.Disabled, chain.Then = !enabled, recovery.Then(then)
		r.Chains[category] = chain
		d.later(func() { d.chain(category, chain, *r, path) })
	})
}

func (d *decoder) steps(into *[]recovery.Step) reader {
	return func(n node, path string) {
		*into = nil
		d.each(func(_ int, n node, path string) {
			var s recovery.Step
			strategy := ""
			d.entry(map[string]reader{
				"strategy": d.text(&strategy, checkName),
				"max":      count(d, &s.Max, 1, maxCount),
				"base":     d.duration(&s.Base),
				"factor":   d.fraction(&s.Factor, 1, 100),
				"cap":      d.duration(&s.Cap),
				"text":     d.text(&s.Text),
				"message":  d.text(&s.Message),
				"ratio":    d.fraction(&s.Ratio, 0.01, 0.99),
				"floor":    count(d, &s.Floor, 1, maxCount),
			}, "strategy")(n, path)
			s.Strategy = recovery.Strategy(strategy)
			if !d.given(member(path, "max")) {
				s.Max = once(s.Strategy)
			}
			*into = append(*into, s)
		})(n, path)
	}
}

// once is the budget of a step that names none. Rounds bound a replan, so it
// needs no bound of its own.
func once(s recovery.Strategy) int {
	if s == recovery.Replan {
		return recovery.Unbounded
	}
	return 1
}

// chain looks at what the strategies and patterns of the file say about it.
// Settings that have a fault already are left at that.
func (d *decoder) chain(category recovery.Category, chain recovery.Chain, r Recovery, path string) {
	if strings.HasPrefix(string(category), "x-") && !slices.ContainsFunc(r.Patterns, func(p recovery.Pattern) bool { return p.Category == category }) {
		d.add(path, task.CodeUnknownName, "no pattern of recovery.patterns leads to category %q", task.Clip(string(category)))
	}
	for _, f := range recovery.CheckChain(category, chain, sortedKeys(r.Strategies)) {
		at := member(path, f.Field)
		switch {
		case f.Step >= 0:
			at = member(item(member(path, "steps"), f.Step), f.Field)
		case f.Field == "category":
			at = path
		}
		if len(d.faults) > task.MaxFaults || !d.faulty(at) {
			d.add(at, task.CodeBadValue, "%s", f.Msg)
		}
	}
}
