package flow

import (
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A host plays one task: it is the round.Host of a workflow.
type host struct {
	Left
	in      Input
	chain   record.Chain
	ctx     workflow.Context // of the workflow
	draw    func(workflow.Context) float64
	orders  workflow.ReceiveChannel
	stop    workflow.CancelFunc // of the generator under way
	problem string
}

var _ round.Host[workflow.Context] = (*host)(nil)

// Facts implements round.Host. Breakers and the day's spending of other tasks
// are not known here; a task that was held looks for itself whether its target
// works again, which is what a probe is.
func (h *host) Facts(ctx workflow.Context, s round.State) (round.Facts, error) {
	now := workflow.Now(ctx).UTC().Round(0)
	f := round.Facts{Now: now, Draw: h.draw(ctx), Cancel: h.Cancel, Paused: h.pausedUntil(now)}
	if s.Next == round.Start && !f.Cancel {
		f.Pause = h.Pause
		f.Probe = s.Decision.Kind == task.Held
	}
	return f, nil
}

func (h *host) pausedUntil(now time.Time) unit.Duration {
	sum := h.PausedFor
	if h.Pause {
		sum += now.Sub(h.PausedSince)
	}
	return unit.Duration(sum)
}

// Preflight implements round.Host.
func (h *host) Preflight(ctx workflow.Context, s round.State) (res round.PreflightResult, err error) {
	return res, h.repeat(ctx, Preflight, h.checksTake(s), &res)
}

// Generate implements round.Host. The activity is tried once: whatever ends it
// without an answer is a try that was interrupted, and the core counts it. Only
// an answer that says that nothing was started is asked for again.
func (h *host) Generate(ctx workflow.Context, s round.State) (round.Try, error) {
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		out, err := h.generate(ctx, s)
		switch {
		case timedOut(err, enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START):
			h.Worker = "" // it is gone, and the tree with it
			continue
		case err != nil:
			h.problem, h.Worker = "", ""
			return lost(s, "nobody saw the generator end: "+reason(err)), nil
		case out.Unready == "":
			h.problem, h.Worker = "", out.Worker
			return out.Try, nil
		}
		h.problem = Generate + ": " + string(out.Unready) + ": " + out.Detail
		if h.Cancel {
			return lost(s, "cancelled before the generator ran"), nil
		}
		if err := workflow.Sleep(ctx, wait); err != nil {
			return round.Try{}, err
		}
	}
}

func (h *host) generate(ctx workflow.Context, s round.State) (out Generated, err error) {
	ctx, h.stop = workflow.WithCancel(ctx)
	defer func() { h.stop = nil }()
	if h.Cancel {
		h.stop()
	}
	o := h.options(s.Policy.TryTimeout.Std() + slack)
	switch m := s.Request.Model; {
	case h.Worker != "" && s.Tries > 1 && !s.Request.Reset: // what the try before left is there
		o.TaskQueue, o.ScheduleToStartTimeout = WorkerQueue(h.in.Setup.Queue, h.Worker), patience
	case h.in.Setup.limits(m):
		o.TaskQueue = ModelQueue(h.in.Setup.Queue, m)
	}
	ctx = workflow.WithActivityOptions(ctx, o)
	err = workflow.ExecuteActivity(ctx, Generate, h.call()).Get(ctx, &out)
	return out, err
}

// lost is a try whose end nobody saw. What it did outside is not known.
func lost(s round.State, why string) round.Try {
	t := s.Lost(why)
	if len(s.Task.Operations) > 0 {
		t.Effects.Torn = "missing"
	}
	return t
}

// Verify implements round.Host.
func (h *host) Verify(ctx workflow.Context, s round.State) (ev round.Evidence, err error) {
	return ev, h.repeat(ctx, Verify, h.checksTake(s), &ev)
}

// Wait implements round.Host: a timer of the engine, which a cancel ends.
func (h *host) Wait(ctx workflow.Context, s round.State) (bool, error) {
	left := s.NotBefore.Sub(workflow.Now(ctx))
	if left <= 0 {
		return true, nil
	}
	_, err := workflow.AwaitWithTimeout(ctx, left, func() bool { return h.Cancel })
	return true, err
}

// Consult implements round.Host.
func (h *host) Consult(ctx workflow.Context, s round.State) (c round.Consulted, err error) {
	return c, h.repeat(ctx, Consult, s.Policy.Strategies[s.Decision.Strategy].Timeout.Std()+slack, &c)
}

// Observe implements round.Host.
func (h *host) Observe(ctx workflow.Context, s round.State) (o round.Observed, err error) {
	return o, h.repeat(ctx, Observe, s.Policy.Effects[s.Decision.Op].Timeout.Std()+slack, &o)
}

// Compensate implements round.Host.
func (h *host) Compensate(ctx workflow.Context, s round.State) (o round.Observed, err error) {
	return o, h.repeat(ctx, Compensate, s.Policy.Effects[s.Decision.Op].Timeout.Std()+slack, &o)
}

// Land implements round.Host.
func (h *host) Land(ctx workflow.Context, _ round.State) (l round.Landed, err error) {
	return l, h.repeat(ctx, Land, slack, &l)
}

// Finish implements round.Host. The names of rejected tries were made when they
// were; that a worker frees its tree is worth one attempt, no more.
func (h *host) Finish(ctx workflow.Context, s round.State) (round.Finished, error) {
	done := round.Finished{Workspace: "reset"}
	for n, try := range s.Rejected() {
		done.RejectedRefs = append(done.RejectedRefs, TryRef(h.in.ID, n, try.N))
	}
	if h.Worker != "" {
		o := h.options(slack)
		o.TaskQueue, o.ScheduleToStartTimeout = WorkerQueue(h.in.Setup.Queue, h.Worker), patience
		ctx := workflow.WithActivityOptions(ctx, o)
		if err := workflow.ExecuteActivity(ctx, Forget, h.call()).Get(ctx, nil); err != nil {
			workflow.GetLogger(ctx).Warn("the tree of a task was not freed", "task", h.in.ID, "error", err)
		}
	}
	return done, nil
}

// Record implements round.Host. What the workflow remembers is as durable as
// its history.
func (h *host) Record(ctx workflow.Context, events ...round.Event) (err error) {
	h.chain, err = h.chain.Append(workflow.Now(ctx), events...)
	return err
}

// end has the records kept where they belong.
func (h *host) end(ctx workflow.Context) error {
	o := h.options(slack)
	o.TaskQueue = ControlQueue(h.in.Setup.Queue)
	return h.repeatWith(ctx, o, Return, nil)
}

// reason is what an activity failed for, without the engine's own words.
func reason(err error) string {
	var app *temporal.ApplicationError
	var timeout *temporal.TimeoutError
	var canceled *temporal.CanceledError
	switch {
	case errors.As(err, &timeout):
		return "its worker was not heard of any more (" + timeout.TimeoutType().String() + ")"
	case errors.As(err, &app):
		return app.Message()
	case errors.As(err, &canceled):
		return "cancelled"
	}
	return err.Error()
}

func timedOut(err error, kind enumspb.TimeoutType) bool {
	var timeout *temporal.TimeoutError
	return errors.As(err, &timeout) && timeout.TimeoutType() == kind
}
