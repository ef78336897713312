package recovery

import "looprun.dev/looprun/internal/unit"

// A Backoff says how long a repeated try waits.
type Backoff struct {
	Base    unit.Duration `json:"base"`
	Factor  float64       `json:"factor"`
	Cap     unit.Duration `json:"cap"`
	Jitter  bool          `json:"jitter"` // equal jitter, from the drawn value
	MaxWait unit.Duration `json:"max_wait"`
}

// A Pattern is a user's rule of loop.yaml: text that names a category.
type Pattern struct {
	ID         string      `json:"id"`
	Stage      string      `json:"stage,omitempty"`   // generator, check, "" for both
	Source     string      `json:"source,omitempty"`  // error, stderr, event, "" for error and stderr
	Regex      string      `json:"regex,omitempty"`   // on the text of Source
	Pointer    string      `json:"pointer,omitempty"` // JSON pointer into the terminal event
	Equals     string      `json:"equals,omitempty"`  // what stands there
	Category   Category    `json:"category"`
	Class      Class       `json:"class,omitempty"` // for an x- category
	RetryAfter *RetryAfter `json:"retry_after,omitempty"`
}

// A RetryAfter finds the wait in the text that a Pattern matched.
type RetryAfter struct {
	Regex string `json:"regex"` // its first group is the number
	Unit  string `json:"unit"`  // s, ms, m, h
}

// A Breaker says when a target is held for all tasks.
type Breaker struct {
	Consecutive int           `json:"consecutive"`
	Tasks       int           `json:"tasks"`
	InWindow    int           `json:"in_window"`
	Window      unit.Duration `json:"window"`
	Open        unit.Duration `json:"open"`
	OpenMax     unit.Duration `json:"open_max"`
}

// A Budget bounds the retries on one target over all tasks and processes.
type Budget struct {
	Window unit.Duration `json:"window"`
	Max    int           `json:"max"`
}
