package round

import "looprun.dev/looprun/internal/recovery"

// Lost is the try that was started and whose end nobody saw: it was
// interrupted, and counts like any other. What it said of effects outside is
// left to the host, which knows whether that can be read; why goes into the
// record.
func (s State) Lost(why string) Try {
	t := Try{
		N: s.Tries, Started: s.Now, Strategy: s.Request.Strategy, Mode: s.Request.Mode, Model: s.Request.Model,
		Ended: "interrupted", ExitCode: -1,
		Failure: recovery.Failure{Category: recovery.Interrupted, Rule: "looprun-died", Retryable: true, Detail: why},
	}
	if s.Request.Repeat && s.Tries > 1 {
		t.Strategy = recovery.RetryStep
	}
	for _, f := range []*File{&t.Request, &t.Prompt, &t.Report, &t.Stdout, &t.Stderr} {
		f.Missing = "looprun ended before it was recorded"
	}
	return t
}
