package loop

import (
	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/round"
)

// prompt is what the generator is given on stdin.
func (h *host) prompt(s round.State) string {
	b := plan.Brief{
		ID: s.Task.ID, Title: s.Task.Title, Goal: s.Task.Goal, Context: s.Task.Context,
		Allow: s.Task.Allow, Protect: s.Task.Protect, Plan: s.Request.Plan, Answer: answer(s),
		Inject: s.Request.Inject, Share: s.Request.Share, Floor: s.Request.Floor,
	}
	for _, p := range h.profiles(s) {
		for _, c := range p.Checks {
			if c.Hidden == "" {
				b.Checks = append(b.Checks, c.Run)
			}
		}
	}
	return plan.Prompt(b)
}
