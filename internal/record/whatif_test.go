package record_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

func TestCompare(t *testing.T) {
	tests := map[string]struct {
		tries  []string
		policy func(*round.Policy)
		want   record.WhatIf
	}{
		"its own policy": {[]string{unsound, passes}, func(*round.Policy) {},
			record.WhatIf{Outcome: record.SameEnd, Ended: task.Completed, Reason: task.VerificationPassed}},
		"one round would have ended it": {[]string{unsound, unsound, passes},
			func(p *round.Policy) { p.MaxRounds = 1 },
			record.WhatIf{Outcome: record.EndsSooner, Ended: task.Completed, Reason: task.VerificationPassed,
				Round: 1, Try: 1, Recorded: "retry replan", Derived: "blocked max_rounds_reached", Tries: 2, Cost: 20_000}},
		"more equal failures would have been let go": {[]string{fails, fails},
			func(p *round.Policy) { p.SameFailure = 3 },
			record.WhatIf{Outcome: record.GoesOn, Ended: task.NeedsInput, Reason: task.SameFailureLimit,
				Round: 2, Try: 2, Recorded: "needs_input same_failure_limit_reached", Derived: "retry replan", Added: 1}},
		"another reason to end is another end": {[]string{fails, fails},
			func(p *round.Policy) { p.MaxTries = 2; p.SameFailure = 3 },
			record.WhatIf{Outcome: record.EndsOther, Ended: task.NeedsInput, Reason: task.SameFailureLimit,
				Round: 2, Try: 2, Recorded: "needs_input same_failure_limit_reached", Derived: "blocked max_tries_reached"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			where := place(t)
			j := runTask(t, openStore(t, where), "t1", tt.tries...)
			r, err := record.NewReader(where)
			must(t, err)
			h, err := r.Task("t1")
			must(t, err, r.Close())
			p := j.State().Policy
			tt.policy(&p)
			tt.want.TaskID = "t1"
			if diff := cmp.Diff(tt.want, record.Compare(h, p)); diff != "" {
				t.Errorf("Compare (-want +got):\n%s", diff)
			}
		})
	}
}

// What a person added for a task is added to the other policy as well.
func TestCompareKeepsWhatAPersonAdded(t *testing.T) {
	where := place(t)
	j := runTask(t, openStore(t, where), "t1", unsound, unsound, passes)
	r, err := record.NewReader(where)
	must(t, err)
	h, err := r.Task("t1")
	must(t, err, r.Close())
	p := j.State().Policy
	p.MaxRounds = 1
	for added, want := range map[int]string{0: record.EndsSooner, 1: record.EndsSooner, 2: record.SameEnd} {
		h.State.Claimed.FollowUp = &round.FollowUp{AddRounds: added}
		if got := record.Compare(h, p).Outcome; got != want {
			t.Errorf("Compare with %d rounds added = %s; want %s", added, got, want)
		}
	}
}

func TestSurveyReadsOnlyWhatMayBeNewer(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	runTask(t, s, "t1", passes)
	runTask(t, s, "t2", fails, fails)
	writeFile(t, "no line\n", where, "tasks/t2/journal.jsonl")
	r, err := record.NewReader(where)
	must(t, err)
	defer r.Close()
	seen := func(since time.Time) (ids []string, damaged int) {
		must(t, r.Survey(since, func(id string, h record.History, err error) error {
			if err != nil {
				damaged++
			}
			ids = append(ids, id)
			return nil
		}))
		return ids, damaged
	}
	if ids, damaged := seen(time.Time{}); !cmp.Equal(ids, []string{"t1", "t2"}) || damaged != 1 {
		t.Errorf("Survey = %v, %d damaged; want both, one damaged", ids, damaged)
	}
	if ids, _ := seen(time.Now().Add(time.Hour)); len(ids) > 0 {
		t.Errorf("Survey since the future = %v; want none", ids)
	}
}
