package recovery

import (
	"math"
	"testing"
	"time"

	"looprun.dev/looprun/internal/unit"
	"pgregory.net/rapid"
)

var plainBackoff = Backoff{Base: unit.Duration(5 * time.Second), Factor: 2, Cap: unit.Duration(5 * time.Minute)}

func TestDelay(t *testing.T) {
	jitter := plainBackoff
	jitter.Jitter = true
	asked := func(d time.Duration) *time.Duration { return &d }
	for name, test := range map[string]struct {
		backoff     Backoff
		step        Step
		k           int
		draw        float64
		retryAfter  *time.Duration
		delay, base time.Duration
	}{
		"the first repeat":                         {plainBackoff, Step{}, 0, 0, nil, 5 * time.Second, 5 * time.Second},
		"the second":                               {plainBackoff, Step{}, 1, 0, nil, 10 * time.Second, 10 * time.Second},
		"the third":                                {plainBackoff, Step{}, 2, 0, nil, 20 * time.Second, 20 * time.Second},
		"never above the cap":                      {plainBackoff, Step{}, 9, 0, nil, 5 * time.Minute, 5 * time.Minute},
		"nor when the power is too large":          {plainBackoff, Step{}, math.MaxInt, 0, nil, 5 * time.Minute, 5 * time.Minute},
		"the step's own numbers":                   {plainBackoff, Step{Base: unit.Duration(time.Second), Factor: 3, Cap: unit.Duration(8 * time.Second)}, 1, 0, nil, 3 * time.Second, 3 * time.Second},
		"the step's own cap":                       {plainBackoff, Step{Base: unit.Duration(time.Second), Factor: 3, Cap: unit.Duration(8 * time.Second)}, 2, 0, nil, 8 * time.Second, 8 * time.Second},
		"jitter's least is half":                   {jitter, Step{}, 1, 0, nil, 5 * time.Second, 10 * time.Second},
		"jitter in the middle":                     {jitter, Step{}, 1, 0.5, nil, 7500 * time.Millisecond, 10 * time.Second},
		"what was asked, exactly":                  {plainBackoff, Step{}, 0, 0.9, asked(20 * time.Second), 20 * time.Second, 5 * time.Second},
		"what was asked, and a tenth of it":        {jitter, Step{}, 0, 0.5, asked(20 * time.Second), 21 * time.Second, 5 * time.Second},
		"what was asked, and 30 seconds at most":   {jitter, Step{}, 0, 0.5, asked(2 * time.Hour), 2*time.Hour + 15*time.Second, 5 * time.Second},
		"the backoff, if less was asked":           {plainBackoff, Step{}, 2, 0, asked(time.Second), 20 * time.Second, 20 * time.Second},
		"more than the cap, if that was asked":     {plainBackoff, Step{}, 0, 0, asked(time.Hour), time.Hour, 5 * time.Second},
		"a negative wish is none":                  {plainBackoff, Step{}, 0, 0, asked(-time.Hour), 5 * time.Second, 5 * time.Second},
		"the longest wish does not wrap":           {jitter, Step{}, 0, 1, asked(math.MaxInt64), math.MaxInt64, 5 * time.Second},
		"no base is no wait":                       {Backoff{Factor: 2}, Step{}, 3, 0.5, nil, 0, 0},
		"a factor below one does not shrink it":    {Backoff{Base: unit.Duration(time.Second), Factor: 0.1}, Step{}, 3, 0, nil, time.Second, time.Second},
		"without a cap it is bounded all the same": {Backoff{Base: unit.Duration(time.Hour), Factor: 100}, Step{}, 99, 0, nil, maxReset, maxReset},
		"a draw that is no number counts as 0":     {jitter, Step{}, 0, math.NaN(), nil, 2500 * time.Millisecond, 5 * time.Second},
	} {
		delay, base := test.backoff.Delay(test.step, test.k, test.draw, test.retryAfter)
		if delay != test.delay || base != test.base {
			t.Errorf("%s: Delay = %s, %s; want %s, %s", name, delay, base, test.delay, test.base)
		}
	}
}

func TestDelayProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Backoff{
			Base:   unit.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "base")),
			Factor: rapid.Float64Range(1, 100).Draw(t, "factor"),
			Cap:    unit.Duration(rapid.Int64Range(int64(time.Hour), int64(48*time.Hour)).Draw(t, "cap")),
			Jitter: rapid.Bool().Draw(t, "jitter"),
		}
		k := rapid.IntRange(0, 2000).Draw(t, "k")
		draw := rapid.Float64Range(0, 0.999999).Draw(t, "draw")
		delay, base := b.Delay(Step{}, k, draw, nil)
		if delay > b.Cap.Std() || base > b.Cap.Std() || delay > base || delay < base/2 {
			t.Fatalf("delay %s of base %s is outside [base/2, base] or above the cap %s", delay, base, b.Cap)
		}
		if next, nextBase := b.Delay(Step{}, k+1, draw, nil); next < delay || nextBase < base {
			t.Fatalf("delay fell from %s to %s with k", delay, next)
		}
		asked := time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "retryAfter"))
		long, _ := b.Delay(Step{}, k, draw, &asked)
		if long < asked || long < delay {
			t.Fatalf("delay %s is below the Retry-After %s or the backoff %s", long, asked, delay)
		}
		if most := addSaturated(max(asked, delay), min(max(asked, delay)/10, maxRetryJitter)); long > most {
			t.Fatalf("delay %s is above %s", long, most)
		}
	})
}
