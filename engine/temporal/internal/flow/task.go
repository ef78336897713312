package flow

import (
	"fmt"
	"math/rand/v2"

	"go.temporal.io/sdk/workflow"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// A Player plays tasks. The zero value is the one for production.
type Player struct {
	// Draw is a random number in [0,1), for the jitter of waits.
	Draw func(workflow.Context) float64
}

// Task plays a task to its end and has its records kept. It is the workflow.
func (p Player) Task(ctx workflow.Context, in Input) (Outcome, error) {
	h, err := p.open(ctx, in)
	if err != nil {
		return Outcome{}, err
	}
	s := h.chain.State()
	for s.Next != round.End {
		lines := len(h.chain.Lines())
		if s, err = round.Play(ctx, s, h); err != nil {
			return Outcome{}, fmt.Errorf("task %s: %w", in.ID, err)
		}
		if len(h.chain.Lines()) == lines {
			err = h.rest(ctx)
		}
		if err == nil && s.Next != round.End && h.grown(ctx) {
			return Outcome{}, workflow.NewContinueAsNewError(ctx, Name, h.input())
		}
		if err != nil {
			return Outcome{}, err
		}
	}
	if err := h.end(ctx); err != nil {
		return Outcome{}, err
	}
	return h.outcome(s), nil
}

func (p Player) open(ctx workflow.Context, in Input) (*host, error) {
	chain, err := record.ParseChain([]byte(in.Journal))
	if err != nil {
		return nil, fmt.Errorf("journal of %s: %w", in.ID, err)
	}
	if len(chain.Lines()) == 0 {
		return nil, fmt.Errorf("journal of %s: it has no claim", in.ID)
	}
	h := &host{in: in, ctx: ctx, chain: chain, Left: in.Carried, draw: p.Draw}
	if h.draw == nil {
		h.draw = draw
	}
	return h, h.listen(ctx)
}

// draw is drawn once; a replay is given the same number.
func draw(ctx workflow.Context) (n float64) {
	_ = workflow.SideEffect(ctx, func(workflow.Context) any { return rand.Float64() }).Get(&n) // a number that was just encoded
	return n
}

// grown reports that the history is large enough to begin a new one. The state
// goes along whole, in the journal.
func (h *host) grown(ctx workflow.Context) bool {
	info := workflow.GetInfo(ctx)
	most := h.in.Setup.Events
	return info.GetContinueAsNewSuggested() || most > 0 && info.GetCurrentHistoryLength() >= most
}

// input is what the next run of the workflow goes on with. Orders that came in
// meanwhile are taken along.
func (h *host) input() Input {
	h.drain()
	next := h.in
	next.Journal, next.Carried = string(h.chain.Text()), h.Left
	return next
}

func (h *host) outcome(s round.State) Outcome {
	return Outcome{
		ID: h.in.ID, Decision: s.Decision.Kind, Reason: s.Decision.Reason, Round: s.Round, Tries: s.Tries,
		Commit: s.Landed.Commit, Branch: s.Landed.Branch, Head: h.chain.Head(),
	}
}
