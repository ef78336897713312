package record

import (
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A StateView is state.json: where a task stands, for people and tools.
type StateView struct {
	Schema      string                              `json:"schema"`
	TaskID      string                              `json:"task_id"`
	Status      string                              `json:"status"` // active, done, blocked, needs_input
	Phase       string                              `json:"phase"`
	Round       int                                 `json:"round"` // the last one that was started
	NextRound   int                                 `json:"next_round"`
	Tries       int                                 `json:"tries"`
	NotBefore   *time.Time                          `json:"not_before"`
	WaitingFor  string                              `json:"waiting_for,omitempty"`
	Reason      task.Reason                         `json:"reason,omitempty"` // of the last decision
	SameFailure SameFailure                         `json:"same_failure"`
	Recovery    map[recovery.Category]RecoveryState `json:"recovery"`
	Spent       SpentView                           `json:"spent"`
	Limits      LimitsView                          `json:"limits"`
	ChainHead   string                              `json:"chain_head"`
}

// SameFailure is the streak of equal signatures so far.
type SameFailure struct {
	Signature string `json:"signature"`
	Count     int    `json:"count"`
}

// A RecoveryState is how far the chain of a category has been used.
type RecoveryState struct {
	Step    recovery.Strategy         `json:"step"`    // the last one used
	Started int                       `json:"started"` // how many in all
	Used    map[recovery.Strategy]int `json:"used"`
}

// SpentView is what a task has used of its budgets.
type SpentView struct {
	Rounds      int           `json:"rounds"`
	Tries       int           `json:"tries"`
	WallClock   unit.Duration `json:"wall_clock"`
	Tokens      round.Usage   `json:"tokens"`
	Cost        unit.Money    `json:"cost_usd"`
	UnknownCost int           `json:"tries_of_unknown_cost,omitempty"`
}

// LimitsView is what the budgets are, for the bars of show.
type LimitsView struct {
	Rounds    int           `json:"max_rounds"`
	Tries     int           `json:"max_tries"`
	WallClock unit.Duration `json:"wall_clock"`
	Tokens    int64         `json:"max_tokens"`
	Cost      unit.Money    `json:"cost_usd"`
	Deadline  time.Time     `json:"deadline"`
}

// NewStateView renders state.json from the fold.
func NewStateView(s round.State, head string) StateView {
	started, next := rounds(s)
	v := StateView{
		Schema: "looprun.state/1", TaskID: s.Task.ID,
		Status: status(s), Phase: phase(s), WaitingFor: waitingFor(s),
		Round: started, NextRound: next, Tries: s.Tries, Reason: s.Decision.Reason,
		SameFailure: SameFailure{Signature: s.Streak.Signature, Count: s.Streak.Count},
		Recovery:    map[recovery.Category]RecoveryState{},
		Spent:       spent(s), Limits: limits(s), ChainHead: head,
	}
	if s.Next == round.Wait {
		v.NotBefore = &s.NotBefore
	}
	for _, u := range s.Used {
		r := v.Recovery[u.Category]
		if r.Used == nil {
			r.Used = map[recovery.Strategy]int{}
		}
		r.Step, r.Started, r.Used[u.Strategy] = u.Strategy, r.Started+u.N, u.N
		v.Recovery[u.Category] = r
	}
	return v
}

// rounds are the last round that was started and the one that would be next.
func rounds(s round.State) (started, next int) {
	if n := len(s.Rounds); n > 0 && len(s.Rounds[n-1].Tries) == 0 && s.Next != round.Generate {
		return s.Round - 1, s.Round
	}
	if s.Next == round.End {
		return s.Round, 0
	}
	return s.Round, s.Round
}

func status(s round.State) string {
	if s.Next != round.End {
		return "active"
	}
	switch s.Decision.Kind {
	case task.Completed:
		return "done"
	case task.NeedsInput:
		return "needs_input"
	}
	return "blocked"
}

func phase(s round.State) string {
	switch s.Next {
	case round.Preflight:
		return "preflight"
	case round.Start:
		if s.Tries == 0 {
			return "claimed"
		}
		return "round_ready"
	case round.Generate:
		return "generating"
	case round.Wait:
		if s.Decision.Kind == task.Held {
			return "held"
		}
		return "deferred"
	case round.Land, round.Finish:
		return "landing"
	case round.End:
		return "finished"
	}
	return "verifying"
}

func waitingFor(s round.State) string {
	switch {
	case s.Next == round.End && s.Decision.Kind == task.NeedsInput:
		return "person"
	case s.Next != round.Wait:
		return ""
	case s.Decision.Reason == task.DiskFull:
		return "disk"
	case s.Decision.Reason == task.DailyBudget:
		return "daily_budget"
	case s.Decision.Kind == task.Held:
		return "target"
	}
	return "time"
}

func spent(s round.State) SpentView {
	started, _ := rounds(s)
	return SpentView{
		Rounds: started, Tries: s.Spent.Tries, WallClock: s.Spent.WallClock,
		Tokens: s.Spent.Usage, Cost: s.Spent.Cost, UnknownCost: s.Spent.Unknown,
	}
}

func limits(s round.State) LimitsView {
	p := s.Policy
	return LimitsView{
		Rounds: p.MaxRounds, Tries: p.MaxTries, WallClock: p.WallClock,
		Tokens: p.MaxTokens, Cost: p.Cost, Deadline: s.Claimed.At.Add(p.Deadline.Std()),
	}
}
