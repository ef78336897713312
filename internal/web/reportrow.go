package web

import (
	"cmp"
	"maps"
	"slices"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A failureRow is one category of failures in the period.
type failureRow struct {
	Category recovery.Category
	Times    int
	Tries    int
	Cost     unit.Money
	Share    int // percent of the most frequent one
}

// Failures are the categories, the most frequent first.
func (rep Report) Failures() []failureRow {
	var all []failureRow
	most := 1
	for _, c := range record.ByCount(rep.Tally.Failures) {
		r := failureRow{Category: c, Times: rep.Tally.Failures[c]}
		if a := rep.Tally.Costs[string(c)]; a != nil {
			r.Tries, r.Cost = a.Tries, a.Cost
		}
		most = max(most, r.Times)
		r.Share = 100 * r.Times / most
		all = append(all, r)
	}
	return all
}

// A strategyRow is what a strategy came to against a category.
type strategyRow struct {
	Strategy recovery.Strategy
	Category recovery.Category
	record.Outcomes
}

// Failed is where the part of the same failures begins in a bar.
func (r strategyRow) Failed() int { return r.Passed + r.Changed }

// Strategies are those that were used, the most used first.
func (rep Report) Strategies() []strategyRow {
	var all []strategyRow
	for _, c := range slices.Sorted(maps.Keys(rep.Tally.Recoveries)) {
		for _, s := range slices.Sorted(maps.Keys(rep.Tally.Recoveries[c])) {
			all = append(all, strategyRow{s, c, *rep.Tally.Recoveries[c][s]})
		}
	}
	slices.SortStableFunc(all, func(a, b strategyRow) int { return cmp.Compare(b.Attempts, a.Attempts) })
	return all
}

// A stopRow is a reason why tasks ended.
type stopRow struct {
	Reason task.Reason
	Times  int
	Share  int
}

// Stops are the reasons, the most frequent first.
func (rep Report) Stops() []stopRow {
	var all []stopRow
	most := 1
	for _, reason := range record.ByCount(rep.Tally.Stops) {
		n := rep.Tally.Stops[reason]
		most = max(most, n)
		all = append(all, stopRow{reason, n, 100 * n / most})
	}
	return all
}

// UsedFor is what was spent on tasks that ended so, or have not ended.
func (rep Report) UsedFor(d task.Decision) unit.Money { return rep.Spent.ByEnd[d] }
