package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// maxAdvice bounds what a strategy's command may answer.
const maxAdvice = 64 << 10

// A question is what a strategy's command is told on stdin.
type question struct {
	Request round.Request         `json:"request"`
	Failure recovery.Failure      `json:"failure"`
	Use     int                   `json:"use"` // how often it was asked before in this task
	Config  round.Policy          `json:"config"`
	History []record.HistoryEntry `json:"history"`
}

// An advice is what it may answer on stdout.
type advice struct {
	Status  string          `json:"status"`
	DelayMS int64           `json:"delay_ms"`
	Reason  string          `json:"reason"`
	Inject  string          `json:"inject"`
	Request json.RawMessage `json:"request"`
}

// Consult implements round.Host.
func (h *host) Consult(ctx context.Context, s round.State) (round.Consulted, error) {
	if s.Decision.Strategy == recovery.Summarize {
		return h.consult(ctx, s, round.Command{Run: s.Policy.Summarizer, Timeout: summarizerTime}, summary)
	}
	return h.consult(ctx, s, s.Policy.Strategies[s.Decision.Strategy], advised)
}

const summarizerTime = unit.Duration(2 * time.Minute)

// consult runs a command about the failure of s. Whatever is wrong with it is
// part of the answer: a broken strategy must not end the loop.
func (h *host) consult(ctx context.Context, s round.State, c round.Command, read func([]byte) round.Consulted) (round.Consulted, error) {
	stdin, err := json.Marshal(h.question(s))
	if err != nil {
		return round.Consulted{}, err
	}
	name := filepath.Join(roundDir(s.Round), fmt.Sprintf("%s-%d.out", s.Decision.Strategy, len(h.journal.Lines())))
	id := h.runID(s)
	h.noteRun(id, child.Proc{})
	ran, err := child.Run(ctx, child.Cmd{
		Argv: h.cfg.Argv(c.Run), Dir: h.cfg.Dir, RunID: id, Stdin: stdin, Keep: maxAdvice + 1,
		Wall: max(c.Timeout.Std(), time.Second), Grace: h.cfg.Generator.Grace.Std(),
		Stdout: h.taskFile(name), Stderr: h.taskFile(name + ".stderr"), Redact: h.secretValues(),
		Env: append(h.environ(h.cfg.Generator.Env), "LOOPRUN_TASK_ID="+s.Task.ID),
	})
	switch err = errors.Join(err, h.forgetRun()); {
	case err != nil:
		return round.Consulted{}, fmt.Errorf("ask %s: %w", s.Decision.Strategy, err)
	case ran.Ended == child.Interrupted:
		return round.Consulted{}, fmt.Errorf("ask %s: %w", s.Decision.Strategy, errInterrupted)
	}
	out := round.Consulted{Fault: faultOf(ran)}
	if out.Fault == "" {
		out = read(bytes.Join([][]byte{ran.Stdout.Head, ran.Stdout.Tail}, nil))
	}
	out.Output = round.File{Path: filepath.ToSlash(name), SHA256: ran.Stdout.SHA256, Bytes: ran.Stdout.Bytes}
	return out, nil
}

func (h *host) question(s round.State) question {
	q := question{Request: s.Request, Failure: s.Try.Failure, Config: s.Policy, History: record.NewResultView(s, h.journal.Lines(), h.journal.Head()).History}
	for _, u := range s.Used {
		if u.Strategy == s.Decision.Strategy && u.Category == s.Decision.Category {
			q.Use = u.N - 1
		}
	}
	return q
}

// faultOf says why a command's answer does not count, whatever it is.
func faultOf(ran child.Result) string {
	switch {
	case ran.NotFound:
		return "the command was not found"
	case ran.Ended != child.Exit:
		return "it ended by " + ran.Ended
	case ran.ExitCode != 0:
		return fmt.Sprintf("it exited with %d", ran.ExitCode)
	case ran.Stdout.Total > maxAdvice:
		return "its answer is longer than 64 KiB"
	}
	return ""
}

// advised reads the answer of a strategy's command.
func advised(out []byte) round.Consulted {
	var a advice
	if err := json.Unmarshal(out, &a); err != nil {
		return round.Consulted{Fault: "its answer is not a JSON object: " + err.Error()}
	}
	c := round.Consulted{Status: a.Status, Reason: a.Reason, Inject: a.Inject, Request: a.Request}
	c.Delay = unit.Duration(time.Duration(a.DelayMS) * time.Millisecond)
	switch {
	case a.Status != round.GoOn && a.Status != round.NextStrategy && a.Status != round.GiveUp:
		c.Fault = fmt.Sprintf("its status is %q: it must be retry, next_strategy or abort", a.Status)
	case a.DelayMS < 0:
		c.Fault = "its delay_ms is negative"
	case a.DelayMS > math.MaxInt64/int64(time.Millisecond):
		c.Fault = "its delay_ms is out of range"
	}
	return c
}

// summary takes what a summarizer wrote for the next prompt.
func summary(out []byte) round.Consulted {
	text := string(bytes.TrimSpace(bytes.ToValidUTF8(out, nil)))
	if text == "" {
		return round.Consulted{Fault: "it wrote nothing"}
	}
	return round.Consulted{Status: round.GoOn, Inject: recovery.SummaryHeading + "\n\n" + text}
}
