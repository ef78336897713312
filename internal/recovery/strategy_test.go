package recovery

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTraitsOfStrategies(t *testing.T) {
	for name, test := range map[string]struct {
		strategy Strategy
		after    Category
		want     Traits
	}{
		"retry waits and changes nothing":                    {RetryStep, RateLimited, Traits{Session: SessionAsBefore, Waits: true}},
		"retry after a crash starts from the base":           {RetryStep, Crashed, Traits{Session: SessionAsBefore, Waits: true, ResetTree: true}},
		"retry after an interruption does not wait":          {RetryStep, Interrupted, Traits{Session: SessionAsBefore, ResetTree: true}},
		"retry of a lost session is fresh and at once":       {RetryStep, SessionLost, Traits{Session: SessionFresh}},
		"retry of an unpaired tool call is fresh":            {RetryStep, ToolPair, Traits{Session: SessionFresh, Waits: true}},
		"continue goes on in the session":                    {Continue, OutputTruncated, Traits{Session: SessionResume, NeedsResume: true}},
		"compact needs a compact turn":                       {Compact, ContextWindow, Traits{Session: SessionResume, NeedsResume: true, NeedsCompact: true}},
		"truncate may be used twice on the same":             {Truncate, ContextWindow, Traits{Session: SessionFresh, Repeats: true}},
		"summarize is fresh and keeps the tree":              {Summarize, Timeout, Traits{Session: SessionFresh}},
		"another model starts from the base on a new target": {FallbackModel, Network, Traits{Session: SessionFresh, ResetTree: true, NeedsModel: true, NewTarget: true}},
		"remind resumes where it can":                        {Remind, JSONError, Traits{Session: SessionResumeOrFresh}},
		"replan opens a round":                               {Replan, VerificationFailed, Traits{Session: SessionFresh, ResetTree: true, OpensRound: true}},
		"abort ends":                                         {Abort, Unknown, Traits{Ends: true}},
	} {
		if diff := cmp.Diff(test.strategy.Traits(test.after), test.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
}

func TestParseStrategy(t *testing.T) {
	for name, test := range map[string]struct{ in, fault string }{
		"built in":      {"fallback_model", ""},
		"of the user":   {"x-page", ""},
		"mistyped":      {"retrry", `unknown strategy "retrry", did you mean "retry"`},
		"near two":      {"summarise", `unknown strategy "summarise", did you mean "summarize"`},
		"near nothing":  {"pray", `unknown strategy "pray"`},
		"a bad own one": {"x-Page", `unknown strategy "x-Page"`},
	} {
		s, err := ParseStrategy(test.in)
		if got := message(err); got != test.fault {
			t.Errorf("%s: ParseStrategy(%q) says %q; want %q", name, test.in, got, test.fault)
		}
		if test.fault == "" && string(s) != test.in {
			t.Errorf("%s: ParseStrategy(%q) = %q", name, test.in, s)
		}
	}
}

func TestTagsOfOwnStrategies(t *testing.T) {
	for name, test := range map[string]struct {
		tags  []string
		want  Traits
		fault string
	}{
		"none":                   {nil, Traits{Session: SessionAsBefore}, ""},
		"all that go together":   {[]string{"new_target", "waits", "fresh"}, Traits{Session: SessionFresh, NewTarget: true, Waits: true}, ""},
		"resume needs resume":    {[]string{"same_target", "resume"}, Traits{Session: SessionResume, NeedsResume: true}, ""},
		"unknown":                {[]string{"fast"}, Traits{Session: SessionAsBefore}, `unknown tag "fast"`},
		"twice":                  {[]string{"waits", "waits"}, Traits{Session: SessionAsBefore, Waits: true}, `tag "waits" is given twice`},
		"two sessions":           {[]string{"resume", "fresh"}, Traits{Session: SessionFresh, NeedsResume: true}, "exclude each other"},
		"the same and a new one": {[]string{"same_target", "new_target"}, Traits{Session: SessionAsBefore, NewTarget: true}, "exclude each other"},
	} {
		got, err := ParseTags(test.tags)
		if diff := cmp.Diff(got, test.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
		if said := message(err); !strings.Contains(said, test.fault) || (test.fault == "") != (said == "") {
			t.Errorf("%s: says %q; want %q", name, said, test.fault)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
