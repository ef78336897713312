package cli

import (
	"math"
	"testing"
)

func TestTheBoundLeavesRoomForOneCaseOfTwenty(t *testing.T) {
	for _, n := range []int{1, 5, 30, 1000} {
		if got := math.Pow(1-bound(n), float64(n)); math.Abs(got-0.05) > 1e-9 {
			t.Errorf("%d equal runs at a share of %v happen in %v of cases; want 0.05", n, bound(n), got)
		}
	}
}
