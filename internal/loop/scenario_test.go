package loop_test

import (
	"time"

	"looprun.dev/looprun/internal/config"
)

// A scenario is what is in the inbox, what the generator does with it, and how
// it ends.
type scenario struct {
	mode    string            // of the workspace
	tasks   []string          // ids
	earlier []string          // ids of files that another tool left in done
	agent   string            // a shell script; the starts are counted before it
	check   string            // another one; "" is whether the answer is good
	good    bool              // the answer is so from the start
	timeout string            // of the generator; "" is long
	slow    bool              // it takes a second, however fast the machine
	more    string            // lines of loop.yaml
	steps   []step            // passes; none is one pass without limits
	stages  map[string]string // where each task ends: stage and reason; the reason alone is left out for what is no task
}

// A step is one pass.
type step struct {
	pauseAfter int           // the round after which it stops
	ahead      time.Duration // how much later than now it is made
}

// A generator that has to be told.
const badThenGood = `if test "$LOOPRUN_ROUND" = 1; then echo bad >answer; else echo good >answer; fi`

var scenarios = map[string]scenario{
	"done": {
		mode: config.Isolated, tasks: []string{"t1"},
		agent:  badThenGood,
		stages: map[string]string{"t1": "done independent_verification_passed"},
	},
	"blocked": {
		mode: config.InPlace, tasks: []string{"t1"},
		agent:  `echo good >answer; echo more >elsewhere`,
		stages: map[string]string{"t1": "blocked boundary_violation"},
	},
	"needs-input": {
		mode: config.Isolated, tasks: []string{"t1"},
		agent:  `echo bad >answer`,
		stages: map[string]string{"t1": "needs-input same_failure_limit_reached"},
	},
	"timeout": {
		mode: config.InPlace, tasks: []string{"t1"},
		agent:   `exec sleep 600`,
		timeout: "80ms", slow: true,
		more:   "recovery: {chains: {timeout: {enabled: false, then: block}}}",
		stages: map[string]string{"t1": "blocked recovery_exhausted"},
	},
	"agent-crash": {
		mode: config.Isolated, tasks: []string{"t1"},
		agent:  `test -z "$LOOPRUN_STRATEGY" && kill -SEGV $$; echo good >answer`,
		more:   "recovery: {backoff: {base: 1ms}}",
		stages: map[string]string{"t1": "done independent_verification_passed"},
	},
	"paused": {
		mode: config.Isolated, tasks: []string{"t1"},
		agent:  badThenGood,
		steps:  []step{{pauseAfter: 1}, {}},
		stages: map[string]string{"t1": "done independent_verification_passed"},
	},
	"duplicate-id": {
		mode: config.InPlace, tasks: []string{"t1"}, earlier: []string{"t2"},
		agent:  `:`,
		stages: map[string]string{"t1": "done no_change_needed", "t2": "done", "t2.dup-1": "blocked", "t2.dup-1.reason": "blocked"},
	},
	"two-tasks": {
		mode: config.InPlace, tasks: []string{"t1", "t2"},
		agent:  `:`,
		stages: map[string]string{"t1": "done no_change_needed", "t2": "done no_change_needed"},
	},
	"deferred": {
		mode: config.InPlace, tasks: []string{"t1"},
		agent:  `test -n "$LOOPRUN_STRATEGY" || echo '{"status": "failed", "error": {"code": "rate_limited", "retry_after_s": 600}}' >"$LOOPRUN_REPORT"`,
		good:   true,
		steps:  []step{{}, {ahead: time.Hour}},
		stages: map[string]string{"t1": "done no_change_needed"},
	},
}
