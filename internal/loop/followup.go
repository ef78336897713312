package loop

import (
	"fmt"

	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// followUp is what a claimed task carries over from the one that it follows up,
// nil if it follows up none.
func (p *pass) followUp(id string) (*round.FollowUp, error) {
	asked, ok, err := record.RequestedFollowUp(p.store.Loop(), id)
	if !ok || err != nil {
		return nil, err
	}
	r, err := p.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h, err := r.Task(asked.Of)
	if err != nil {
		return nil, fmt.Errorf("follow up %s: %w", asked.Of, err)
	}
	return carriedOver(h.State, asked), nil
}

// carriedOver is what the task in state s leaves to its follow-up.
func carriedOver(s round.State, asked record.FollowUp) *round.FollowUp {
	f := &round.FollowUp{
		Of: asked.Of, Root: asked.Of, Answer: asked.Answer, Approved: asked.Approve,
		Key: idempotencyKey(s), Ops: s.Ops, Evidence: s.LastEvidence(), Previous: []plan.Previous{},
		AddRounds: asked.AddRounds, AddCost: asked.AddCost,
	}
	if before := s.Claimed.FollowUp; before != nil {
		f.Root = before.Root
		f.Previous = append(f.Previous, before.Previous...)
	}
	f.Previous = append(f.Previous, s.Previous()...)
	return f
}
