package flow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// claimed is the first event of a task with room for a few tries.
func claimed() round.Event {
	p := round.Policy{
		Land: "branch", MaxRounds: 3, SameFailure: 2, MaxTries: 8, MaxTokens: 1 << 40, Cost: 1 << 40, DailyCost: 1 << 40,
		WallClock: unit.Duration(2 * time.Hour), Deadline: unit.Duration(24 * time.Hour), TryTimeout: unit.Duration(time.Hour),
		Chains: recovery.DefaultChains(), Backoff: recovery.Backoff{Base: unit.Duration(time.Second), Factor: 2, Cap: unit.Duration(time.Minute), MaxWait: unit.Duration(time.Hour)},
		Boundary: round.Boundary{MaxFiles: 50},
	}
	return round.Event{Kind: round.Claim, Claimed: &round.Claimed{Task: task.Task{ID: "t1", Goal: "g", Verify: []string{"unit"}}, Policy: p, At: noon}}
}

// tried is a try that changed something, and passed how it is judged if it is.
func tried(n int) round.Event {
	return round.Event{Kind: round.Generate, Try: &round.Try{
		N: n, Ended: "exit", Failure: recovery.Failure{Category: recovery.None},
		Candidate: round.Candidate{Tree: fmt.Sprint("tree", n), Commit: fmt.Sprint("c", n), Changed: []round.Change{{Path: "a.go", Status: "M"}}},
	}}
}

func judged(passed bool, detail string) round.Event {
	c := round.CheckResult{Check: signature.Check{Argv: []string{"go", "test"}}, Passed: passed}
	if !passed {
		c.ExitCode, c.Failures = 1, []signature.Failure{{ID: "x", Class: "AssertionError", Detail: detail}}
	}
	return round.Event{Kind: round.Verify, Evidence: &round.Evidence{Checks: []round.CheckResult{c}}}
}

var landedEvent = round.Event{Kind: round.Land, Landed: &round.Landed{Mode: "branch", Commit: "c", Branch: "looprun/t1"}}

func TestHeartbeatTimeoutIsATryThatWasInterrupted(t *testing.T) {
	tl := newTeller([]round.Event{claimed(), tried(1), judged(true, ""), landedEvent})
	lost := temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_HEARTBEAT, nil)
	tl.before[Generate] = []any{lost}
	chain := tl.play(t, "t1")
	var ends []string
	for _, l := range chain.Lines() {
		if l.Kind == round.Generate {
			ends = append(ends, l.Try.Ended+" "+string(l.Try.Failure.Category))
		}
	}
	if got, want := strings.Join(ends, ", "), "interrupted interrupted, exit none"; got != want {
		t.Errorf("tries = %s; want %s", got, want)
	}
	if s := chain.State(); s.Tries != 2 || s.Decision.Kind != task.Completed {
		t.Errorf("it ended %s after %d starts; want completed after 2, each counted", s.Decision.Kind, s.Tries)
	}
	if diffs := round.Replay(eventsOf(chain)); len(diffs) > 0 {
		t.Errorf("Replay = %v; want none", diffs)
	}
}

func TestStepThatBearsRepeatingIsRepeatedWithoutAStart(t *testing.T) {
	tl := newTeller([]round.Event{claimed(), tried(1), judged(true, ""), landedEvent})
	tl.before[Verify] = []any{temporal.NewApplicationError("the remote is away", "io")}
	tl.before[Return] = []any{temporal.NewApplicationError("another has the lock", "busy")}
	s := tl.play(t, "t1").State()
	if s.Tries != 1 || s.Decision.Kind != task.Completed {
		t.Errorf("it ended %s after %d starts; want completed after 1", s.Decision.Kind, s.Tries)
	}
}

func TestGeneratorThatCouldNotStartCostsNoStart(t *testing.T) {
	tl := newTeller([]round.Event{claimed(), tried(1), judged(true, ""), landedEvent})
	unready := Generated{Unready: task.DiskFull, Detail: "1 MiB is free"}
	tl.before[Generate] = []any{unready, unready, unready}
	if s := tl.play(t, "t1").State(); s.Tries != 1 || s.Decision.Kind != task.Completed {
		t.Errorf("it ended %s after %d starts; want completed after 1", s.Decision.Kind, s.Tries)
	}
}

func TestPausedTaskGoesOnAfterResumeAndItsPauseIsCounted(t *testing.T) {
	tl := newTeller([]round.Event{claimed(), tried(1), judged(false, "A"), tried(2), judged(true, ""), landedEvent})
	tl.env.RegisterDelayedCallback(func() { tl.env.SignalWorkflow(OrderSignal, Order{Verb: PauseVerb}) }, 0)
	tl.env.RegisterDelayedCallback(func() { tl.env.SignalWorkflow(OrderSignal, Order{Verb: ResumeVerb}) }, 3*time.Hour)
	chain := tl.play(t, "t1")
	last := time.Duration(0)
	for _, l := range chain.Lines() {
		if l.Facts != nil {
			last = l.Facts.Paused.Std()
		}
	}
	if s := chain.State(); s.Decision.Kind != task.Completed || last != 3*time.Hour {
		t.Errorf("it ended %s, paused %s; want completed, paused 3h", s.Decision.Kind, last)
	}
}

func TestLongHistoryIsContinuedAsNewWithAllThatIsKnown(t *testing.T) {
	tl := newTeller([]round.Event{claimed(), tried(1), judged(false, "A"), tried(2), judged(true, ""), landedEvent})
	tl.env.SetCurrentHistoryLength(2001)
	claim, err := record.Chain{}.Append(noon, claimed())
	if err != nil {
		t.Fatal(err)
	}
	tl.env.ExecuteWorkflow(Name, Input{ID: "t1", Journal: string(claim.Text()), Setup: Setup{Queue: "q", Heartbeat: time.Second, Events: 2000}})
	again, ok := continued(tl.env.GetWorkflowError())
	if !ok {
		t.Fatalf("workflow = %v; want it continued as new", tl.env.GetWorkflowError())
	}
	var in Input
	if err := DataConverter().FromPayloads(again.Input, &in); err != nil {
		t.Fatal(err)
	}
	chain, err := record.ParseChain([]byte(in.Journal))
	if s := chain.State(); err != nil || s.Next != round.Start || s.Round != 2 || in.Carried.Worker != "w1" {
		t.Errorf("goes on at %s of round %d on %q, %v; want the start of round 2 on w1", s.Next, s.Round, in.Carried.Worker, err)
	}
}

func continued(err error) (*workflow.ContinueAsNewError, bool) {
	for err != nil {
		if c, ok := err.(*workflow.ContinueAsNewError); ok {
			return c, true
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = u.Unwrap()
	}
	return nil, false
}

// What goes into history stays small: after eight rounds of a hundred failures
// the whole journal is one payload.
func TestPayloadsStayBelowAHundredKiB(t *testing.T) {
	chain, err := record.Chain{}.Append(noon, claimed())
	if err != nil {
		t.Fatal(err)
	}
	for n := range 8 {
		ev := judged(false, "")
		for f := range 100 {
			ev.Evidence.Checks[0].Failures = append(ev.Evidence.Checks[0].Failures,
				signature.Failure{ID: fmt.Sprintf("pkg/%d TestOf%d", n, f), Class: "AssertionError", Detail: strings.Repeat(fmt.Sprintf("want %d got %d; ", n*f, f), 12)})
		}
		chain, err = chain.Append(noon, round.Event{Kind: round.Start, Facts: &round.Facts{Now: noon}}, tried(n+1), ev,
			round.Event{Kind: round.Decide, Facts: &round.Facts{Now: noon}, Decision: &round.Decision{Kind: task.Retry, NewRound: true, After: round.Start}})
		if err != nil {
			t.Fatal(err)
		}
	}
	got := payload(t, Call{ID: "t1", Journal: string(chain.Text())})
	t.Logf("a journal of %d bytes is a payload of %d", len(chain.Text()), got)
	if got > 100<<10 {
		t.Errorf("payload = %d bytes; want 100 KiB at most", got)
	}
}

func TestCallOfAnActivityIsTriedOnce(t *testing.T) {
	h := &host{in: Input{Setup: Setup{Queue: "q", Heartbeat: time.Second}}}
	if o := h.options(time.Minute); o.RetryPolicy.MaximumAttempts != 1 || o.HeartbeatTimeout != time.Second || !o.WaitForCancellation {
		t.Errorf("options = %+v; want one attempt, with heartbeat, and what a cancelled one says", o)
	}
}
