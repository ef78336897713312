package recovery

import (
	"math"
	"time"

	"looprun.dev/looprun/internal/unit"
)

// A Backoff says how long a repeated try waits.
type Backoff struct {
	Base    unit.Duration `json:"base"`
	Factor  float64       `json:"factor"`
	Cap     unit.Duration `json:"cap"`
	Jitter  bool          `json:"jitter"` // equal jitter, from the drawn value
	MaxWait unit.Duration `json:"max_wait"`
}

// maxRetryJitter bounds what is added to a Retry-After.
const maxRetryJitter = 30 * time.Second

// Delay is how long to wait before a step is used for the k-th time after its
// first (k counts from 0). base is the wait without jitter and Retry-After.
// draw is a random number in [0,1); it moves a wait within its upper half, so
// that tasks which failed together do not come back together. A Retry-After is
// never shortened: at most a tenth, 30 seconds, is added to it. The step's own
// base, factor and cap go before those of b.
func (b Backoff) Delay(step Step, k int, draw float64, retryAfter *time.Duration) (delay, base time.Duration) {
	b = b.with(step)
	base = b.grown(k)
	if !b.Jitter {
		draw = 0
	}
	draw = min(max(draw, 0), 1)
	if math.IsNaN(draw) {
		draw = 0
	}
	delay = base
	if b.Jitter {
		delay = base/2 + time.Duration(draw*float64(base/2))
	}
	if retryAfter == nil || *retryAfter < 0 {
		return delay, base
	}
	delay = max(delay, *retryAfter)
	extra := time.Duration(draw * float64(min(delay/10, maxRetryJitter)))
	return addSaturated(delay, extra), base
}

func (b Backoff) with(step Step) Backoff {
	if step.Base > 0 {
		b.Base = step.Base
	}
	if step.Factor > 0 {
		b.Factor = step.Factor
	}
	if step.Cap > 0 {
		b.Cap = step.Cap
	}
	return b
}

// grown is min(cap, base·factor^k). Numbers too large for a duration, and
// whatever a damaged configuration could bring, end at the cap.
func (b Backoff) grown(k int) time.Duration {
	limit := b.Cap.Std()
	if limit <= 0 {
		limit = maxReset
	}
	if b.Base <= 0 {
		return 0
	}
	factor := b.Factor
	if !(factor >= 1) {
		factor = 1
	}
	d := float64(b.Base) * math.Pow(factor, float64(max(k, 0)))
	if !(d < float64(limit)) {
		return limit
	}
	return time.Duration(d)
}

func addSaturated(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
