package task

import (
	"slices"
	"testing"
)

func TestStageOfADecision(t *testing.T) {
	tests := map[Decision]Stage{
		Completed: Done, Blocked: BlockedStage, NeedsInput: NeedsInputStage,
		Retry: "", Held: "", Observe: "", Compensate: "", Interrupted: "",
	}
	for decision, want := range tests {
		if got := decision.Stage(); got != want {
			t.Errorf("%s.Stage() = %q; want %q", decision, got, want)
		}
		if want != "" && !slices.Contains(Stages[:], want) {
			t.Errorf("Stages lacks %q", want)
		}
	}
}
