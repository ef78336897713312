package loop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// Observe implements round.Host: the command's exit code says whether the
// operation happened, 0 that it did, 1 that it did not. Anything else leaves it
// unknown.
func (h *host) Observe(ctx context.Context, s round.State) (round.Observed, error) {
	result := func(r child.Result) string {
		switch {
		case r.Ended == child.Exit && r.ExitCode == 0:
			return round.Applied
		case r.Ended == child.Exit && r.ExitCode == 1:
			return round.NotApplied
		}
		return round.EffectUnknown
	}
	return h.operate(ctx, s, "observe", s.Policy.Effects[s.Decision.Op].Observe, result)
}

// Compensate implements round.Host. Whether it worked is only a hint: what
// counts is what is observed afterwards.
func (h *host) Compensate(ctx context.Context, s round.State) (round.Observed, error) {
	result := func(r child.Result) string {
		if r.Ended == child.Exit && r.ExitCode == 0 {
			return "done"
		}
		return "failed"
	}
	return h.operate(ctx, s, "compensate", s.Policy.Effects[s.Decision.Op].Compensate, result)
}

// operate runs a command of loop.yaml about one operation.
func (h *host) operate(ctx context.Context, s round.State, verb string, argv []string, result func(child.Result) string) (round.Observed, error) {
	d, effect := s.Decision, s.Policy.Effects[s.Decision.Op]
	name := fmt.Sprintf("%s-%s-%d", verb, d.Op, len(h.journal.Lines()))
	log := h.taskFile(roundDir(s.Round), name+".log")
	id := h.runID(s)
	h.noteRun(id, child.Proc{})
	ran, err := child.Run(ctx, child.Cmd{
		Argv: h.cfg.Argv(argv), Dir: h.cfg.Dir, RunID: id, Wall: max(effect.Timeout.Std(), time.Second),
		Grace: h.cfg.Generator.Grace.Std(), Stdout: log, Stderr: log + ".stderr", Redact: h.secretValues(),
		Env: append(h.environ(h.cfg.Generator.Env), operationEnv(s)...),
	})
	err = errors.Join(err, h.forgetRun())
	switch {
	case err != nil:
		return round.Observed{}, fmt.Errorf("%s %s: %w", verb, d.Op, err)
	case ran.Ended == child.Interrupted:
		return round.Observed{}, fmt.Errorf("%s %s: %w", verb, d.Op, errInterrupted)
	}
	return round.Observed{
		Op: d.Op, ID: d.OpID, Result: result(ran),
		Output: round.File{Path: filepath.ToSlash(filepath.Join(roundDir(s.Round), name+".log")), SHA256: ran.Stdout.SHA256, Bytes: ran.Stdout.Bytes},
	}, nil
}

// operationEnv names the operation that a command is about.
func operationEnv(s round.State) []string {
	d := s.Decision
	return []string{
		"LOOPRUN_TASK_ID=" + s.Task.ID, "LOOPRUN_OP=" + d.Op, "LOOPRUN_OP_ID=" + d.OpID,
		"LOOPRUN_TARGET=" + s.Policy.Effects[d.Op].Target,
		"LOOPRUN_IDEMPOTENCY_KEY=" + operationKey(s, d.Op, d.OpID),
	}
}

// operationKey is the same whenever the operation is tried again.
func operationKey(s round.State, op, id string) string {
	return record.Digest([]byte(strings.Join([]string{idempotencyKey(s), op, id}, "\x00")))[:32]
}
