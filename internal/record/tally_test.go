package record_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// night is the journals of tasks with every kind of ending.
func night(t *testing.T) map[string][]record.Line {
	t.Helper()
	s := openStore(t, place(t))
	all := map[string][]record.Line{}
	for id, tries := range map[string][]string{
		"mended":   {unsound, passes},
		"stuck":    {fails, fails},
		"waited":   {limited, limited, passes},
		"asked":    {question},
		"outside":  {outside},
		"overrun":  {unsound, unsound, unsound},
		"too-late": {limited, limited, limited, limited},
	} {
		all[id] = runTask(t, s, id, tries...).Lines()
	}
	return all
}

func tallied(t *testing.T) record.Tally {
	t.Helper()
	var all record.Tally
	for _, lines := range night(t) {
		all.Add(lines, 0, time.Time{})
	}
	all.Derive()
	return all
}

func TestTally(t *testing.T) {
	got := tallied(t)
	outcomes := func(attempts, successes, passed, changed, same int) *record.Outcomes {
		return &record.Outcomes{Attempts: attempts, Successes: successes, Passed: passed, Changed: changed, Same: same}
	}
	wantRecoveries := map[recovery.Category]map[recovery.Strategy]*record.Outcomes{
		// mended passed, stuck failed the same way, overrun twice in another
		recovery.VerificationFailed: {recovery.Replan: outcomes(4, 1, 1, 2, 1)},
		// waited: overloaded again, then it passed; too-late: overloaded to the end
		recovery.Overloaded: {recovery.RetryStep: outcomes(5, 1, 1, 0, 4)},
	}
	if diff := cmp.Diff(wantRecoveries, got.Recoveries); diff != "" {
		t.Errorf("Recoveries (-want +got):\n%s", diff)
	}
	for name, tt := range map[string]struct{ got, want any }{
		"tasks":     {got.Tasks, map[string]int{"claimed": 7, "completed": 2, "needs_input": 2, "blocked": 3}},
		"failures":  {got.Failures, map[recovery.Category]int{"verification_failed": 6, "overloaded": 6, "needs_info": 1, "boundary_violation": 1}},
		"decisions": {got.Decisions, map[string]int{"chain": 9, "success": 2, "same_failure": 1, "input": 1, "guard": 1, "rounds": 1, "used_up": 1}},
		"rules":     {got.Rules, map[string]int{"overloaded": 6, "report": 1}},
		"stops": {got.Stops, map[task.Reason]int{
			task.VerificationPassed: 2, task.SameFailureLimit: 1, task.NeedsInfo: 1,
			task.BoundaryViolation: 1, task.MaxRoundsReached: 1, task.RecoveryExhausted: 1,
		}},
		"needed":           {got.Needed, map[int]int{2: 1, 3: 1}},
		"profiles":         {got.Profiles["unit"], &record.Colours{Runs: 8, Red: 6}},
		"tries":            {[]int{got.Tries, got.FailedOnes, got.Hopeless}, []int{16, 7, 1}},
		"recoveries":       {[]int{got.Steps, got.Recovered, got.Aborted, got.Exhausted, got.Repeats}, []int{9, 2, 0, 1, 0}},
		"cost of passing":  {got.Costs["passed"].Cost.String(), "0.02"},
		"cost of the rest": {got.Costs["verification_failed"].Tries, 6},
		"shares": {got.Shares, record.Shares{
			NonRetryable: 1.0 / 7, SameFailure: 1.0 / 7, Person: 2.0 / 7, MeanTries: 2.5, NeverRed: []string{},
		}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// However a journal is cut into parts, each line is counted once.
func TestEveryLineIsCountedOnce(t *testing.T) {
	for id, lines := range night(t) {
		var whole record.Tally
		whole.Add(lines, 0, time.Time{})
		for cut := range lines {
			var parts record.Tally
			parts.Add(lines[:cut], 0, time.Time{})
			parts.Add(lines, cut, time.Time{})
			parts.Add(lines, len(lines), time.Time{})
			if diff := cmp.Diff(whole, parts); diff != "" {
				t.Errorf("%s cut after line %d (-whole +parts):\n%s", id, cut, diff)
			}
		}
	}
}

func TestTallySinceATime(t *testing.T) {
	lines := night(t)["waited"]
	var starts []time.Time
	for _, l := range lines {
		if l.Kind == round.Start {
			starts = append(starts, l.At)
		}
	}
	var late record.Tally
	late.Add(lines, 0, starts[2])
	if late.Tries != 1 || late.Steps != 0 || late.Recovered != 0 || late.Tasks["completed"] != 1 || late.Tasks[record.Claims] != 0 {
		t.Errorf("since the last start: %+v; want its try and the end alone", late)
	}
}

// A strategy that is used again on the very failure that it did not help
// against, and does not help again, is a round wasted.
func TestARepeatThatChangedNothingIsWasted(t *testing.T) {
	claimed := claim(t, "t1")
	claimed.Policy.SameFailure = 9
	s := openStore(t, place(t))
	j, err := s.Begin("t1", noon, claimed)
	must(t, err, (&player{store: s, journal: j, tries: []string{fails, fails, fails}, now: noon}).play())
	t.Cleanup(func() { j.Close() })
	var got record.Tally
	got.Add(j.Lines(), 0, time.Time{})
	if replan := got.ByStrategy[recovery.Replan]; got.Repeats != 1 || replan.Same != 2 {
		t.Errorf("%d repeats, replan %+v; want 1 repeat of 2 that came to the same", got.Repeats, replan)
	}
}
