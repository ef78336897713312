package round

import (
	"encoding/json"
	"flag"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A chaos host answers every question at random, within what a host may
// answer, and watches that the core keeps its promises.
type chaos struct {
	*script
	t       *rapid.T
	folded  State // the journal's
	policy  Policy
	started map[int]Request // by try
	counted int             // starts that were no probes
	probes  int
}

var categories = append(recovery.Categories(), recovery.None, recovery.None, recovery.None, recovery.VerificationFailed)

func (h *chaos) Facts(_ struct{}, s State) (Facts, error) {
	h.now = h.now.Add(time.Duration(rapid.IntRange(0, 90).Draw(h.t, "seconds pass")) * time.Second)
	f := Facts{Now: h.now, Draw: rapid.Float64Range(0, 0.999).Draw(h.t, "draw")}
	f.Cancel = rapid.IntRange(0, 40).Draw(h.t, "cancel") == 0
	f.RetriesFull = rapid.IntRange(0, 9).Draw(h.t, "retries full") == 0
	if rapid.IntRange(0, 15).Draw(h.t, "broken") == 0 {
		f.BrokenBy = "t0"
	}
	if rapid.IntRange(0, 30).Draw(h.t, "spent") == 0 {
		f.SpentToday = s.Policy.DailyCost
	}
	f.Probe = s.Next == Start && s.Decision.Kind == task.Held && rapid.Bool().Draw(h.t, "probe")
	if rapid.IntRange(0, 20).Draw(h.t, "held target") == 0 {
		f.Open = []Target{{Name: "model m", Until: h.now.Add(time.Minute), Reason: task.BreakerOpen}}
	}
	return f, nil
}

func (h *chaos) Generate(_ struct{}, s State) (Try, error) {
	h.watchStart(s)
	trees := rapid.SampledFrom([]string{"base", "t1", "t2", strconv.Itoa(s.Tries)})
	t := Try{
		N: s.Tries, Ended: "exit", Strategy: s.Request.Strategy, DurationMS: 1000,
		SessionID: rapid.SampledFrom([]string{"", "s1"}).Draw(h.t, "session"),
		Candidate: Candidate{Tree: trees.Draw(h.t, "tree")},
		Failure: recovery.Failure{
			Category: rapid.SampledFrom(categories).Draw(h.t, "category"),
			Detail:   rapid.SampledFrom([]string{"x", "y", strconv.Itoa(s.Tries)}).Draw(h.t, "detail"),
		},
	}
	if t.Failure.Category == recovery.VerificationFailed {
		t.Failure.Category = recovery.None // a try never fails so by itself
	}
	if t.Candidate.Tree != "base" {
		t.Candidate.Changed = []Change{{Path: "a", Status: "M"}}
	}
	if rapid.IntRange(0, 3).Draw(h.t, "asks to wait") == 0 {
		ask := time.Duration(rapid.IntRange(1, 20000).Draw(h.t, "s")) * time.Second
		t.Failure.RetryAfter = &ask
	}
	for _, op := range s.Task.Operations {
		if rapid.Bool().Draw(h.t, "intent") {
			t.Effects.Lines = append(t.Effects.Lines, EffectLine{Op: op, ID: "1", Status: "intent"})
		}
	}
	return t, nil
}

// watchStart holds what must be true whenever the generator is started.
func (h *chaos) watchStart(s State) {
	if s.Request.Probe {
		h.probes++
	} else {
		h.counted++
	}
	if h.counted > h.policy.MaxTries {
		h.t.Fatalf("start %d of at most %d", h.counted, h.policy.MaxTries)
	}
	for _, op := range s.Ops {
		if op.Known == EffectUnknown || op.Known == Applied && s.Policy.Effects[op.Op].Repeat != "keyed" {
			h.t.Fatalf("started with operation %+v", op)
		}
	}
	if s.Round > 1 && s.Request.Plan.NewEvidence.Empty() {
		h.t.Fatalf("round %d started without new evidence", s.Round)
	}
	if s.Round > h.policy.MaxRounds {
		h.t.Fatalf("round %d of at most %d", s.Round, h.policy.MaxRounds)
	}
	if last, ok := h.started[s.Tries-1]; ok && !s.Request.Repeat && sameBytes(last, s.Request) {
		h.t.Fatalf("try %d was asked for what try %d was, but not by retry: %+v", s.Tries, s.Tries-1, s.Request)
	}
	h.started[s.Tries] = s.Request
}

// sameBytes compares what of a request reaches the generator.
func sameBytes(a, b Request) bool {
	for _, r := range []*Request{&a, &b} {
		r.Repeat, r.Probe, r.Reset, r.Resume = false, false, false, ""
	}
	return cmp.Equal(a, b)
}

func (h *chaos) Verify(_ struct{}, s State) (Evidence, error) {
	e := Evidence{Tree: s.Try.Candidate.Tree, DurationMS: 1000}
	switch rapid.IntRange(0, 9).Draw(h.t, "verdict") {
	case 0, 1:
		e.Checks = passing().Checks
	case 2:
		e.Boundary = []signature.BoundaryError{{Code: "protected_path", Path: "x"}}
	case 3:
		e.Checks, e.Infra = failing("refused").Checks, true
	default:
		e.Checks = failing(rapid.SampledFrom([]string{"A", "B", strconv.Itoa(s.Tries)}).Draw(h.t, "failure")).Checks
	}
	return e, nil
}

func (h *chaos) Observe(_ struct{}, s State) (Observed, error) {
	result := rapid.SampledFrom([]string{EffectUnknown, Applied, NotApplied}).Draw(h.t, "observed")
	return Observed{Op: s.Decision.Op, ID: s.Decision.OpID, Result: result}, nil
}

func (h *chaos) Compensate(_ struct{}, s State) (Observed, error) {
	result := rapid.SampledFrom([]string{"done", "failed"}).Draw(h.t, "undone")
	return Observed{Op: s.Decision.Op, ID: s.Decision.OpID, Result: result}, nil
}

func (h *chaos) Land(_ struct{}, s State) (Landed, error) {
	if rapid.IntRange(0, 3).Draw(h.t, "land") == 0 {
		return Landed{Mode: s.Policy.Land, Reason: task.LandFailed}, nil
	}
	return Landed{Mode: s.Policy.Land, Commit: "c"}, nil
}

func (h *chaos) Record(_ struct{}, events ...Event) error {
	for _, e := range events {
		before := h.folded
		h.journal, h.folded = append(h.journal, e), before.Apply(e)
		h.watch(before, e, h.folded)
	}
	return nil
}

// watch holds what must be true of every start and every decision.
func (h *chaos) watch(before State, e Event, after State) {
	if e.Kind == Start && (len(e.Facts.Open) > 0 || e.Facts.SpentToday+before.Reserve(*e.Facts) > h.policy.DailyCost) {
		h.t.Fatalf("started in spite of %+v", e.Facts)
	}
	if e.Kind != Decide {
		return
	}
	h.watchTarget(before, *e.Decision, *e.Facts)
	d, now := *e.Decision, e.Facts.Now
	deadline := before.deadline(*e.Facts)
	if wait := d.NotBefore.Sub(now); d.Kind == task.Retry && d.Delay > 0 {
		if wait < d.RetryAfter.Std() {
			h.t.Fatalf("waits %s although %s were asked for", wait, d.RetryAfter)
		}
		if !d.NotBefore.Before(deadline) {
			h.t.Fatalf("waits until %s, past the deadline %s", d.NotBefore, deadline)
		}
	}
	if d.Kind == task.Held && (before.Round != after.Round || !cmp.Equal(before.Used, after.Used) || before.Streak.Count != after.Streak.Count) {
		h.t.Fatalf("a hold for %s changed the task's counters", d.Reason)
	}
	if d.Kind == task.Completed && !before.Passed() {
		h.t.Fatalf("completed without a verdict that passed")
	}
}

// watchTarget wants nothing more asked of a target that is held, or that was
// asked again too often already.
func (h *chaos) watchTarget(before State, d Decision, f Facts) {
	if d.Kind != task.Retry || before.traits(d.Strategy, d.Category).NewTarget {
		return
	}
	if len(f.Open) > 0 && d.Category.FeedsBreaker() {
		h.t.Fatalf("%s after %s, although the target is held", d.Strategy, d.Category)
	}
	if f.RetriesFull && d.Category.Class() == recovery.Transient {
		h.t.Fatalf("%s after %s, although the retry budget is used up", d.Strategy, d.Category)
	}
}

func drawPolicy(t *rapid.T) Policy {
	p := testPolicy()
	p.MaxRounds = rapid.IntRange(1, 5).Draw(t, "max rounds")
	p.MaxTries = rapid.IntRange(1, 9).Draw(t, "max tries")
	p.SameFailure = rapid.IntRange(1, 4).Draw(t, "same failure limit")
	p.Models = p.Models[:rapid.IntRange(0, 2).Draw(t, "models")]
	p.Resume = rapid.Bool().Draw(t, "resume")
	p.InPlace = rapid.IntRange(0, 5).Draw(t, "in place") == 0
	p.Deadline = unit.Duration(24 * time.Hour)
	p.Backoff.Jitter = true
	return p
}

// playChaos plays one random task and returns its journal.
func playChaos(t *rapid.T) []Event {
	p := drawPolicy(t)
	claim := claimEvent(p)
	if rapid.IntRange(0, 2).Draw(t, "operations") == 0 {
		repeat := rapid.SampledFrom([]string{"safe", "keyed", "never"}).Draw(t, "repeat")
		claim.Claimed.Task.Operations = []string{"order"}
		claim.Claimed.Policy.Effects = map[string]Effect{"order": {Target: "shop", Repeat: repeat, Observe: []string{"look"}}}
	}
	h := &chaos{script: &script{now: noon, journal: []Event{claim}}, t: t, policy: p, started: map[int]Request{}}
	s := State{}.Apply(claim)
	h.folded = s
	for step := 0; s.Next != End; step++ {
		if step > 2000 {
			t.Fatalf("the task does not end: at %s of round %d, try %d", s.Next, s.Round, s.Tries)
		}
		var err error
		if s, err = Play(struct{}{}, s, h); err != nil {
			t.Fatal(err)
		}
	}
	if s.Stage() == "" {
		t.Fatalf("the task ended by %s, which belongs in no stage", s.Decision.Kind)
	}
	return h.journal
}

// Wait of a chaos host always comes to its end.
func (h *chaos) Wait(_ struct{}, s State) (bool, error) {
	if h.now.Before(s.NotBefore) {
		h.now = s.NotBefore
	}
	return true, nil
}

// long is the number of sequences that LOOPRUN_LONG asks for.
const long = "100000"

// As many sequences are tried as -rapid.checks says, a hundred if it says
// nothing. With LOOPRUN_LONG set they are 100,000, which takes ten seconds of
// CPU: for releases and nightly runs.
func TestInvariantsHoldWhateverHappens(t *testing.T) {
	if os.Getenv("LOOPRUN_LONG") != "" {
		checks := flag.Lookup("rapid.checks").Value
		defer checks.Set(checks.String())
		if err := checks.Set(long); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) { playChaos(t) })
}

func TestEveryDecisionIsReplayed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if diffs := Replay(playChaos(t)); len(diffs) > 0 {
			t.Fatalf("Replay = %v; want none", diffs)
		}
	})
}

// An old state stays what it was: later events write through nothing of it, and
// neither does another event applied to the same state.
func TestApplyChangesNoOlderState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		journal := playChaos(t)
		states := make([]State, len(journal)+1)
		told := make([]string, len(journal)+1)
		for i, e := range journal {
			states[i+1] = states[i].Apply(e)
			told[i+1] = whole(t, states[i+1])
		}
		for i, e := range journal {
			states[i].Apply(e)
		}
		for i := range states[1:] {
			if now := whole(t, states[i+1]); now != told[i+1] {
				t.Fatalf("state %d changed later:\n%s", i+1, cmp.Diff(told[i+1], now))
			}
		}
	})
}

// whole is all that s holds and points to.
func whole(t interface{ Fatal(...any) }, s State) string {
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Cut anywhere and folded again, a journal's prefix tells the same history.
func TestHistoryOnlyGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		journal := playChaos(t)
		cut := rapid.IntRange(1, len(journal)).Draw(t, "cut")
		part, whole := Fold(journal[:cut]), Fold(journal)
		for i, r := range part.Rounds[:len(part.Rounds)-1] {
			if diff := cmp.Diff(r, whole.Rounds[i], cmp.AllowUnexported()); diff != "" {
				t.Fatalf("round %d changed after it was over:\n%s", r.N, diff)
			}
		}
	})
}
