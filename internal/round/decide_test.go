package round

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// testPolicy has the defaults that the rows of the decision table share: one
// hour is left, nothing is drawn, two models, sessions can be resumed.
func testPolicy() Policy {
	return Policy{
		Land: "branch", MaxRounds: 3, SameFailure: 2, MaxTries: 8,
		WallClock: unit.Duration(2 * time.Hour), Deadline: unit.Duration(2 * time.Hour),
		MaxTokens: 3_000_000, Cost: 5_000_000, DailyCost: 50_000_000,
		Models: []string{"first", "second"}, Resume: true, Compact: true,
		Backoff: recovery.Backoff{
			Base: unit.Duration(5 * time.Second), Factor: 2,
			Cap: unit.Duration(5 * time.Minute), MaxWait: unit.Duration(6 * time.Hour),
		},
		InlineWait: unit.Duration(30 * time.Second), Hold: unit.Duration(15 * time.Minute),
		Chains: recovery.DefaultChains(),
	}
}

// A row is the case of one line of the decision table: the state is built from
// the defaults and changed by given.
type row struct {
	given []change
	want  string // decision, then strategy or reason, then what else the row says
}

// A situation is what the rows change.
type situation struct {
	s      State
	f      Facts
	same   int // how often the signature came, this one included
	usedOn []recovery.Strategy
}

type change func(*situation)

func failing(text string) Evidence {
	return Evidence{Tree: "t1", Checks: []CheckResult{{
		Check: signature.Check{Argv: []string{"npm", "test"}, ExitCode: 1,
			Failures: []signature.Failure{{ID: "search", Class: "AssertionError", Detail: text}}},
	}}}
}

func passing() Evidence {
	return Evidence{Tree: "t1", Checks: []CheckResult{{Check: signature.Check{Argv: []string{"npm", "test"}}, Passed: true}}}
}

func judged(e Evidence) change {
	return func(c *situation) { c.s.Evidence, c.s.Judged = e, true }
}

var (
	passed  = judged(passing())
	checks  = judged(failing("A"))
	changed = func(c *situation) {
		c.s.Try.Candidate = Candidate{Tree: "t1", Commit: "c1", Changed: []Change{{Path: "a.go", Status: "M"}}}
	}
	unchanged = func(c *situation) { c.s.Try.Candidate = Candidate{Tree: "base"} }
	oneModel  = func(c *situation) { c.s.Policy.Models = []string{"only"} }
	noResume  = func(c *situation) { c.s.Policy.Resume, c.s.Session = false, "" }
	inPlace   = func(c *situation) { c.s.Policy.InPlace = true }
)

func boundary(code string) change {
	return judged(Evidence{Boundary: []signature.BoundaryError{{Code: code, Path: "x"}}})
}

func fails(c recovery.Category, detail ...string) change {
	return func(g *situation) {
		g.s.Try.Failure = recovery.Failure{Category: c, Detail: fmt.Sprint(detail), Retryable: true}
	}
}

func retryAfter(d time.Duration) change {
	return func(c *situation) { c.s.Try.Failure.RetryAfter = &d }
}

func rnd(n int) change       { return func(c *situation) { c.s.Round = n } }
func tries(n int) change     { return func(c *situation) { c.s.Spent.Tries = n } }
func limit(n int) change     { return func(c *situation) { c.s.Policy.SameFailure = n } }
func maxRounds(n int) change { return func(c *situation) { c.s.Policy.MaxRounds = n } }
func left(d time.Duration) change {
	return func(c *situation) { c.s.Policy.Deadline = unit.Duration(time.Hour + d) }
}

// same says that the signature comes for the n-th time in a row, and which
// strategies it has already seen.
func same(n int, used ...recovery.Strategy) change {
	return func(c *situation) { c.same, c.usedOn = n, used }
}

func used(st recovery.Strategy, n int) change {
	return func(c *situation) {
		cat, _ := c.s.category(c.f)
		c.s.Used = append(c.s.Used, Use{Category: cat, Strategy: st, N: n})
	}
}

func open(d time.Duration) change {
	return func(c *situation) {
		c.f.Open = []Target{{Name: "model first", Until: noon.Add(d), Reason: task.BreakerOpen}}
	}
}

// situate builds the state that a row stands for.
func (r row) situate() situation {
	c := situation{f: Facts{Now: noon}, same: 1}
	c.s = State{
		Task: task.Task{ID: "t1"}, Policy: testPolicy(), Round: 1, Tries: 1, Next: Decide, Session: "session",
		Claimed: Claimed{At: noon.Add(-time.Hour)}, Rounds: []*Round{{N: 1}}, Request: Request{Round: 1},
	}
	c.s.Spent.Tries = 1
	changed(&c)
	for _, change := range r.given {
		change(&c)
	}
	c.s.Rounds = nil
	for n := 1; n <= c.s.Round; n++ {
		c.s.Rounds = append(c.s.Rounds, &Round{N: n})
	}
	category, failure := c.s.category(c.f)
	if sig, _ := c.s.streak(category, failure); c.same > 1 {
		c.s.Streak = Streak{Signature: sig.Hash, Version: sig.Version, Count: c.same - 1, Used: c.usedOn}
	}
	return c
}

// outcome is a decision in the words of the table.
func outcome(d Decision, now time.Time) string {
	out := string(d.Kind)
	switch d.Kind {
	case task.Retry:
		out += " " + string(d.Strategy)
		if d.Mode != "" {
			out += " " + d.Mode
		}
		if d.NewRound {
			out += ", new round"
		}
		if d.Delay > 0 {
			out += ", " + d.Delay.String()
		}
	default:
		out += " " + string(d.Reason)
		if d.Kind == task.Held {
			out += ", " + unit.Duration(d.NotBefore.Sub(now)).String()
		}
	}
	return out
}

const (
	hour = time.Hour
	mins = time.Minute
	secs = time.Second
)

// The rows carry the numbers of the policy's own table.
var table = map[string]row{
	"01 passed":                                     {[]change{passed}, "completed independent_verification_passed"},
	"02 passed in the last round and try":           {[]change{passed, rnd(3), tries(8)}, "completed independent_verification_passed"},
	"03 passed with the pause flag set":             {[]change{passed, func(c *situation) { c.f.Pause = true }}, "completed independent_verification_passed"},
	"04 passed with the deadline just over":         {[]change{passed, left(-secs)}, "completed independent_verification_passed"},
	"05 passed with the cost over":                  {[]change{passed, func(c *situation) { c.s.Spent.Cost = 9e6 }}, "completed independent_verification_passed"},
	"06 passed with nothing changed":                {[]change{passed, unchanged}, "completed no_change_needed"},
	"07 verification failed":                        {[]change{checks}, "retry replan repair, new round"},
	"08 verification failed with the pause flag":    {[]change{checks, func(c *situation) { c.f.Pause = true }}, "retry replan repair, new round"},
	"09 the same verification failure twice":        {[]change{checks, rnd(2), same(2, recovery.Replan)}, "needs_input same_failure_limit_reached"},
	"10 the same failure before rounds":             {[]change{checks, rnd(3), same(2, recovery.Replan)}, "needs_input same_failure_limit_reached"},
	"11 another failure in the last round":          {[]change{checks, rnd(3)}, "blocked max_rounds_reached"},
	"13 limit 1":                                    {[]change{checks, limit(1)}, "needs_input same_failure_limit_reached"},
	"14 limit 5 in the last round":                  {[]change{checks, limit(5), rnd(3), same(3)}, "blocked max_rounds_reached"},
	"15 own chain with another model":               {[]change{checks, rnd(2), same(2, recovery.Replan), ownChain(recovery.VerificationFailed, recovery.Replan, recovery.FallbackModel)}, "retry fallback_model, new round"},
	"16 nothing changed and the checks fail":        {[]change{checks, unchanged, boundarySoft}, "retry replan repair, new round"},
	"17 nothing changed twice":                      {[]change{checks, unchanged, boundarySoft, rnd(2), same(2, recovery.Replan)}, "needs_input same_failure_limit_reached"},
	"18 protected file changed":                     {[]change{boundary("protected_path")}, "blocked boundary_violation"},
	"19 protected file changed in the last round":   {[]change{boundary("protected_path"), rnd(3)}, "blocked boundary_violation"},
	"20 too many lines":                             {[]change{boundary("too_many_lines")}, "blocked boundary_violation"},
	"21 in place, checks fail, files changed":       {[]change{checks, inPlace}, "blocked rejected_candidate_requires_cleanup"},
	"22 in place, checks fail, nothing changed":     {[]change{checks, inPlace, unchanged}, "retry replan repair, new round"},
	"23 the generator asks":                         {[]change{fails(recovery.NeedsInfo)}, "needs_input needs_info"},
	"24 permission denied, limit 1":                 {[]change{fails(recovery.PermissionDenied), limit(1)}, "needs_input permission_denied"},
	"25 refused at the last try":                    {[]change{fails(recovery.Refused), tries(8)}, "needs_input refused"},
	"26 rate limited, 20 s":                         {[]change{fails(recovery.RateLimited), retryAfter(20 * secs)}, "retry retry, 20s"},
	"27 rate limited, 90 s":                         {[]change{fails(recovery.RateLimited), retryAfter(90 * secs)}, "retry retry, 1m30s"},
	"28 rate limited, 2 h":                          {[]change{fails(recovery.RateLimited), retryAfter(2 * hour)}, "retry fallback_model"},
	"29 rate limited, 2 h, one model":               {[]change{fails(recovery.RateLimited), retryAfter(2 * hour), oneModel}, "blocked deadline_exceeded"},
	"30 rate limited, used up, one model":           {[]change{fails(recovery.RateLimited), oneModel, used(recovery.RetryStep, 5)}, "blocked recovery_exhausted"},
	"32 network, first":                             {[]change{fails(recovery.Network)}, "retry retry, 5s"},
	"32 network, second":                            {[]change{fails(recovery.Network), used(recovery.RetryStep, 1)}, "retry retry, 10s"},
	"32 network, third":                             {[]change{fails(recovery.Network), used(recovery.RetryStep, 2)}, "retry retry, 20s"},
	"33 network, retries used":                      {[]change{fails(recovery.Network), used(recovery.RetryStep, 3)}, "retry fallback_model"},
	"34 overloaded, breaker open, one model":        {[]change{fails(recovery.Overloaded), open(5 * mins), oneModel}, "held breaker_open, 5m"},
	"35 overloaded, breaker open past the deadline": {[]change{fails(recovery.Overloaded), open(90 * mins), oneModel}, "blocked deadline_exceeded"},
	"36 quota, reset in 40 min":                     {[]change{fails(recovery.QuotaExhausted), retryAfter(40 * mins)}, "retry fallback_model"},
	"37 quota, fallback used":                       {[]change{fails(recovery.QuotaExhausted), retryAfter(40 * mins), used(recovery.FallbackModel, 1)}, "held quota_exhausted, 40m"},
	"38 auth":                                       {[]change{fails(recovery.Auth)}, "held auth, 15m"},
	"39 auth, 10 min left":                          {[]change{fails(recovery.Auth), left(10 * mins)}, "blocked deadline_exceeded"},
	"40 disk full":                                  {[]change{fails(recovery.DiskFull)}, "held disk_full, 15m"},
	"41 baseline red":                               {[]change{preflight(task.BaselineRed)}, "held baseline_red, 15m"},
	"42 output truncated":                           {[]change{fails(recovery.OutputTruncated)}, "retry continue"},
	"43 output truncated, no resume":                {[]change{fails(recovery.OutputTruncated), noResume}, "retry summarize"},
	"44 output truncated, continue used":            {[]change{fails(recovery.OutputTruncated), used(recovery.Continue, 3)}, "retry summarize"},
	"45 output truncated, all used, tree changed":   {[]change{fails(recovery.OutputTruncated), used(recovery.Continue, 3), used(recovery.Summarize, 1)}, "retry replan split, new round"},
	"46 output truncated again, tree unchanged":     {[]change{fails(recovery.OutputTruncated), used(recovery.Continue, 1), same(2, recovery.Continue)}, "retry summarize"},
	"47 output truncated, checks fail":              {[]change{fails(recovery.OutputTruncated), checks}, "retry continue"},
	"48 context window":                             {[]change{fails(recovery.ContextWindow)}, "retry compact"},
	"49 context window, no resume":                  {[]change{fails(recovery.ContextWindow), noResume}, "retry truncate"},
	"50 context window, compact used":               {[]change{fails(recovery.ContextWindow), used(recovery.Compact, 1), same(2, recovery.Compact)}, "retry truncate"},
	"51 context window, all used":                   {[]change{fails(recovery.ContextWindow), used(recovery.Compact, 1), used(recovery.Truncate, 3), used(recovery.Summarize, 1), used(recovery.FallbackModel, 1), same(2, recovery.Compact, recovery.Truncate, recovery.Summarize, recovery.FallbackModel, recovery.Replan)}, "needs_input same_failure_limit_reached"},
	"52 json error":                                 {[]change{fails(recovery.JSONError)}, "retry remind"},
	"53 json error twice":                           {[]change{fails(recovery.JSONError), used(recovery.Remind, 1), same(2, recovery.Remind)}, "retry fallback_model"},
	"54 json error twice, one model":                {[]change{fails(recovery.JSONError), used(recovery.Remind, 1), same(2, recovery.Remind), oneModel}, "needs_input same_failure_limit_reached"},
	"55 json errors of ever new texts":              {[]change{fails(recovery.JSONError), used(recovery.Remind, 2), oneModel}, "blocked recovery_exhausted"},
	"56 timeout, checks pass":                       {[]change{fails(recovery.Timeout), passed}, "completed independent_verification_passed"},
	"57 timeout, checks fail":                       {[]change{fails(recovery.Timeout), checks}, "retry continue"},
	"58 timeout, tree unchanged, no resume":         {[]change{fails(recovery.Timeout), unchanged, noResume}, "retry summarize"},
	"59 stalled":                                    {[]change{fails(recovery.Stalled)}, "retry retry, 5s"},
	"60 crashed":                                    {[]change{fails(recovery.Crashed), unchanged}, "retry retry, 5s"},
	"61 crashed twice":                              {[]change{fails(recovery.Crashed), used(recovery.RetryStep, 1), same(2, recovery.RetryStep)}, "retry fallback_model"},
	"61 crashed twice, one model":                   {[]change{fails(recovery.Crashed), used(recovery.RetryStep, 1), same(2, recovery.RetryStep), oneModel}, "needs_input same_failure_limit_reached"},
	"62 interrupted by kill -9":                     {[]change{fails(recovery.Interrupted)}, "retry retry"},
	"63 session lost":                               {[]change{fails(recovery.SessionLost)}, "retry retry"},
	"64 invalid request":                            {[]change{fails(recovery.InvalidRequest)}, "blocked invalid_request"},
	"65 last try, network":                          {[]change{fails(recovery.Network), tries(8)}, "blocked max_tries_reached"},
	"66 cost used up":                               {[]change{fails(recovery.RateLimited), func(c *situation) { c.s.Spent.Cost = 5e6 }}, "blocked cost_exhausted"},
	"67 narrowed chain meets the budgets":           {[]change{fails(recovery.JSONError), used(recovery.Remind, 1), same(2, recovery.Remind), tries(8)}, "blocked max_tries_reached"},
	"68 two tasks crash alike":                      {[]change{fails(recovery.Crashed), unchanged, func(c *situation) { c.f.BrokenBy = "t0" }}, "held generator_broken, 15m"},
	"69 operation, intent, killed":                  {[]change{fails(recovery.Interrupted), operation(Effect{}, EffectUnknown, 0)}, "observe effect_unknown"},
	"70 effect unknown, observed twice":             {[]change{checks, operation(Effect{}, EffectUnknown, 2)}, "needs_input effect_unknown"},
	"71 not applied, repeat safe":                   {[]change{fails(recovery.Interrupted), operation(Effect{Repeat: "safe"}, NotApplied, 1)}, "retry retry"},
	"72 not applied, repeat never":                  {[]change{checks, operation(Effect{Repeat: "never"}, NotApplied, 1)}, "blocked not_repeatable"},
	"73 applied, repeat keyed, checks fail":         {[]change{checks, operation(Effect{Repeat: "keyed"}, Applied, 1)}, "retry replan repair, new round"},
	"74 applied, compensate defined, checks fail":   {[]change{checks, operation(Effect{Compensate: []string{"undo"}}, Applied, 1)}, "compensate effect_applied"},
	"75 compensate failed, not looked at":           {[]change{checks, operation(Effect{Compensate: []string{"undo"}}, EffectUnknown, 0), undo(false)}, "observe effect_unknown"},
	"75 compensate failed, looked at":               {[]change{checks, operation(Effect{Compensate: []string{"undo"}}, Applied, 1), undo(false)}, "needs_input compensation_failed"},
	"76 compensated and observed not applied":       {[]change{checks, operation(Effect{Compensate: []string{"undo"}}, NotApplied, 1), undo(true)}, "blocked compensated"},
	"77 applied, no compensate, not keyed":          {[]change{checks, operation(Effect{}, Applied, 1)}, "blocked effect_applied"},
	"78 applied, passed":                            {[]change{passed, operation(Effect{}, Applied, 1)}, "completed independent_verification_passed"},
	"79 irreversible applied, checks fail":          {[]change{checks, operation(Effect{Irreversible: true}, Applied, 1)}, "blocked irreversible_effect"},
	"81 cancel":                                     {[]change{fails(recovery.Network), func(c *situation) { c.f.Cancel = true }}, "blocked cancelled"},
	"82 no test ran":                                {[]change{judged(classed("no_tests_ran"))}, "retry replan repair, new round"},
	"83 tests vanished":                             {[]change{judged(classed("tests_vanished"))}, "retry replan repair, new round"},
	"84 visible pass, hidden fails":                 {[]change{judged(Evidence{Hidden: true, Checks: append(passing().Checks, CheckResult{Hidden: true})})}, "needs_input hidden_check_failed"},
	"85 canary":                                     {[]change{preflight(task.CheckReadsOtherTree)}, "held check_reads_other_tree, 15m"},
	"87 checks fail with infra classes only":        {[]change{judged(Evidence{Infra: true, Checks: failing("x").Checks})}, "held check_environment, 15m"},
}

func ownChain(c recovery.Category, steps ...recovery.Strategy) change {
	return func(g *situation) {
		chain := recovery.Chain{Then: recovery.ThenBlock}
		for _, st := range steps {
			chain.Steps = append(chain.Steps, recovery.Step{Strategy: st, Max: 1})
		}
		g.s.Policy.Chains[c] = chain
	}
}

func boundarySoft(c *situation) {
	c.s.Evidence.Boundary = []signature.BoundaryError{{Code: CandidateEmpty}}
}

func preflight(r task.Reason) change {
	return func(c *situation) { c.s.Preflight.Reason = r }
}

func classed(class string) Evidence {
	e := failing("x")
	e.Checks[0].ExitCode, e.Checks[0].Failures[0].Class = 0, class
	return e
}

func operation(e Effect, known string, looked int) change {
	e.Target, e.Observe = "shop", []string{"look"}
	return func(c *situation) {
		c.s.Task.Operations = []string{"order"}
		c.s.Policy.Effects = map[string]Effect{"order": e}
		c.s.Ops = []Operation{{Op: "order", ID: "1", Intent: true, Known: known, Looked: looked}}
	}
}

func undo(worked bool) change {
	return func(c *situation) { c.s.Ops[0].Undone, c.s.Ops[0].UndoFail = true, !worked }
}

func TestDecisionTable(t *testing.T) {
	for name, r := range table {
		t.Run(name, func(t *testing.T) {
			c := r.situate()
			if got := outcome(decide(c.s, c.f), c.f.Now); got != r.want {
				t.Errorf("decide = %s; want %s", got, r.want)
			}
		})
	}
}

// Rows that are about a sequence are played in transcripts; the table and they
// together must leave none out.
func TestEveryRowIsSomewhere(t *testing.T) {
	elsewhere := []int{12, 31, 80, 86, 88, 89, 90}
	for n := 1; n <= 90; n++ {
		found := slices.Contains(elsewhere, n)
		for name := range table {
			found = found || name[:2] == fmt.Sprintf("%02d", n)
		}
		if !found {
			t.Errorf("row %d of the decision table has no case", n)
		}
	}
}

func TestRetryTellsItsReason(t *testing.T) {
	cases := map[string]struct {
		row  string
		want task.Reason
	}{
		"a new plan after a failed verification": {"07 verification failed", task.VerificationFailedReplan},
		"a wait for a busy target":               {"32 network, first", task.TransientBackoff},
		"any other step":                         {"42 output truncated", task.RecoveryStep},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := table[c.row].situate()
			if got := decide(g.s, g.f).Reason; got != c.want {
				t.Errorf("Reason = %s; want %s", got, c.want)
			}
		})
	}
}

func TestDecideLeavesTheStateAlone(t *testing.T) {
	for name, r := range table {
		c := r.situate()
		before := whole(t, c.s)
		decide(c.s, c.f)
		if after := whole(t, c.s); after != before {
			t.Errorf("%s: decide changed the state", name)
		}
	}
}
