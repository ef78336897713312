package round

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/signature"
)

// A session that is not gone on with is summed up: what was wanted, what is in
// the tree, what was tried and decided, what is open, and what comes next. No
// detail of a hidden check is in it.
func TestDigest(t *testing.T) {
	failed := CheckResult{Check: signature.Check{Argv: []string{"test"}, ExitCode: 1, Failures: []signature.Failure{{ID: "TestA", Class: "assertion", Detail: "got 1"}}}}
	hidden := CheckResult{Hidden: true, Check: signature.Check{ExitCode: 1, Failures: []signature.Failure{{ID: "TestSecret"}}}}
	s := State{Round: 1}
	s.Task.Goal = "make it\n work"
	s.Try.Candidate.Changed = []Change{{Path: "a.go", Added: 3, Deleted: 1}}
	s.Rounds = []*Round{{N: 1, Judged: true, Evidence: Evidence{Checks: []CheckResult{failed, hidden}}, Tries: []*Played{
		{Try: Try{N: 1, Summary: "began"}, Decision: Decision{Kind: "retry", Strategy: recovery.Continue}},
		{Try: Try{N: 2, Ended: "timeout"}},
	}}}
	want := `Goal: make it work

Changed so far:
- a.go (+3 -1)

Tried so far, and what was decided:
- round 1, try 1: began (continue)
- round 1, try 2: ended by timeout

Open:
- TestA: assertion: got 1

Next step: mend what is open, then do what is missing of the goal.
`
	if diff := cmp.Diff(want, s.digest()); diff != "" {
		t.Errorf("digest (-want +got):\n%s", diff)
	}
}
