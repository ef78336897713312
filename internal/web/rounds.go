package web

import (
	"fmt"
	"path"

	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
)

// A roundView is one round of the timeline: its plan, the tries of the
// generator, what the checks showed, and what was decided.
type roundView struct {
	N        int
	BasedOn  int
	Plan     *plan.Plan
	Tries    []tryView
	Last     *round.Candidate // of the last try
	Judged   bool
	Passed   bool
	Boundary []signature.BoundaryError
	Checks   []checkView
	Green    []string // tests that went from red to green
	Decision *round.Decision
	State    state
	Trend    string
	Same     int   // the round before it that failed in the same way; 0: none
	Failing  int   // how many failures there were
	TimeMS   int64 // of tries and checks
}

// A tryView is one start of the generator.
type tryView struct {
	round.Try
	Answer  round.Decision
	Last    bool // of its round
	Failed  string
	Dir     string // of its files
	Session bool
}

// A checkView is one check as it ran.
type checkView struct {
	round.CheckResult
	N int
}

// Ended is how the check ended, in words.
func (c checkView) Ended() string {
	if c.Signal != "" {
		return "signal " + c.Signal
	}
	return fmt.Sprintf("exit %d", c.ExitCode)
}

func roundViews(s round.State) []roundView {
	var all []roundView
	for i, r := range s.Rounds {
		v := roundView{N: r.N, BasedOn: r.BasedOn, Plan: r.Plan, Judged: r.Judged, Trend: r.Trend, State: state{"work", "under way"}}
		v.tried(r)
		if r.Judged {
			v.judged(r.Evidence)
		}
		if len(r.Tries) == 0 {
			v.State = state{"idle", "planned"}
		}
		if over := i < len(s.Rounds)-1 || s.Next == round.End || decided(r); over && r.Decision.Kind != "" {
			v.Decision, v.State = &r.Decision, decisionState(r.Decision.Kind)
		}
		if i == len(s.Rounds)-1 && s.Next == round.Wait {
			v.Decision, v.State = &s.Decision, decisionState(s.Decision.Kind)
		}
		v.Same = sameAs(s.Rounds[:i], r)
		all = append(all, v)
	}
	return all
}

// decided reports that the last try of a round was answered.
func decided(r *round.Round) bool {
	n := len(r.Tries)
	return n > 0 && r.Tries[n-1].Decision.Kind != ""
}

func (v *roundView) tried(r *round.Round) {
	for i, p := range r.Tries {
		t := tryView{Try: p.Try, Answer: p.Decision, Last: i == len(r.Tries)-1, Dir: path.Dir(p.Try.Stdout.Path)}
		if f := p.Try.Failure; f.Category != "" && f.Category != recovery.None {
			t.Failed = string(f.Category)
		}
		v.Tries = append(v.Tries, t)
		v.TimeMS += p.Try.DurationMS
		v.Last = &r.Tries[i].Try.Candidate
	}
}

func (v *roundView) judged(e round.Evidence) {
	v.Passed, v.Boundary, v.Green, v.Failing = e.Passed(), e.Boundary, e.RedToGreen, e.Failing()
	v.TimeMS += e.DurationMS
	for i, c := range e.Checks {
		v.Checks = append(v.Checks, checkView{c, i + 1})
	}
}

// sameAs is the round just before r if both count as the same failure.
func sameAs(before []*round.Round, r *round.Round) int {
	for i := len(before) - 1; i >= 0; i-- {
		b := before[i]
		if b.Decision.Signature.Hash == "" {
			continue
		}
		if b.Decision.Signature.Same(r.Decision.Signature) {
			return b.N
		}
		return 0
	}
	return 0
}
