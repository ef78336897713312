package round

import (
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/unit"
)

// A Policy is all of loop.yaml that a task is judged by, already narrowed to
// the task's own limits. It stands in the first line of the task's journal, so
// that a later edit of loop.yaml cannot rewrite what happened.
type Policy struct {
	InPlace bool   `json:"in_place,omitempty"`
	Land    string `json:"land"` // branch, merge, patch, none, commit

	MaxRounds   int               `json:"max_rounds"`
	SameFailure int               `json:"same_failure_limit"`
	MaxTries    int               `json:"max_tries"`
	WallClock   unit.Duration     `json:"wall_clock"`
	Deadline    unit.Duration     `json:"deadline"`
	MaxTokens   int64             `json:"max_tokens"`
	Cost        unit.Money        `json:"cost_usd"`
	MinTryCost  unit.Money        `json:"min_try_cost_usd"`
	DailyCost   unit.Money        `json:"daily_cost_usd"`
	TryTimeout  unit.Duration     `json:"try_timeout"`
	FlakyReruns int               `json:"flaky_reruns,omitempty"`
	Baseline    bool              `json:"baseline"`
	Canary      bool              `json:"canary"`
	CanarySkip  map[string]string `json:"canary_skip,omitempty"` // profile: reason
	Models      []string          `json:"models,omitempty"`
	Resume      bool              `json:"resume,omitempty"`  // the adapter can go on with a session
	Compact     bool              `json:"compact,omitempty"` // the adapter has a compact turn

	Backoff     recovery.Backoff                     `json:"backoff"`
	InlineWait  unit.Duration                        `json:"inline_wait"`
	Hold        unit.Duration                        `json:"hold"`
	Breaker     recovery.Breaker                     `json:"breaker"`
	RetryBudget recovery.Budget                      `json:"retry_budget"`
	Chains      map[recovery.Category]recovery.Chain `json:"chains"` // every category, defaults filled in
	Patterns    []recovery.Pattern                   `json:"patterns,omitempty"`
	Strategies  map[recovery.Strategy]Command        `json:"strategies,omitempty"`
	Summarizer  []string                             `json:"summarizer,omitempty"`
	Effects     map[string]Effect                    `json:"effects,omitempty"`

	Boundary Boundary           `json:"boundary"`
	Profiles map[string][]Check `json:"profiles"` // those that this task uses
	Always   []string           `json:"always,omitempty"`
	Masks    []Mask             `json:"masks,omitempty"`
}

// A Boundary is what a candidate may change.
type Boundary struct {
	Allow       []string `json:"allow"`                // loop.yaml's globs
	TaskAllow   []string `json:"task_allow,omitempty"` // the task's; a path must match both lists
	Protect     []string `json:"protect,omitempty"`    // added to the built-in list; "!glob" lifts one
	TaskProtect []string `json:"task_protect,omitempty"`
	MaxFiles    int      `json:"max_changed_files"`
	MaxLines    int      `json:"max_changed_lines"`
	MaxBytes    int64    `json:"max_bytes"`
}

// A Check is one command of a profile.
type Check struct {
	Run     []string      `json:"run"`
	Timeout unit.Duration `json:"timeout"`
	Report  string        `json:"report,omitempty"`
	Format  string        `json:"format,omitempty"`
	Hidden  string        `json:"hidden,omitempty"`
	Dir     string        `json:"dir,omitempty"`
}

// A Mask is a user's own mask for signatures.
type Mask struct {
	Name  string `json:"name"`
	Regex string `json:"regex"`
}

// A Command is a strategy that loop.yaml defines.
type Command struct {
	Run     []string      `json:"run"`
	Timeout unit.Duration `json:"timeout"`
	Tags    []string      `json:"tags,omitempty"`
}

// An Effect is something outside the workspace that a task may change.
type Effect struct {
	Target       string        `json:"target,omitempty"`
	Repeat       string        `json:"repeat,omitempty"` // safe, keyed, never
	Irreversible bool          `json:"irreversible,omitempty"`
	Observe      []string      `json:"observe,omitempty"`
	Compensate   []string      `json:"compensate,omitempty"`
	Timeout      unit.Duration `json:"timeout,omitempty"`
}

// maskers are the user's masks, ready to use. loop.yaml refused those that do
// not compile.
func (p Policy) maskers() []signature.Masker {
	var all []signature.Masker
	for _, m := range p.Masks {
		if masker, err := signature.CompileMask(m.Name, m.Regex); err == nil {
			all = append(all, masker)
		}
	}
	return all
}
