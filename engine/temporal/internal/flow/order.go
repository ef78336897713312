package flow

import (
	"go.temporal.io/sdk/workflow"

	"looprun.dev/looprun/internal/record"
)

// listen answers queries and takes orders for as long as the workflow runs.
func (h *host) listen(ctx workflow.Context) error {
	err := workflow.SetQueryHandler(ctx, StatusQuery, func() (Status, error) { return h.status(), nil })
	if err != nil {
		return err
	}
	err = workflow.SetQueryHandler(ctx, JournalQuery, func() (string, error) { return string(h.chain.Text()), nil })
	if err != nil {
		return err
	}
	h.orders = workflow.GetSignalChannel(ctx, OrderSignal)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var o Order
			h.orders.Receive(ctx, &o)
			h.obey(ctx, o)
		}
	})
	return nil
}

// drain takes the orders that nobody received yet.
func (h *host) drain() {
	for o := (Order{}); h.orders.ReceiveAsync(&o); o = (Order{}) {
		h.obey(h.ctx, o)
	}
}

// obey notes an order. A cancel ends the generator under way; a pause lets the
// step under way end first, unless it is to be now.
func (h *host) obey(ctx workflow.Context, o Order) {
	now := workflow.Now(ctx)
	switch {
	case o.Verb == CancelVerb:
		h.Cancel = true
	case o.Verb == PauseVerb && !h.Pause:
		h.Pause, h.PausedSince = true, now
	case o.Verb == ResumeVerb && h.Pause:
		h.Pause, h.PausedFor = false, h.PausedFor+now.Sub(h.PausedSince)
	}
	if h.stop != nil && (o.Verb == CancelVerb || o.Verb == PauseVerb && o.Now) {
		h.stop()
	}
}

func (h *host) status() Status {
	s := h.chain.State()
	return Status{
		StateView: record.NewStateView(s, h.chain.Head()), Decision: s.Decision.Kind, Reason: s.Decision.Reason,
		Paused: h.Pause, Cancel: h.Cancel, Worker: h.Worker, Problem: h.problem,
	}
}

// rest waits until a pause is over. A task that is cancelled does not wait.
func (h *host) rest(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return !h.Pause || h.Cancel })
}
