package record

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A Tally is what the journals of many tasks come to: which failures there
// were, what answered them, and what became of that. Every line of a journal
// is counted once, whoever counts and however often looprun is started.
type Tally struct {
	Steps      int `json:"totalAttempts"` // steps of recovery that were taken
	Recovered  int `json:"successfulRecoveries"`
	Aborted    int `json:"abortedChains"`
	Exhausted  int `json:"exhaustedChains"`
	Repeats    int `json:"wastedRepeats"` // strategies used again on one failure, which then came again
	Tries      int `json:"tries"`
	FailedOnes int `json:"failedTries"` // tries that failed by themselves
	Hopeless   int `json:"nonRetryableTries"`

	ByCategory map[recovery.Category]*Outcomes                       `json:"byCategory"`
	ByStrategy map[recovery.Strategy]*Outcomes                       `json:"byStrategy"`
	Recoveries map[recovery.Category]map[recovery.Strategy]*Outcomes `json:"recoveries"`
	Rules      map[string]int                                        `json:"errorTypeFrequency"` // of the classification
	Failures   map[recovery.Category]int                             `json:"failures"`
	Decisions  map[string]int                                        `json:"decisions"` // by rule
	Costs      map[string]*Account                                   `json:"costs"`     // by category, passed and none

	Tasks    map[string]int      `json:"tasks"`              // claimed, and how they ended
	Stops    map[task.Reason]int `json:"stops"`              // why they ended
	Needed   map[int]int         `json:"triesBeforeSuccess"` // tasks by the tries that they needed
	Profiles map[string]*Colours `json:"profiles"`

	Shares
}

// Outcomes are what became of steps of recovery.
type Outcomes struct {
	Attempts  int `json:"attempts"`
	Successes int `json:"successes"` // the next try did not fail in the same category
	Passed    int `json:"passed"`
	Changed   int `json:"changed_failure"`
	Same      int `json:"same_failure"`
}

// An Account is what tries have used up.
type Account struct {
	Tries   int         `json:"tries"`
	Unknown int         `json:"tries_of_unknown_cost,omitempty"`
	Tokens  round.Usage `json:"tokens"`
	Cost    unit.Money  `json:"cost_usd"`
}

// Colours is how often a profile was run on a candidate, and was red.
type Colours struct {
	Runs int `json:"runs"`
	Red  int `json:"red"`
}

// Shares follow from the counts.
type Shares struct {
	NonRetryable float64  `json:"non_retryable_share"`
	SameFailure  float64  `json:"stopped_by_same_failure_share"`
	Person       float64  `json:"handed_to_person_share"`
	MeanTries    float64  `json:"mean_tries_before_success"`
	NeverRed     []string `json:"profiles_never_red"`
}

// Claims is the key of Tasks for all that were claimed.
const Claims = "claimed"

// clone is a tally that shares nothing with t.
func (t Tally) clone() Tally {
	t.ByCategory, t.ByStrategy = deep(t.ByCategory), deep(t.ByStrategy)
	t.Costs, t.Profiles = deep(t.Costs), deep(t.Profiles)
	t.Rules, t.Failures, t.Decisions = maps.Clone(t.Rules), maps.Clone(t.Failures), maps.Clone(t.Decisions)
	t.Tasks, t.Stops, t.Needed = maps.Clone(t.Tasks), maps.Clone(t.Stops), maps.Clone(t.Needed)
	t.Recoveries = maps.Clone(t.Recoveries)
	for category, byStrategy := range t.Recoveries {
		t.Recoveries[category] = deep(byStrategy)
	}
	return t
}

func deep[K comparable, V any](m map[K]*V) map[K]*V {
	copied := make(map[K]*V, len(m))
	for k, v := range m {
		c := *v
		copied[k] = &c
	}
	return copied
}

func (t *Tally) init() {
	t.ByCategory, t.ByStrategy = made(t.ByCategory), made(t.ByStrategy)
	t.Recoveries, t.Rules, t.Failures, t.Decisions = made(t.Recoveries), made(t.Rules), made(t.Failures), made(t.Decisions)
	t.Costs, t.Tasks, t.Stops, t.Needed, t.Profiles = made(t.Costs), made(t.Tasks), made(t.Stops), made(t.Needed), made(t.Profiles)
}

func made[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return M{}
	}
	return m
}

// Derive works the shares out from the counts.
func (t *Tally) Derive() {
	t.init()
	var ended, succeeded, tries int
	for kind, n := range t.Tasks {
		if kind != Claims {
			ended += n
		}
	}
	for needed, n := range t.Needed {
		succeeded, tries = succeeded+n, tries+needed*n
	}
	t.Shares = Shares{
		NonRetryable: share(t.Hopeless, t.FailedOnes),
		SameFailure:  share(t.Stops[task.SameFailureLimit], ended),
		Person:       share(t.Tasks[string(task.NeedsInput)], ended),
		MeanTries:    share(tries, succeeded),
		NeverRed:     []string{},
	}
	for _, name := range slices.Sorted(maps.Keys(t.Profiles)) {
		if t.Profiles[name].Red == 0 {
			t.NeverRed = append(t.NeverRed, name)
		}
	}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Add counts the lines of one journal that are behind the first after ones and
// not older than since. The others only lead to the state that these are read
// in. lines must be a whole journal, or its beginning.
func (t *Tally) Add(lines []Line, after int, since time.Time) {
	t.init()
	c := counting{tally: t, since: since}
	for _, l := range lines {
		c.counts = l.Seq > after && !l.At.Before(since)
		c.add(l)
	}
}

// charge adds a try to the account.
func (a *Account) charge(t round.Try) {
	a.Tries++
	if t.Usage != nil {
		a.Tokens.Input += t.Usage.Input
		a.Tokens.Output += t.Usage.Output
		a.Tokens.CacheRead += t.Usage.CacheRead
		a.Tokens.CacheWrite += t.Usage.CacheWrite
	}
	if t.Cost == nil {
		a.Unknown++
		return
	}
	a.Cost += *t.Cost
}

// ByCount lists the keys of counts, the largest first.
func ByCount[K cmp.Ordered](counts map[K]int) []K {
	return slices.SortedFunc(maps.Keys(counts), func(x, y K) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
}
