// Package round is the pure core: what a task's state is, how an event changes
// it, what is decided from it, and how one try is played from start to
// decision. It never touches a file, a process, a clock, a random source or a
// log; whatever it needs of the world comes in through values and its Host.
package round

import (
	"encoding/json"
	"iter"
	"time"

	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A State is all that is known of a task: the fold of its events, never stored
// elsewhere. It is a value; Apply writes through no slice of an older one.
type State struct {
	Task    task.Task
	Policy  Policy
	Claimed Claimed
	Now     time.Time     // of the last facts
	Paused  unit.Duration // in all since the claim, by the last facts

	Next  Kind // the step that comes next
	After Kind // the step that a wait leads to

	Round     int  // the round under way, from 1
	Tries     int  // starts of the generator, over all rounds
	Model     int  // index into Policy.Models
	FirstHeld bool // the breaker of the first model was seen open while another is used, or when it was left
	Session   string
	NotBefore time.Time // when a wait ends

	Request    Request
	Try        Try      // the last one
	Evidence   Evidence // of the last verification
	Judged     bool     // Evidence is of the last try's candidate
	Preflight  PreflightResult
	Landed     Landed
	Decision   Decision            // the last one
	Consulted  *Consulted          // what a command said about the last decision
	PassedOver []recovery.Strategy // whose commands passed on the failure under way
	Streak     Streak
	Counted    bool // the failure under way is in the streak already
	Used       []Use
	Ops        []Operation
	Spent      Spent
	Rounds     []*Round // all so far, the one under way last; never written through
	Finished   Finished
}

// A Request is what the next start of the generator differs in from the one
// before. It holds neither try nor time, so that a repeated start is the same.
type Request struct {
	Round    int               `json:"round"`
	Strategy recovery.Strategy `json:"strategy"` // the last other than retry; "" at the first start
	Mode     string            `json:"mode,omitempty"`
	Use      int               `json:"use,omitempty"` // how often this strategy answered this category by now
	Why      string            `json:"why,omitempty"`
	Repeat   bool              `json:"repeat,omitempty"` // by retry: the bytes are those of the try before, but for the model
	Probe    bool              `json:"probe,omitempty"`  // of a held target: counted on it, not on the task
	Model    string            `json:"model,omitempty"`
	Resume   string            `json:"resume,omitempty"`  // the session to go on with
	Reset    bool              `json:"reset,omitempty"`   // the tree starts from the base
	Inject   string            `json:"inject,omitempty"`  // the last block of the prompt
	Share    float64           `json:"share,omitempty"`   // what each input is cut to; 0: not at all
	Floor    int               `json:"floor,omitempty"`   // bytes that are left of it at least
	Extra    json.RawMessage   `json:"extra,omitempty"`   // members of request.json that a strategy's command added
	Failure  recovery.Category `json:"failure,omitempty"` // what the strategy answers
	Detail   string            `json:"detail,omitempty"`
	Plan     *plan.Plan        `json:"plan,omitempty"`
}

// A Streak counts equal signatures in a row, over tries and rounds.
type Streak struct {
	Signature string              `json:"signature"`
	Version   int                 `json:"version"`
	Count     int                 `json:"count"`
	Used      []recovery.Strategy `json:"used,omitempty"` // on this signature
}

// A Use counts how often a strategy answered a category in this task.
type Use struct {
	Category recovery.Category `json:"category"`
	Strategy recovery.Strategy `json:"strategy"`
	N        int               `json:"n"`
}

// Spent is what the task has used up of its budgets.
type Spent struct {
	Tries     int           `json:"tries"`      // probes of a held target not counted
	WallClock unit.Duration `json:"wall_clock"` // of generator and checks
	Usage     Usage         `json:"usage"`
	Cost      unit.Money    `json:"cost_usd"`
	Unknown   int           `json:"tries_of_unknown_cost,omitempty"`
}

// Tokens is the sum over all four classes.
func (u Usage) Tokens() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// An Operation is what is known of one effect outside the workspace.
type Operation struct {
	Op       string `json:"op"`
	ID       string `json:"id"`
	Intent   bool   `json:"intent,omitempty"`    // the generator said that it was about to do it
	Known    string `json:"known,omitempty"`     // "" (no intent), unknown, applied, not_applied
	Looked   int    `json:"looked,omitempty"`    // observations since it became unknown
	Undone   bool   `json:"undone,omitempty"`    // compensated
	UndoFail bool   `json:"undo_fail,omitempty"` // compensation was tried and failed
}

// A Round is one plan carried out, as the attempt record shows it.
type Round struct {
	N        int
	BasedOn  int
	Plan     *plan.Plan // nil in the first round
	Tries    []*Played  // never written through
	Evidence Evidence
	Judged   bool
	Decision Decision // the one that ended it, or the last so far
	Trend    string
}

// A Played is a try with the decision that answered it.
type Played struct {
	Try      Try
	Decision Decision
}

// Rejected gives the candidates of a task that has ended which were not
// accepted, in the order of their tries, each with the number of its round.
func (s State) Rejected() iter.Seq2[int, Try] {
	return func(yield func(int, Try) bool) {
		for _, r := range s.Rounds {
			for _, p := range r.Tries {
				accepted := s.Decision.Kind == task.Completed && p.Try.N == s.Try.N
				if p.Try.Candidate.Commit != "" && !accepted && !yield(r.N, p.Try) {
					return
				}
			}
		}
	}
}

// round returns the round under way.
func (s State) round() Round {
	if len(s.Rounds) == 0 {
		return Round{N: s.Round}
	}
	return *s.Rounds[len(s.Rounds)-1]
}

// classes knows the classes of the user's own categories too.
func (s State) classes() recovery.Classes { return recovery.ClassesOf(s.Policy.Patterns) }

// Stage is the directory that the task's file belongs in.
func (s State) Stage() task.Stage {
	if s.Next == End {
		return s.Decision.Kind.Stage()
	}
	return task.Processing
}

// Passed reports whether the candidate was judged and nothing was found wrong.
func (s State) Passed() bool {
	return s.Judged && s.Evidence.Passed()
}

// Passed reports whether the boundary is clean and every check passed. No
// evidence at all is no pass.
func (e Evidence) Passed() bool {
	if len(e.Boundary) > 0 || len(e.Checks) == 0 {
		return false
	}
	for _, c := range e.Checks {
		if !c.Passed {
			return false
		}
	}
	return true
}

// Visible is the evidence without its hidden checks: all that may reach a plan,
// a prompt or a signature.
func (e Evidence) Visible() signature.Evidence {
	v := signature.Evidence{BoundaryErrors: e.Boundary}
	for _, c := range e.Checks {
		if !c.Hidden {
			v.Checks = append(v.Checks, c.Check)
		}
	}
	return v
}

// Hard reports whether the boundary alone refuses the candidate. That nothing
// was changed is evidence, not a violation.
func (e Evidence) Hard() bool {
	for _, b := range e.Boundary {
		if b.Code != CandidateEmpty {
			return true
		}
	}
	return false
}

// CandidateEmpty is the one soft boundary error: nothing was changed, and the
// checks fail.
const CandidateEmpty = "candidate_empty"

// Failing counts the failures of the visible checks, a check without any
// counting as one. It says how far a round was from passing.
func (e Evidence) Failing() int {
	n := 0
	for _, c := range e.Checks {
		if !c.Passed && !c.Hidden {
			n += max(1, len(c.Failures)+c.Dropped)
		}
	}
	return n
}
