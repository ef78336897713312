// Package plan owns what the next round is told: the new evidence, what failed
// before, and what must not be tried again. It is pure.
package plan

import "slices"

// Schema names the form of a plan file.
const Schema = "looprun.plan/1"

// A Plan is what a round from 2 on starts from.
type Plan struct {
	Schema      string     `json:"schema"`
	TaskID      string     `json:"task_id"`
	Round       int        `json:"round"`
	BasedOn     int        `json:"based_on_round"`
	NewEvidence Evidence   `json:"new_evidence"`
	Hypothesis  string     `json:"hypothesis"` // what is to be different this time
	Previous    []Previous `json:"previous"`
	DoNotRepeat []string   `json:"do_not_repeat"`
	BestRound   int        `json:"best_round"` // the one with the smallest failing set; 0: none was verified
	Strategy    Strategy   `json:"strategy"`
	Answer      string     `json:"answer,omitempty"` // a person's, of a follow-up task
}

// Evidence is what the round before showed.
type Evidence struct {
	BoundaryErrors    []BoundaryError    `json:"boundary_errors"`
	FailedCommands    []FailedCommand    `json:"failed_commands"`
	GeneratorFailures []GeneratorFailure `json:"generator_failures"`
	FailureSignature  string             `json:"failure_signature"`
}

// Empty reports whether there is nothing that a next round could go by. Then
// it must not start: a raised number alone is no new plan.
func (e Evidence) Empty() bool {
	return len(e.BoundaryErrors)+len(e.FailedCommands)+len(e.GeneratorFailures) == 0
}

// A BoundaryError is a way in which the candidate left its boundary.
type BoundaryError struct {
	Code string `json:"code"`
	Path string `json:"path"`
}

// A FailedCommand is a check that did not pass.
type FailedCommand struct {
	Argv     []string  `json:"argv"`
	ExitCode int       `json:"exit_code"`
	Signal   string    `json:"signal,omitempty"`
	Failures []Failure `json:"failures"`
}

// A Failure is one test or error of a failed command.
type Failure struct {
	ID     string `json:"id"`
	Class  string `json:"class"`
	Detail string `json:"detail"`
}

// A GeneratorFailure is a try that failed by itself.
type GeneratorFailure struct {
	Try      int    `json:"try"`
	Category string `json:"category"`
	Detail   string `json:"detail"`
}

// Previous is an earlier round in one line: what it did and how that failed.
type Previous struct {
	Round     int    `json:"round"`
	Signature string `json:"signature"`
	Approach  string `json:"approach"`
}

// Strategy says how the new round goes about it.
type Strategy struct {
	Name string `json:"name"`
	Mode string `json:"mode"` // repair, rethink, split
	Why  string `json:"why"`
}

// The modes of a new round.
const (
	Repair  = "repair"  // the failing set changed: go on from what was learnt
	Rethink = "rethink" // the same failure again: another approach
	Split   = "split"   // too big for one try: a smaller first part
)

// Next makes the plan of round p.Round: before is the plan of the round before
// it, nil if that had none, and p.Previous are the rounds that are not in it yet.
// It fills in the schema, the hypothesis and what must not be repeated. No list
// of before is written to.
func Next(before *Plan, p Plan) Plan {
	p.Schema = Schema
	p.Hypothesis = hypothesis(p)
	var known Plan
	if before != nil {
		known = *before
	}
	p.DoNotRepeat = doNotRepeat(known.DoNotRepeat, p.Previous)
	p.Previous = slices.Concat([]Previous{}, known.Previous, p.Previous)
	p.NewEvidence = p.NewEvidence.withLists()
	return p
}

// withLists turns missing lists into empty ones, so that readers of the file
// need not tell null from none.
func (e Evidence) withLists() Evidence {
	if e.BoundaryErrors == nil {
		e.BoundaryErrors = []BoundaryError{}
	}
	if e.FailedCommands == nil {
		e.FailedCommands = []FailedCommand{}
	}
	if e.GeneratorFailures == nil {
		e.GeneratorFailures = []GeneratorFailure{}
	}
	return e
}

// doNotRepeat lists each approach that ended in a failure, once: those that are
// known, and those of more rounds.
func doNotRepeat(known []string, more []Previous) []string {
	list := append([]string{}, known...)
	for _, p := range more {
		if p.Approach != "" && !slices.Contains(list, p.Approach) {
			list = append(list, p.Approach)
		}
	}
	return list
}

// hypothesis says in a sentence what is to be different in the new round.
func hypothesis(p Plan) string {
	switch {
	case p.Strategy.Mode == Split:
		return "The work was too large for one try: do a smaller first part that makes a check pass."
	case p.Strategy.Mode == Rethink:
		return "The same failure came back: the approach itself is wrong, so take another one."
	case changedNothing(p.NewEvidence):
		return "Nothing was changed and the checks still fail: the goal needs a change that makes them pass."
	case len(p.NewEvidence.FailedCommands) > 0:
		return "The last change did not make the checks pass: the failures listed show what is still wrong."
	}
	return "The generator failed before it was done: avoid what made it fail."
}

func changedNothing(e Evidence) bool {
	for _, b := range e.BoundaryErrors {
		if b.Code == "candidate_empty" {
			return true
		}
	}
	return false
}
