package recovery

import (
	"slices"
	"strings"
)

// patterns: the user's. On a run that ended well they may not read what is not
// named: only a pattern that names its source, and a tree without a change.
func (r *reading) patterns(y yield) bool {
	fine := r.good() && !r.Report.failed()
	for _, p := range r.user {
		if fine && (r.Changed || p.Source == "" && p.Pointer == "" || p.Source == SourceError) {
			continue
		}
		text, ok := p.match(r.Signs)
		if !ok {
			continue
		}
		cl := clueOf(Cause{Text: text}, r.moment)
		if p.Pointer != "" && r.Event != nil {
			cl = clueOf(r.Event.Cause, r.moment)
		}
		f := r.failure(p.Category, p.ID, cl)
		if d := p.retryAfter(text); d != nil {
			f.RetryAfter = d
			f.Retryable = f.Retryable || p.Category == QuotaExhausted
		}
		if !y(f) {
			return false
		}
	}
	return true
}

// builtin: the built-in patterns, on the structured error, else on the last
// lines of stderr.
func (r *reading) builtin(y yield) bool {
	if r.Report.failed() && !r.judge(clueOf(r.Report.cause(), r.moment), y) {
		return false
	}
	if r.good() {
		return r.tame(y)
	}
	if r.bad() {
		if cl := clueOf(r.Event.Cause, r.moment); !cl.empty() {
			return r.judge(cl, y)
		}
	}
	return r.lastWords(y)
}

func (r *reading) judge(cl clue, y yield) bool {
	for id, c := range cl.rules() {
		if !y(r.failure(c, id, cl)) {
			return false
		}
	}
	return true
}

// lastWords judges the end of stderr. After an exit code of 0 only lines that
// call themselves errors count, since the rest may be the agent talking.
func (r *reading) lastWords(y yield) bool {
	blocks := errorBlocks(r.Stderr)
	if r.exit() == 0 {
		blocks = []string{MarkedLines(r.Stderr)}
	}
	for _, block := range blocks {
		if !r.judge(clueOf(Cause{Text: block}, r.moment), y) {
			return false
		}
	}
	return r.tame(y)
}

// tame looks for what kept a run from changing anything although it may say
// that it went well: tools that were refused, are missing or failed to the end,
// or no answer at all. A tree that changed is for the checks to judge.
func (r *reading) tame(y yield) bool {
	if r.Changed || r.Event == nil && !r.Expects {
		return true
	}
	if r.Event != nil && len(r.Event.Denied) > 0 {
		cl := clue{text: strings.Join(r.Event.Denied, ", ")}
		if !y(r.failure(PermissionDenied, ruleDenied, cl)) {
			return false
		}
	}
	texts := []string{MarkedLines(r.Stderr)}
	if r.Event != nil {
		texts = append(texts, r.Event.ToolError)
	}
	for _, text := range texts {
		if !r.judgeTame(clueOf(Cause{Text: text}, r.moment), y) {
			return false
		}
	}
	if r.good() && r.Report == nil && r.Event != nil && r.Event.Final < 5 && r.Event.ToolCalls == 0 {
		return y(r.failure(EmptyResponse, ruleEmpty, clue{}))
	}
	return true
}

func (r *reading) judgeTame(cl clue, y yield) bool {
	for i := range rules {
		if rule := &rules[i]; rule.tame && rule.fits(cl) && !y(r.failure(rule.category, rule.id, cl)) {
			return false
		}
	}
	return true
}

func (r *reading) schema(y yield) bool {
	if len(r.ReportFaults) == 0 {
		return true
	}
	return y(r.failure(JSONError, ruleSchema, clue{text: strings.Join(r.ReportFaults, "; ")}))
}

// bare: nothing is left but how the process ended.
func (r *reading) bare(y yield) bool {
	eventless := r.Event == nil || !r.Event.Seen
	switch {
	case r.bad():
		return y(r.failure(Unknown, ruleUnknown, clueOf(r.Event.Cause, r.moment)))
	case r.Report.failed():
		return y(r.failure(Unknown, ruleReportFail, clueOf(r.Report.cause(), r.moment)))
	case r.good():
		return true
	case r.exit() > 0:
		return y(r.bareFailure(Crashed, ruleBareExit))
	case r.exit() == 0 && MarkedLines(r.Stderr) != "":
		return y(r.bareFailure(Unknown, ruleUnknown))
	case r.exit() == 0 && eventless && !r.Changed && (r.Event == nil || r.Event.ToolCalls == 0):
		return y(r.failure(EmptyResponse, ruleNoEvent, clue{}))
	case r.exit() == 0:
		return y(r.failure(Crashed, ruleNoEvent, clue{}))
	case r.silentOutput():
		return true
	}
	return y(r.bareFailure(Unknown, ruleUnknown))
}

// silentOutput reports a saved output without an exit code in which no line
// calls itself an error.
func (r *reading) silentOutput() bool {
	if r.Ended != EndedExit || r.ExitCode != nil || strings.TrimSpace(r.Stderr) == "" {
		return false
	}
	return !slices.ContainsFunc(strings.Split(lastLines(r.Stderr), "\n"), func(line string) bool {
		return (errorMark.in(line) || errorWord.in(line)) && !quoted.in(line)
	})
}
