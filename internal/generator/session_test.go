package generator

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/round"
)

func TestATryTakesWhatItsSessionTookSince(t *testing.T) {
	sum := Ending{SessionID: "s1", Usage: &round.Usage{Input: 30, Output: 3, CacheRead: 9}, Cost: money(50)}
	before := Told{Usage: round.Usage{Input: 20, Output: 2, CacheRead: 9}, Cost: 20}
	both := Adapter{SumsUsage: true, SumsCost: true}
	tests := map[string]struct {
		adapter Adapter
		resume  string
		before  Told
		usage   round.Usage
		cost    int64
	}{
		"sums of a resumed session":    {both, "s1", before, round.Usage{Input: 10, Output: 1}, 30},
		"its usage alone":              {Adapter{SumsUsage: true}, "s1", before, round.Usage{Input: 10, Output: 1}, 50},
		"its cost alone":               {Adapter{SumsCost: true}, "s1", before, *sum.Usage, 30},
		"a program that tells no sums": {Adapter{}, "s1", before, *sum.Usage, 50},
		"a fresh session":              {both, "", before, *sum.Usage, 50},
		"another session":              {both, "s0", before, *sum.Usage, 50},
		"less than before is no sum":   {both, "s1", Told{Usage: round.Usage{Input: 31}, Cost: 51}, *sum.Usage, 50},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Start{Adapter: tt.adapter, ResumeID: tt.resume, Before: tt.before}.share(sum)
			if diff := cmp.Diff(tt.usage, *got.Usage); diff != "" {
				t.Errorf("usage differs (-want +got):\n%s", diff)
			}
			if int64(*got.Cost) != tt.cost {
				t.Errorf("cost = %d; want %d", *got.Cost, tt.cost)
			}
		})
	}
	if sum.Usage.Input != 30 || *sum.Cost != 50 {
		t.Error("share changed the ending that it was given")
	}
}
