package round

import (
	"encoding/json"
	"fmt"
)

// Replay derives every decision of a journal anew from the events before it,
// and says where one differs from what was recorded. An empty result means that
// the record is what this core decides.
func Replay(events []Event) []string {
	var diffs []string
	var s State
	for i, e := range events {
		if e.Kind == Decide && e.Decision != nil && e.Facts != nil {
			again := rederive(s, *e.Facts)
			if recorded, derived := encode(*e.Decision), encode(again); recorded != derived {
				diffs = append(diffs, fmt.Sprintf("event %d: recorded %s, derived %s", i+1, recorded, derived))
			}
		}
		s = s.Apply(e)
	}
	return diffs
}

// rederive is the decision that Play takes in state s.
func rederive(s State, f Facts) Decision {
	if s.Next == Start {
		d, _ := refuse(s, f)
		return d
	}
	return decide(s, f)
}

// encode is a decision in the form in which it is recorded, so that what the
// record can't hold makes no difference.
func encode(d Decision) string {
	data, err := json.Marshal(d)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
