package loop

import (
	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// policy is what t is judged by. What its generator can do, only the adapter
// knows where loop.yaml does not say.
func (l *Loop) policy(t task.Task) round.Policy {
	p := l.cfg.Policy(t)
	p.Summarizer = l.cfg.Generator.Summarizer
	a, _ := generator.Find(l.cfg.Generator.Adapter)
	if _, given := l.cfg.Origin("generator.resume"); !given {
		p.Resume = a.CanResume
	}
	p.Compact = a.Compact
	return p
}

// tookSoFar is what the earlier tries of the session that is gone on with took.
func tookSoFar(s round.State) generator.Told {
	var t generator.Told
	for _, r := range s.Rounds {
		for _, p := range r.Tries {
			if p.Try.SessionID == "" || p.Try.SessionID != s.Request.Resume {
				continue
			}
			if u := p.Try.Usage; u != nil {
				t.Usage.Input, t.Usage.Output = t.Usage.Input+u.Input, t.Usage.Output+u.Output
				t.Usage.CacheRead, t.Usage.CacheWrite = t.Usage.CacheRead+u.CacheRead, t.Usage.CacheWrite+u.CacheWrite
			}
			if p.Try.Cost != nil {
				t.Cost += *p.Try.Cost
			}
		}
	}
	return t
}
