package recovery

import (
	"errors"
	"fmt"
	"slices"
)

// A Strategy is one way to go on after a failure. Names that begin with "x-"
// are commands of loop.yaml.
type Strategy string

// The built-in strategies.
const (
	RetryStep     Strategy = "retry"
	Continue      Strategy = "continue"
	Compact       Strategy = "compact"
	Truncate      Strategy = "truncate"
	Summarize     Strategy = "summarize"
	FallbackModel Strategy = "fallback_model"
	Remind        Strategy = "remind"
	Replan        Strategy = "replan"
	Abort         Strategy = "abort"
)

// A Session says which of the agent's sessions the next try runs in.
type Session string

// The sessions of a try.
const (
	SessionAsBefore      Session = "as_before"       // the one that the failed try ran in or was to resume
	SessionResume        Session = "resume"          // the failed try's own
	SessionResumeOrFresh Session = "resume_or_fresh" // the failed try's own where it can be resumed
	SessionFresh         Session = "fresh"
)

// Traits are what a strategy needs and what it does to the next try.
type Traits struct {
	Session      Session
	ResetTree    bool // the work tree goes back to the base; else the candidate is kept
	NeedsResume  bool // the adapter must be able to go on with a session
	NeedsCompact bool // the adapter must have a compact turn
	NeedsModel   bool // generator.models must have another entry
	NewTarget    bool // the next try leaves the failed target
	Waits        bool // the backoff applies before the next try
	OpensRound   bool // needs a round; every strategy does after a failed verification
	Repeats      bool // may be used again on the same signature, since its request shrinks
	Ends         bool // no next try
}

var traits = []struct {
	strategy Strategy
	traits   Traits
}{
	{RetryStep, Traits{Session: SessionAsBefore, Waits: true}},
	{Continue, Traits{Session: SessionResume, NeedsResume: true}},
	{Compact, Traits{Session: SessionResume, NeedsResume: true, NeedsCompact: true}},
	{Truncate, Traits{Session: SessionFresh, Repeats: true}},
	{Summarize, Traits{Session: SessionFresh}},
	{FallbackModel, Traits{Session: SessionFresh, ResetTree: true, NeedsModel: true, NewTarget: true}},
	{Remind, Traits{Session: SessionResumeOrFresh}},
	{Replan, Traits{Session: SessionFresh, ResetTree: true, OpensRound: true}},
	{Abort, Traits{Ends: true}},
}

// Strategies lists the built-in strategies.
func Strategies() []Strategy {
	all := make([]Strategy, len(traits))
	for i, t := range traits {
		all[i] = t.strategy
	}
	return all
}

// Traits are the traits of a built-in strategy when it answers a failure of
// category c. A try that crashed or was interrupted may have left half a
// change behind, so retry starts it from the base; a lost session and a history
// with an unpaired tool call are answered with a fresh session. An x- strategy
// has the traits of its tags: see ParseTags.
func (s Strategy) Traits(c Category) Traits {
	t := s.plainTraits()
	if s != RetryStep {
		return t
	}
	t.ResetTree = c == Crashed || c == Interrupted
	t.Waits = c != Interrupted && c != SessionLost
	if c == ToolPair || c == SessionLost {
		t.Session = SessionFresh
	}
	return t
}

func (s Strategy) plainTraits() Traits {
	for _, t := range traits {
		if t.strategy == s {
			return t.traits
		}
	}
	return Traits{Session: SessionAsBefore}
}

// KnownStrategy reports whether s is built in or a well-formed x- name. Whether
// loop.yaml defines an x- name is for the caller to know.
func KnownStrategy(s Strategy) bool { return s.builtin() || s.custom() }

func (s Strategy) builtin() bool { return slices.Contains(Strategies(), s) }

func (s Strategy) custom() bool { return customName(string(s)) }

// ParseStrategy reads the name of a strategy. The error names the nearest one.
func ParseStrategy(name string) (Strategy, error) {
	if s := Strategy(name); KnownStrategy(s) {
		return s, nil
	}
	return "", unknownStrategy(Strategy(name), nil)
}

func unknownStrategy(s Strategy, defined []Strategy) error {
	if near := nearest(string(s), append(Strategies(), defined...)); near != "" {
		return fmt.Errorf("unknown strategy %q, did you mean %q", s, near)
	}
	return fmt.Errorf("unknown strategy %q", s)
}

// ParseTags reads the tags of an x- strategy: same_target or new_target, waits,
// resume or fresh. Without a tag for it, the target and the session stay.
func ParseTags(tags []string) (Traits, error) {
	t := Traits{Session: SessionAsBefore}
	var errs []error
	for i, tag := range tags {
		switch tag {
		case "same_target":
		case "new_target":
			t.NewTarget = true
		case "waits":
			t.Waits = true
		case "resume":
			t.Session, t.NeedsResume = SessionResume, true
		case "fresh":
			t.Session = SessionFresh
		default:
			errs = append(errs, fmt.Errorf("unknown tag %q: use same_target, new_target, waits, resume, fresh", tag))
		}
		if slices.Contains(tags[:i], tag) {
			errs = append(errs, fmt.Errorf("tag %q is given twice", tag))
		}
	}
	for _, pair := range [][2]string{{"same_target", "new_target"}, {"resume", "fresh"}} {
		if slices.Contains(tags, pair[0]) && slices.Contains(tags, pair[1]) {
			errs = append(errs, fmt.Errorf("tags %q and %q exclude each other", pair[0], pair[1]))
		}
	}
	return t, errors.Join(errs...)
}
