package config

import (
	"fmt"
	"strings"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

func (d *decoder) recovery(r *Recovery) reader {
	return d.section(map[string]reader{
		"backoff":      d.backoff(&r.Backoff),
		"inline_wait":  d.duration(&r.InlineWait),
		"hold":         d.duration(&r.Hold),
		"breaker":      d.breaker(&r.Breaker),
		"retry_budget": d.section(map[string]reader{"window": d.duration(&r.RetryBudget.Window), "max": count(d, &r.RetryBudget.Max, 1, maxCount)}),
		"chains":       d.chains(r),
		"patterns":     d.patterns(&r.Patterns),
		"strategies":   d.strategies(&r.Strategies),
	})
}

func (d *decoder) backoff(b *recovery.Backoff) reader {
	jitter := "equal"
	read := d.section(map[string]reader{
		"base":     d.duration(&b.Base),
		"factor":   d.fraction(&b.Factor, 1, 100),
		"cap":      d.duration(&b.Cap),
		"jitter":   d.choice(&jitter, "equal", "none"),
		"max_wait": d.duration(&b.MaxWait),
	})
	return func(n node, path string) {
		read(n, path)
		b.Jitter = jitter == "equal"
		d.ordered(path, "base", b.Base, "cap", b.Cap)
	}
}

func (d *decoder) breaker(b *recovery.Breaker) reader {
	read := d.section(map[string]reader{
		"consecutive": count(d, &b.Consecutive, 1, maxCount),
		"tasks":       count(d, &b.Tasks, 1, maxCount),
		"in_window":   count(d, &b.InWindow, 1, maxCount),
		"window":      d.duration(&b.Window),
		"open":        d.duration(&b.Open),
		"open_max":    d.duration(&b.OpenMax),
	})
	return func(n node, path string) {
		read(n, path)
		d.ordered(path, "open", b.Open, "open_max", b.OpenMax)
	}
}

// ordered records a bound that is below what it bounds.
func (d *decoder) ordered(path, low string, least unit.Duration, high string, most unit.Duration) {
	if least > most {
		d.add(member(path, low), task.CodeConflict, "%v is above %s (%v)", least, high, most)
	}
}

func (d *decoder) strategies(into *map[recovery.Strategy]round.Command) reader {
	return d.named(whyNoStrategy, func(name string, n node, path string) {
		c := round.Command{Timeout: defaultStrategyTimeout}
		d.entry(map[string]reader{
			"run":     d.argv(&c.Run),
			"timeout": d.duration(&c.Timeout),
			"tags":    d.tags(&c.Tags),
		}, "run")(n, path)
		if *into == nil {
			*into = map[recovery.Strategy]round.Command{}
		}
		(*into)[recovery.Strategy(name)] = c
	})
}

func whyNoStrategy(name string) string {
	if !strings.HasPrefix(name, "x-") || !recovery.KnownStrategy(recovery.Strategy(name)) {
		return fmt.Sprintf("bad name %q: a strategy of your own is called x- and then small letters, digits, '-' and '_'", task.Clip(name))
	}
	return ""
}

func (d *decoder) tags(into *[]string) reader {
	read := d.texts(into, checkName)
	return func(n node, path string) {
		read(n, path)
		if _, err := recovery.ParseTags(*into); err != nil {
			d.add(path, task.CodeBadValue, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
}
