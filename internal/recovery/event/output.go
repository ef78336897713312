package event

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"looprun.dev/looprun/internal/recovery"
)

// FromOutput reads one saved output of a CLI, stdout and stderr together, as far
// as it tells how the run ended. exit is nil where it is not known; a negative
// one is the number of a signal. The tree is taken to be unchanged.
func FromOutput(cli string, exit *int, output string) recovery.Signs {
	if isAPI(strings.ToLower(strings.TrimSpace(cli))) {
		return fromBody(exit, output)
	}
	r := New(cli)
	text := r.feedOutput(output, r.spec == &anyCLI)
	s := recovery.Signs{
		Ended: recovery.EndedExit, ExitCode: exit, Stderr: text,
		Expects: r.spec.facts.Expects, Exits: r.spec.facts.Exits, Statuses: r.spec.facts.Statuses,
	}
	switch {
	case ownWords(&s):
		return s
	case exit != nil && *exit < 0:
		s.Ended, s.Signal, s.ExitCode = recovery.EndedSignal, strconv.Itoa(-*exit), nil
	}
	if exit == nil || *exit != 0 {
		r.run.Settle()
	}
	s.Event = r.run.Event()
	if r.spec == &anyCLI {
		s.Event = believed(s.Event, exit)
	}
	if s.Event == nil && s.Expects && exit != nil && *exit == 0 {
		s.Event = spoken(text)
	}
	return s
}

// feedOutput feeds what is JSON and gives back the rest. Of a program that is
// not known only the last line is fed: what stands before it may be anything.
func (r *Reader) feedOutput(output string, lastOnly bool) string {
	lines := strings.Split(strings.ReplaceAll(output, "\r\n", "\n"), "\n")
	last := len(lines) - 1
	for last > 0 && strings.TrimSpace(lines[last]) == "" {
		last--
	}
	var text []string
	for i, line := range lines {
		if lastOnly && i != last || !r.Feed([]byte(line)) {
			text = append(text, line)
		}
	}
	if rest := r.Rest(); rest != "" {
		text = append(text, rest)
	}
	return strings.Join(text, "\n")
}

// ownWords reads how looprun itself tells of a run that it ended.
func ownWords(s *recovery.Signs) bool {
	for line := range strings.Lines(s.Stderr) {
		if !strings.HasPrefix(line, "looprun: ") || !strings.Contains(line, " killed after ") {
			continue
		}
		switch {
		case strings.Contains(line, " without exit"):
			s.Ended = recovery.EndedTimeout
			return true
		case strings.Contains(line, " without output"):
			s.Ended = recovery.EndedSilence
			return true
		}
	}
	return false
}

// believed is what an unknown program's last line proves: that it failed, if its
// exit code does not say the contrary.
func believed(e *recovery.Event, exit *int) *recovery.Event {
	if e == nil || !e.Seen || e.Good && exit != nil || exit != nil && *exit == 0 {
		return nil
	}
	return e
}

// spoken is the end of a run in text mode: the agent's last words, unless their
// last line calls itself an error.
func spoken(text string) *recovery.Event {
	if strings.TrimSpace(text) == "" || recovery.MarkedLines(text) != "" {
		return nil
	}
	return &recovery.Event{Seen: true, Good: true, Final: utf8.RuneCountInString(strings.TrimSpace(text))}
}

// fromBody reads an API's answer. Everything in the body of an error is the
// API's own word.
func fromBody(exit *int, body string) recovery.Signs {
	s := recovery.Signs{Ended: recovery.EndedExit, ExitCode: exit}
	e := &recovery.Event{Seen: true}
	var o object
	if json.Unmarshal([]byte(body), &o) == nil && !o.has("error") && answer(o) {
		e.Good, e.Finish, e.Final = true, finishOf(o), len(body)
	} else {
		e.Cause = recovery.ReadCause(body)
	}
	s.Event = e
	return s
}

func answer(o object) bool {
	return o.has("choices") || o.has("content") || o.has("candidates") || o.has("output")
}

// finishOf is why the model stopped, in any of the APIs' forms.
func finishOf(o object) string {
	for _, c := range append(o.objects("choices"), o.objects("candidates")...) {
		if reason := c.text("finish_reason") + c.text("finishReason"); reason != "" {
			return reason
		}
	}
	return o.text("stop_reason") + o.at("incomplete_details").text("reason")
}
