package recovery

import "slices"

// own: looprun remembers which ends were its own doing.
func (r *reading) own(y yield) bool {
	switch r.Ended {
	case EndedTimeout:
		return y(r.failure(Timeout, ruleWall, clue{}))
	case EndedSilence:
		return y(r.failure(Stalled, ruleSilence, clue{}))
	case EndedInterrupted:
		return y(r.failure(Interrupted, ruleInterrupted, clue{}))
	}
	return true
}

// missing: 126 and 127 are what shells and looprun's own start say.
func (r *reading) missing(y yield) bool {
	switch {
	case r.NotFound, r.exit() == 127:
		return y(r.bareFailure(ToolUnavailable, ruleNotFound))
	case r.exit() == 126:
		return y(r.bareFailure(ToolUnavailable, ruleNotExec))
	}
	return true
}

// event: what the terminal event gives as values. Its words come later, among
// the patterns, but for what they make of a status: a 429 can be a quota.
func (r *reading) event(y yield) bool {
	if r.Event == nil || !r.Event.Seen {
		return true
	}
	cl := clueOf(r.Event.Cause, r.moment)
	if c, ok := finishOf(r.Event.Finish); ok && !y(r.failure(c, ruleFinish, cl)) {
		return false
	}
	if r.Event.Good || !cl.structured() {
		return true
	}
	return r.decisive(cl, y)
}

// decisive yields what a structured error means. That a request was refused says
// too little to go before the patterns, which see the error again.
func (r *reading) decisive(cl clue, y yield) bool {
	for id, c := range cl.rules() {
		if c != InvalidRequest && !y(r.failure(c, id, cl)) {
			return false
		}
	}
	return true
}

// fatal are the signals that end a process from outside or by its own fault, as
// shells put them into an exit code.
var fatal = []int{128 + 1, 128 + 2, 128 + 3, 128 + 4, 128 + 5, 128 + 6, 128 + 7, 128 + 8, 128 + 9, 128 + 11, 128 + 13, 128 + 15, 128 + 24, 128 + 25, 128 + 31}

func (r *reading) exits(y yield) bool {
	if r.good() {
		return true
	}
	if r.Ended == EndedSignal || r.Signal != "" {
		return y(r.bareFailure(Crashed, ruleSignal))
	}
	if c, ok := r.Exits[r.exit()]; ok {
		return y(r.bareFailure(c, ruleExitCode))
	}
	if status, ok := r.Statuses[r.exit()]; ok {
		cause := Cause{Status: status, Text: r.mainText()}
		if r.Event != nil {
			cause.Codes = r.Event.Codes
		}
		return r.decisive(clueOf(cause, r.moment), y)
	}
	if slices.Contains(fatal, r.exit()) && !(r.bad() && r.Event.Text != "") {
		return y(r.bareFailure(Crashed, ruleSignal))
	}
	return true
}

// mainText is the error's text, else the last block of stderr.
func (r *reading) mainText() string {
	if text := r.errorText(); text != "" {
		return text
	}
	if blocks := errorBlocks(r.Stderr); len(blocks) > 0 {
		return blocks[0]
	}
	return ""
}

// report: what the generator says of itself chooses the recovery, never success.
func (r *reading) report(y yield) bool {
	if r.Report == nil {
		return true
	}
	cl := clueOf(r.Report.cause(), r.moment)
	if c := Category(r.Report.Code); KnownCategory(c) && !y(r.failure(c, ruleReport, cl)) {
		return false
	}
	if r.Report.Status == ReportNeedsInput {
		return y(r.failure(NeedsInfo, ruleReportAsks, clue{text: r.Report.Question}))
	}
	return true
}

func (p Report) cause() Cause {
	c := Cause{Text: p.Message}
	if p.Code != "" {
		c.Codes = []string{p.Code}
	}
	if p.RetryAfterS != nil {
		if d, ok := seconds(*p.RetryAfterS); ok {
			c.RetryAfter = &d
		}
	}
	return c
}

func (p *Report) failed() bool {
	return p != nil && (p.Status == ReportFailed || p.Code != "" || p.Message != "")
}
