package round

import (
	"testing"

	"looprun.dev/looprun/internal/unit"
)

func TestWhatAStartMayCost(t *testing.T) {
	cents := func(n unit.Money) unit.Money { return n * 10_000 }
	tried := func(model string, n unit.Money) *Played {
		cost := cents(n)
		return &Played{Try: Try{Model: model, Cost: &cost}}
	}
	tests := map[string]struct {
		least, others unit.Money // cents, as loop.yaml and the facts say
		tries         []*Played
		want          unit.Money
	}{
		"nothing is known":                              {0, 0, nil, 0},
		"what loop.yaml says":                           {7, 3, []*Played{tried("a", 5)}, 7},
		"the dearest try of the task on the target":     {0, 3, []*Played{tried("a", 5), tried("a", 2)}, 5},
		"the dearest try of another task on the target": {0, 9, []*Played{tried("a", 5)}, 9},
		"a try on another target says nothing":          {0, 3, []*Played{tried("b", 50)}, 3},
		"a try of unknown cost says nothing":            {0, 3, []*Played{{Try: Try{Model: "a"}}}, 3},
		"no more than a whole budget":                   {0, 900, nil, 500},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := State{Policy: Policy{Cost: cents(500), DailyCost: cents(5000), MinTryCost: cents(tt.least)}, Rounds: []*Round{{N: 1, Tries: tt.tries}}}
			s.Request.Model = "a"
			if got := s.Reserve(Facts{Dearest: cents(tt.others)}); got != cents(tt.want) {
				t.Errorf("Reserve = %s; want %s", got, cents(tt.want))
			}
		})
	}
}
