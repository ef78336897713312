package record_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/unit"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// A player is a host whose generator and checks are written down: a word a
// try. It records as the loop does.
type player struct {
	store   *record.Store
	journal *record.Journal
	tries   []string
	now     time.Time
	acked   func() // after each record
	bare    bool   // no logs are written
}

// What a try of a player may be.
const (
	passes   = "passes"   // the checks pass
	unsound  = "unsound"  // a check fails, in another way each round
	fails    = "fails"    // a check fails, always in the same way
	idle     = "idle"     // nothing is changed, the checks pass
	limited  = "limited"  // the model has no capacity
	outside  = "outside"  // the candidate leaves its boundary
	question = "question" // the generator asks
)

func (p *player) Facts(_ struct{}, s round.State) (round.Facts, error) {
	p.now = p.now.Add(1234567 * time.Nanosecond)
	return round.Facts{Now: p.now, Draw: 0.25}, nil
}

func (p *player) Preflight(struct{}, round.State) (round.PreflightResult, error) {
	return round.PreflightResult{DurationMS: 5, Skipped: []string{"unit: slow"}}, nil
}

func (p *player) Generate(_ struct{}, s round.State) (round.Try, error) {
	p.now = p.now.Add(time.Minute)
	dir := fmt.Sprintf("attempts/round-%03d", s.Round) // for the logs
	if !p.bare {
		if err := fsx.Scratch(p.journal.Dir()).MkdirAll(dir); err != nil {
			return round.Try{}, err
		}
	}
	cost := unit.Money(10_000)
	t := round.Try{
		N: s.Tries, Started: s.Now, DurationMS: 60_000, Strategy: s.Request.Strategy, Mode: s.Request.Mode, Model: "m",
		Ended: "exit", Status: "candidate_ready", Summary: "did <it> & \u2028 more", Usage: &round.Usage{Input: 10, Output: 5}, Cost: &cost,
		Failure: recovery.Failure{Category: recovery.None}, ProcessControl: "subreaper",
		Candidate: round.Candidate{
			Base: digest("base"), Tree: digest("tree", s.Tries), Commit: digest("commit", s.Tries), Lines: 3,
			Changed: []round.Change{{Path: "a.go", Status: "M", OldMode: "100644", NewMode: "100644", Added: 2, Deleted: 1, Size: 9}},
			Patch:   round.File{Path: "attempts/round-001/candidate.patch", SHA256: strings.Repeat("a", 64), Bytes: 7},
		},
		Request: round.File{Path: "attempts/round-001/request.json", SHA256: strings.Repeat("b", 64), Bytes: 7},
		Report:  round.File{Missing: "the generator wrote none"},
	}
	switch p.tries[s.Tries-1] {
	case idle:
		t.Status, t.Candidate = "no_change", round.Candidate{Base: digest("base"), Tree: digest("base tree")}
	case limited:
		wait := 90 * time.Second
		t.Failure = recovery.Failure{Category: recovery.Overloaded, Class: recovery.Capacity, Rule: "overloaded", Retryable: true, RetryAfter: &wait, Status: 529, Detail: "overloaded"}
		t.Candidate, t.ExitCode, t.Cost, t.Usage = round.Candidate{Base: digest("base"), Tree: digest("base tree")}, 1, nil, nil
	case outside:
		t.Candidate.Changed[0].Path = "loop.yaml"
	case question:
		t.Status, t.Question = "needs_input", "which one?"
		t.Failure = recovery.Failure{Category: recovery.NeedsInfo, Class: recovery.Input, Rule: "report", Detail: "which one?"}
		t.Candidate = round.Candidate{Base: digest("base"), Tree: digest("base tree")}
	}
	return t, nil
}

func (p *player) Verify(_ struct{}, s round.State) (round.Evidence, error) {
	e := round.Evidence{Tree: s.Try.Candidate.Tree, DurationMS: 900}
	c := round.CheckResult{
		Check:   signature.Check{Argv: []string{"go", "test"}, PathTaken: "gotest:json", Tests: signature.Tests{Known: true, Run: 2, Passed: 2}},
		Profile: "unit", DurationMS: 900, Passed: true,
		Stdout: round.File{Path: "attempts/round-001/verify/unit-1.stdout", SHA256: strings.Repeat("c", 64), Bytes: 4},
	}
	detail := "undefined: y"
	switch p.tries[s.Tries-1] {
	case outside:
		e.Boundary = []signature.BoundaryError{{Code: "protected_path", Path: "loop.yaml"}}
		return e, nil
	case unsound:
		detail = fmt.Sprint("undefined: y", strings.Repeat("y", s.Round))
		fallthrough
	case fails:
		c.ExitCode, c.Passed, c.Tests.Passed = 1, false, 1
		c.Failures = []signature.Failure{{ID: "TestY", Class: "assertion", Detail: detail}}
	}
	e.Checks = []round.CheckResult{c}
	return e, nil
}

func (p *player) Wait(_ struct{}, s round.State) (bool, error) {
	p.now = s.NotBefore
	return true, nil
}

var errNotPlayed = errors.New("not played here")

func (p *player) Consult(struct{}, round.State) (round.Consulted, error) {
	return round.Consulted{}, errNotPlayed
}

func (p *player) Observe(struct{}, round.State) (round.Observed, error) {
	return round.Observed{}, errNotPlayed
}

func (p *player) Compensate(struct{}, round.State) (round.Observed, error) {
	return round.Observed{}, errNotPlayed
}

func (p *player) Land(_ struct{}, s round.State) (round.Landed, error) {
	return round.Landed{Mode: s.Policy.Land, Branch: "looprun/" + s.Task.ID, Commit: s.Try.Candidate.Commit}, nil
}

func (p *player) Finish(struct{}, round.State) (round.Finished, error) {
	return round.Finished{Workspace: "reset"}, nil
}

func (p *player) Record(_ struct{}, events ...round.Event) error {
	if err := p.journal.Append(p.now, events...); err != nil {
		return err
	}
	if p.acked != nil {
		p.acked()
	}
	return errors.Join(p.store.Render(p.journal), p.store.Tell(p.journal))
}

// play takes the task to its end.
func (p *player) play() error {
	s := p.journal.State()
	for s.Next != round.End {
		var err error
		if s, err = round.Play(struct{}{}, s, p); err != nil {
			return err
		}
	}
	return nil
}

// playOn goes on after a crash: a start without an outcome is a try that ended
// interrupted.
func (p *player) playOn() error {
	if s := p.journal.State(); s.Next == round.Generate {
		try := round.Try{N: s.Tries, Started: s.Now, Ended: "interrupted", ExitCode: -1, Failure: recovery.Failure{Category: recovery.Interrupted, Retryable: true}}
		if err := p.Record(struct{}{}, round.Event{Kind: round.Generate, Try: &try}); err != nil {
			return err
		}
		p.tries = append(p.tries, p.tries[len(p.tries)-1]) // it may start once more
	}
	return p.play()
}
