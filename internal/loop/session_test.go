package loop

import (
	"testing"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// What a generator can do, its adapter knows, unless loop.yaml says so.
func TestThePolicyKnowsWhatTheAdapterCanDo(t *testing.T) {
	tests := map[string]struct {
		generator string
		want      bool
	}{
		"an agent that can resume":     {"adapter: codex", true},
		"and is told not to":           {"adapter: codex, resume: false", false},
		"a program of one's own":       {"adapter: exec, command: [sh]", false},
		"that is said to be able to":   {"adapter: exec, command: [sh], resume: true", true},
		"an agent with its own folder": {"adapter: pi, command: [/opt/pi]", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cfg, faults := config.Parse("loop.yaml", []byte("version: 1\ngenerator: {"+tt.generator+"}\nverification: {profiles: {unit: [{run: [\"true\"]}]}}\n"))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			if got := (&Loop{cfg: cfg}).policy(task.Task{}).Resume; got != tt.want {
				t.Errorf("Resume = %v; want %v", got, tt.want)
			}
		})
	}
}

func TestTookSoFarCountsTheTriesOfTheSession(t *testing.T) {
	cost := unit.Money(5)
	try := func(session string) round.Try {
		return round.Try{SessionID: session, Usage: &round.Usage{Input: 10, Output: 1, CacheRead: 2, CacheWrite: 3}, Cost: &cost}
	}
	s := round.State{Rounds: []*round.Round{
		{N: 1, Tries: []*round.Played{{Try: try("a")}, {Try: try("b")}}},
		{N: 2, Tries: []*round.Played{{Try: try("b")}, {Try: round.Try{SessionID: "b"}}, {Try: try("")}}},
	}}
	s.Request.Resume = "b"
	want := generator.Told{Usage: round.Usage{Input: 20, Output: 2, CacheRead: 4, CacheWrite: 6}, Cost: 10}
	if got := tookSoFar(s); got != want {
		t.Errorf("tookSoFar = %+v; want %+v", got, want)
	}
	s.Request.Resume = ""
	if got := tookSoFar(s); got != (generator.Told{}) {
		t.Errorf("tookSoFar of a fresh session = %+v; want nothing", got)
	}
}
