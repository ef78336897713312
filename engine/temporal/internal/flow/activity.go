package flow

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"looprun.dev/looprun/internal/round"
)

const (
	// slack is what a step may take beside the processes that it runs: fetching,
	// laying out a tree, reading it.
	slack = 15 * time.Minute
	// patience is how long the worker that has a task's tree is waited for.
	patience = 20 * time.Second
	// The pauses between two attempts at a step that bears repeating.
	firstPause, longestPause = time.Second, time.Minute
)

// options are those of every activity: one attempt, so that no start is ever
// made that the core does not know of.
func (h *host) options(limit time.Duration) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue: h.in.Setup.Queue, StartToCloseTimeout: limit, HeartbeatTimeout: h.in.Setup.Heartbeat,
		WaitForCancellation: true, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	}
}

func (h *host) call() Call { return Call{ID: h.in.ID, Journal: string(h.chain.Text())} }

// repeat asks for a step that bears repeating until it is answered. It ends
// with the workflow only: that a worker or a disk fails is no verdict.
func (h *host) repeat(ctx workflow.Context, step string, limit time.Duration, answer any) error {
	return h.repeatWith(ctx, h.options(limit), step, answer)
}

func (h *host) repeatWith(ctx workflow.Context, o workflow.ActivityOptions, step string, answer any) error {
	ctx = workflow.WithActivityOptions(ctx, o)
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		err := workflow.ExecuteActivity(ctx, step, h.call()).Get(ctx, answer)
		if err == nil {
			h.problem = ""
			return nil
		}
		h.problem = step + ": " + reason(err)
		if err := workflow.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// checksTake is how long the checks of a task may take, run again as they may
// be: at most what the task has left.
func (h *host) checksTake(s round.State) time.Duration {
	return max(time.Second, (s.Policy.WallClock-s.Spent.WallClock).Std()) + slack
}

func (s Setup) limits(model string) bool { return model != "" && slices.Contains(s.Models, model) }

// Queue is the task queue of a repository for the rules of this core.
func Queue(name string) string { return fmt.Sprintf("looprun/%s/v%d", name, Core) }

// ControlQueue is served where the records are kept.
func ControlQueue(queue string) string { return queue + "/control" }

// WorkerQueue is served by one worker only.
func WorkerQueue(queue, worker string) string { return queue + "/worker/" + worker }

// ModelQueue is served by those workers that may ask a model.
func ModelQueue(queue, model string) string { return queue + "/model/" + model }

// TryRef is the name of a candidate in every repository.
func TryRef(id string, r, try int) string { return fmt.Sprintf("refs/looprun/%s/r%d/t%d", id, r, try) }

// AcceptedRef names the candidate that was accepted.
func AcceptedRef(id string) string { return "refs/looprun/" + id + "/accepted" }

// BaseRef names the commit that a task starts from.
func BaseRef(id string) string { return "refs/looprun/" + id + "/base" }
