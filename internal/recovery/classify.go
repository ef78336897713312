package recovery

import (
	"iter"
	"slices"
)

// Ids of rules that are no built-in pattern. With statusRule and those of the
// table they are the values of Failure.Rule.
const (
	ruleSuccess     = "success"
	ruleWall        = "wall-limit"
	ruleSilence     = "silence-limit"
	ruleInterrupted = "interrupted"
	ruleNotFound    = "command-not-found"
	ruleNotExec     = "command-not-executable"
	ruleFinish      = "finish-reason"
	ruleSignal      = "signal"
	ruleExitCode    = "exit-code"
	ruleReport      = "report-error"
	ruleReportAsks  = "report-needs-input"
	ruleReportFail  = "report-failed"
	ruleSchema      = "report-schema"
	ruleDenied      = "permission-denials"
	ruleEmpty       = "empty-response"
	ruleNoEvent     = "no-terminal-event"
	ruleBareExit    = "bare-exit"
	ruleUnknown     = "unknown-error"
)

// Classify says what a try ended with. The first that fits decides: looprun's
// own kill or timer; a command that is missing; the adapter's terminal event; the
// exit by a signal or with a code that the adapter knows; the report's error;
// the user's patterns in their order, then the built-in ones, on structured
// error text and the last lines of stderr alone; a report of the wrong form; a
// bare exit code; unknown. What the agent said, what its tools printed and what
// it changed are never evidence. A try that did not fail is None.
func Classify(s Signs, user []CompiledPattern) Failure {
	for f := range findings(s, user) {
		return f
	}
	return Failure{Category: None, Class: Other, Rule: ruleSuccess}
}

// ClassifyAll lists every rule that would match, in order of precedence; the
// first is what Classify returns. It is empty for a try that did not fail.
func ClassifyAll(s Signs, user []CompiledPattern) []Failure {
	var all []Failure
	for f := range findings(s, user) {
		known := slices.ContainsFunc(all, func(g Failure) bool { return g.Rule == f.Rule && g.Category == f.Category })
		if !known {
			all = append(all, f)
		}
	}
	return all
}

func findings(s Signs, user []CompiledPattern) iter.Seq[Failure] {
	r := &reading{Signs: s, user: user, classes: classesOf(user), moment: moment{s.Now, s.Zone}}
	stages := []func(*reading, yield) bool{
		(*reading).own, (*reading).missing, (*reading).event, (*reading).exits, (*reading).report,
		(*reading).patterns, (*reading).builtin, (*reading).schema, (*reading).bare,
	}
	return func(y func(Failure) bool) {
		for _, stage := range stages {
			if !stage(r, y) {
				return
			}
		}
	}
}

type yield = func(Failure) bool

// A reading is the state of one classification. Its methods are the stages, in
// order; each returns false when nothing more is wanted.
type reading struct {
	Signs
	user    []CompiledPattern
	classes Classes
	moment  moment
}

func classesOf(user []CompiledPattern) Classes {
	patterns := make([]Pattern, len(user))
	for i, p := range user {
		patterns[i] = p.Pattern
	}
	return ClassesOf(patterns)
}

// failure makes a Failure of category c that the error, if there is one, bears out.
func (r *reading) failure(c Category, rule string, cl clue) Failure {
	f := Failure{
		Category: c, Class: r.classes.Of(c), Rule: rule, Retryable: r.classes.retryable(c),
		Status: cl.status, Code: plain(cl.code, 80), Detail: plain(cl.text, maxDetail),
	}
	if c == QuotaExhausted {
		f.Retryable = cl.windowed()
	}
	if waits := r.classes.Of(c) == Transient || c == QuotaExhausted || c.custom(); waits {
		f.RetryAfter, f.ResetAt = cl.reset.After, cl.reset.At
	}
	return f
}

func (r *reading) bareFailure(c Category, rule string) Failure {
	detail := ""
	if blocks := errorBlocks(r.Stderr); len(blocks) > 0 {
		detail = blocks[0]
	}
	return r.failure(c, rule, clue{text: detail})
}
