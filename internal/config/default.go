package config

import (
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// Example is the least that a loop.yaml needs, for those who have none.
const Example = `version: 1
generator:
  command: ["./agent.sh"]
verification:
  profiles:
    unit:
      - run: ["go", "test", "-v", "./..."]
  always: [unit]
`

// Built-in values of settings that stand in lists and maps.
const (
	defaultCheckTimeout    = unit.Duration(10 * time.Minute)
	defaultSetupTimeout    = unit.Duration(10 * time.Minute)
	defaultEffectTimeout   = unit.Duration(60 * time.Second)
	defaultStrategyTimeout = unit.Duration(30 * time.Second)
)

// Default is what holds where loop.yaml says nothing. It is not complete: it
// has no profile, so it verifies nothing.
func Default() Config {
	return Config{
		Queue:     Queue{Concurrency: 1, Rescan: seconds(30), Watch: "auto", DiskFloor: 256 << 20},
		Workspace: Workspace{Mode: Isolated, Base: "HEAD"},
		Land:      Land{Mode: "branch", Branch: "looprun/{id}"},
		Generator: Generator{
			Adapter: "exec", Command: []string{"./agent.sh"},
			Timeout: minutes(30), Silence: minutes(10), Grace: seconds(10),
			Env: Env{Pass: []string{"PATH", "HOME", "LANG"}},
		},
		Verification: Verification{Baseline: true, Canary: true, Env: Env{Pass: []string{"PATH", "LANG"}}},
		Boundary:     round.Boundary{Allow: []string{"**"}, MaxFiles: 50, MaxLines: 2000, MaxBytes: 4 << 20},
		Stop: Stop{
			MaxRounds: 3, SameFailure: 2, MaxTries: 8, WallClock: hours(2), Deadline: hours(24),
			MaxTokens: 3_000_000, Cost: 5_000_000, DailyCost: 50_000_000,
		},
		Recovery: defaultRecovery(),
		Sandbox:  Sandbox{Mode: "auto", Network: "open"},
		Records:  Records{Keep: hours(30 * 24), MaxOutput: 64 << 20, Redact: []string{"*TOKEN*", "*SECRET*", "*KEY*", "*PASSWORD*"}},
	}
}

func defaultRecovery() Recovery {
	return Recovery{
		Backoff:     recovery.Backoff{Base: seconds(5), Factor: 2, Cap: minutes(5), Jitter: true, MaxWait: hours(6)},
		InlineWait:  seconds(30),
		Hold:        minutes(15),
		Breaker:     recovery.Breaker{Consecutive: 3, Tasks: 2, InWindow: 5, Window: minutes(10), Open: seconds(60), OpenMax: minutes(30)},
		RetryBudget: recovery.Budget{Window: minutes(10), Max: 20},
		Chains:      recovery.DefaultChains(),
	}
}

func seconds(n int) unit.Duration { return unit.Duration(time.Duration(n) * time.Second) }
func minutes(n int) unit.Duration { return seconds(60 * n) }
func hours(n int) unit.Duration   { return minutes(60 * n) }
