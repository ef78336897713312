package recovery

import "time"

// How a try ended, as the process layer tells it.
const (
	EndedExit        = "exit"
	EndedSignal      = "signal"      // by a signal that was not looprun's
	EndedTimeout     = "timeout"     // looprun's own wall limit
	EndedSilence     = "silence"     // looprun's own silence limit
	EndedInterrupted = "interrupted" // looprun was told to stop
)

// Signs are all that a failure is classified by. They are plain data: whoever
// ran the generator collects them. A zero value is a try of which nothing is
// known.
type Signs struct {
	Stage    string // StageGenerator, the default, or StageCheck
	Ended    string // one of the Ended constants, "" when not known
	ExitCode *int   // nil when not known
	Signal   string // as "SEGV"
	NotFound bool   // the command is missing or not executable; nothing ran

	// Expects is set for a CLI that always ends with a terminal event, so that
	// one without is a failure. A plain program is judged by its exit code.
	Expects  bool
	Exits    map[int]Category // exit codes whose meaning the adapter knows
	Statuses map[int]int      // exit codes that stand for an HTTP status
	Event    *Event           // nil when the adapter read none

	Report       *Report  // nil when the generator wrote none
	ReportFaults []string // what is wrong with the report's form

	Stderr  string // its end, as much as the caller kept
	Changed bool   // the tree differs from before the try

	// Now and Zone turn clock times ("resets 8pm") into instants. Without them
	// only spans and complete dates are read.
	Now  time.Time
	Zone Zone
}

// An Event is a CLI's own terminal event: the last word on how its run went.
type Event struct {
	Seen   bool   // one was read; the other fields alone prove nothing
	Good   bool   // it says that the run went well, and has no error in it
	Finish string // why the model stopped, as written
	Cause         // of a run that did not go well

	Denied    []string // tools that the CLI refused to run
	ToolError string   // the words of a tool call that failed, when none succeeded after it
	Final     int      // characters in the final message
	ToolCalls int
	Raw       []byte // as read, for user patterns
}

// A Report is what the generator says of itself.
type Report struct {
	Status      string // candidate_ready, no_change, needs_input, failed
	Question    string
	Code        string // error.code
	Message     string // error.message
	RetryAfterS *float64
}

// The report's statuses that are a failure of their own.
const (
	ReportNeedsInput = "needs_input"
	ReportFailed     = "failed"
)

func (s Signs) stage() string {
	if s.Stage == "" {
		return StageGenerator
	}
	return s.Stage
}

// bad reports a terminal event that tells of a failure.
func (s Signs) bad() bool { return s.Event != nil && s.Event.Seen && !s.good() }

// good reports a run that ended well by its own account: a terminal event says
// so, whatever the exit code, or nothing was expected and the exit code is 0.
func (s Signs) good() bool {
	if s.Event != nil && s.Event.Seen {
		_, cut := finishOf(s.Event.Finish)
		return s.Event.Good && !cut
	}
	return !s.Expects && s.exit() == 0
}

// exit is the exit code, -1 when there was none.
func (s Signs) exit() int {
	if s.ExitCode == nil || s.Ended == EndedSignal {
		return -1
	}
	return *s.ExitCode
}

// errorText is the text of the structured error: the terminal event's, then the
// report's.
func (s Signs) errorText() string {
	text := ""
	if s.bad() {
		text = s.Event.Text
	}
	if s.Report != nil && s.Report.Message != "" {
		if text != "" {
			text += "\n"
		}
		text += s.Report.Message
	}
	return text
}

func (s Signs) raw() []byte {
	if s.Event == nil {
		return nil
	}
	return s.Event.Raw
}
