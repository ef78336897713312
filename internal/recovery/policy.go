package recovery

import "looprun.dev/looprun/internal/unit"

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
