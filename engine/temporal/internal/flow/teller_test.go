package flow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// A teller answers the steps of a workflow with what a journal says of them,
// and moves the workflow's clock to the times that stand in it.
type teller struct {
	env    *testsuite.TestWorkflowEnvironment
	events []round.Event
	asked  int           // the event that was asked for last
	facts  []round.Facts // those to come
	ended  string        // the journal that was to be kept
	calls  []string
	mocks  []func()         // set once every activity is registered
	before map[string][]any // what a step is answered with at first: a value or an error
}

func newTeller(events []round.Event) *teller {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	t := &teller{env: suite.NewTestWorkflowEnvironment(), events: events, before: map[string][]any{}}
	for _, e := range events {
		if e.Facts != nil {
			t.facts = append(t.facts, *e.Facts)
		}
	}
	t.env.SetStartTime(events[0].Claimed.At)
	t.env.SetTestTimeout(time.Minute)
	t.env.RegisterWorkflowWithOptions(Player{Draw: t.draw}.Task, workflow.RegisterOptions{Name: Name})
	t.env.SetDataConverter(DataConverter())
	t.answer(Preflight, func(e round.Event) any { return e.Preflight })
	t.answer(Generate, func(e round.Event) any { return Generated{Try: *e.Try, Worker: "w1"} })
	t.answer(Verify, func(e round.Event) any { return e.Evidence })
	t.answer(Consult, func(e round.Event) any { return e.Consulted })
	t.answer(Land, func(e round.Event) any { return e.Landed })
	t.answer(Forget, nil)
	t.answer(Return, nil)
	for _, mock := range t.mocks {
		mock()
	}
	return t
}

// kinds are the events that the steps are recorded as.
var kinds = map[string]round.Kind{Preflight: round.Preflight, Generate: round.Generate, Verify: round.Verify, Consult: round.Consult, Land: round.Land}

// draw gives the random numbers of the journal, one for each time that facts
// were asked for.
func (t *teller) draw(workflow.Context) float64 {
	if len(t.facts) == 0 {
		return 0
	}
	f := t.facts[0]
	t.facts = t.facts[1:]
	return f.Draw
}

func (t *teller) answer(step string, of func(round.Event) any) {
	do := func(_ context.Context, c Call) (json.RawMessage, error) {
		t.calls = append(t.calls, step)
		if first := t.before[step]; len(first) > 0 {
			t.before[step] = first[1:]
			if err, ok := first[0].(error); ok {
				return nil, err
			}
			return json.Marshal(first[0])
		}
		if step == Return {
			t.ended = c.Journal
		}
		if of == nil {
			return nil, nil
		}
		e, err := t.next(kinds[step])
		if err != nil {
			return nil, err
		}
		t.order()
		return json.Marshal(of(e))
	}
	t.env.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: step})
	t.mocks = append(t.mocks, func() { t.env.OnActivity(step, anything, anything).Return(do).AfterFn(t.until) })
}

// next is the event that a step is answered with.
func (t *teller) next(kind round.Kind) (round.Event, error) {
	for i := t.asked + 1; i < len(t.events); i++ {
		if t.events[i].Kind == kind {
			t.asked = i
			return t.events[i], nil
		}
	}
	return round.Event{}, fmt.Errorf("the journal has no more %s", kind)
}

// until is how long the step takes that is about to be answered: to the time of
// the facts that were recorded after it.
func (t *teller) until() time.Duration {
	at := t.asked + 1
	for ; at < len(t.events) && !answered(t.events[at].Kind); at++ {
	}
	for at++; at < len(t.events); at++ {
		if f := t.events[at].Facts; f != nil {
			return max(0, f.Now.Sub(t.env.Now()))
		}
		if answered(t.events[at].Kind) {
			break
		}
	}
	return 0
}

func answered(k round.Kind) bool {
	for _, kind := range kinds {
		if k == kind {
			return true
		}
	}
	return false
}

// order gives the orders that the facts of the journal show.
func (t *teller) order() {
	for i := t.asked + 1; i < len(t.events) && !answered(t.events[i].Kind); i++ {
		if f := t.events[i].Facts; f != nil && f.Cancel {
			t.env.SignalWorkflow(OrderSignal, Order{Verb: CancelVerb})
		}
	}
	last := round.Fold(t.events)
	if last.Next == round.Start && t.asked >= len(t.events)-3 { // it was left before a start
		t.env.SignalWorkflow(OrderSignal, Order{Verb: PauseVerb})
	}
}

// play plays the journal's task in the workflow and returns the journal that
// came about.
func (t *teller) play(tb testing.TB, id string) record.Chain {
	tb.Helper()
	claim, err := record.Chain{}.Append(t.events[0].Claimed.At, t.events[0])
	if err != nil {
		tb.Fatal(err)
	}
	t.env.RegisterDelayedCallback(func() { // only a task that rests is still there
		v, err := t.env.QueryWorkflow(JournalQuery)
		if err == nil {
			err = v.Get(&t.ended)
		}
		if err != nil {
			tb.Error(err)
		}
		t.env.CancelWorkflow()
	}, 10*24*time.Hour)
	t.env.ExecuteWorkflow(Name, Input{ID: id, Journal: string(claim.Text()), Setup: Setup{Queue: "q", Heartbeat: time.Second}})
	err = t.env.GetWorkflowError()
	if err != nil && (t.ended == "" || !strings.Contains(err.Error(), "canceled")) {
		tb.Fatalf("workflow: %v", err)
	}
	chain, err := record.ParseChain([]byte(t.ended))
	if err != nil {
		tb.Fatal(err)
	}
	return chain
}

// decisions are those of a journal as they are recorded, one a line.
func decisions(tb testing.TB, events []round.Event) string {
	tb.Helper()
	var out bytes.Buffer
	for _, e := range events {
		if e.Kind == round.Decide {
			if err := json.NewEncoder(&out).Encode(e.Decision); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return out.String()
}

func eventsOf(c record.Chain) (all []round.Event) {
	for _, l := range c.Lines() {
		all = append(all, l.Event)
	}
	return all
}

// payload is the size of a value as it goes into history.
func payload(tb testing.TB, v any) int {
	tb.Helper()
	p, err := DataConverter().ToPayload(v)
	if err != nil {
		tb.Fatal(err)
	}
	return len(p.GetData())
}
