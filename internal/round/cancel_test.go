package round

import (
	"strings"
	"testing"

	"looprun.dev/looprun/internal/task"
)

// Whoever cancels a task is told which operation may have happened outside.
func TestCancelNamesAnUnknownEffect(t *testing.T) {
	tests := map[string]struct {
		ops  []Operation
		want string // the operation
	}{
		"nothing was begun":           {nil, ""},
		"what is known":               {[]Operation{{Op: "pay", ID: "1", Known: Applied}}, ""},
		"what nobody knows":           {[]Operation{{Op: "pay", ID: "1", Known: EffectUnknown}}, "pay"},
		"the first that nobody knows": {[]Operation{{Op: "pay", ID: "1", Known: NotApplied}, {Op: "send", ID: "2", Known: EffectUnknown}}, "send"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := State{Policy: testPolicy(), Round: 1, Rounds: []*Round{{N: 1}}, Ops: tt.ops}
			atStart, _ := refuse(s, Facts{Now: noon, Cancel: true})
			for when, d := range map[string]Decision{"at a decision": decide(s, Facts{Now: noon, Cancel: true}), "at a start": atStart} {
				if d.Kind != task.Blocked || d.Reason != task.Cancelled || d.Op != tt.want || !strings.Contains(d.Detail, tt.want) {
					t.Errorf("%s: %s %s, operation %q, %q; want blocked cancelled, operation %q", when, d.Kind, d.Reason, d.Op, d.Detail, tt.want)
				}
			}
		})
	}
}
