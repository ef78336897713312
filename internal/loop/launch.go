package loop

import (
	"fmt"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
)

// start is all that the next try is given.
func (h *host) start(s round.State, tmp string) (generator.Start, error) {
	g, x := h.cfg.Generator, fsx.Scratch(h.exchange())
	adapter, ok := generator.Find(g.Adapter)
	if !ok {
		return generator.Start{}, fmt.Errorf("generator.adapter %q is not known: use one of %s", g.Adapter, enumerate(generator.Names()))
	}
	request, prompt, planPath, err := h.told(s, x)
	if err != nil {
		return generator.Start{}, err
	}
	command := g.Command
	if len(command) == 0 {
		command = adapter.Command
	}
	runID := h.runID(s)
	return generator.Start{
		Adapter: adapter, Command: command, Home: h.cfg.Dir, Wrap: h.generatorSandbox(adapter, command, tmp).Wrap(), Dir: h.space.Dir(),
		TaskDir: h.journal.Dir(), LogDir: h.taskFile(roundDir(s.Round)),
		Request: request, Prompt: prompt, PlanPath: planPath,
		RequestPath: x.Path("request.json"), PromptPath: x.Path("prompt.md"),
		ReportPath: x.Path("report.json"), EffectsPath: x.Path(effectsFile),
		Store: x.Path("agent"), Confined: h.sandbox.abi > 0, Before: tookSoFar(s),
		TaskID: h.journal.ID, Round: s.Round, Try: s.Tries, RunID: runID,
		Strategy: strategy(s), Mode: s.Request.Mode, Model: s.Request.Model, ResumeID: s.Request.Resume,
		Deadline: s.Now.Add(h.wall(s)), IdempotencyKey: idempotencyKey(s), TraceParent: record.TraceOf(s).Parent(s.Tries),
		Env:    generator.Env{Pass: g.Env.Pass, Set: h.generatorSet(tmp), Lookup: h.lookup},
		Redact: h.cfg.Records.Redact, MaxOutput: int64(h.cfg.Records.MaxOutput),
		Wall: h.wall(s), Silence: g.Silence.Std(), Grace: g.Grace.Std(),
		Active:  func() time.Time { return lastChange(h.space.Dir()) },
		Started: func(p child.Proc) { h.noteRun(runID, p) },
		Changed: h.changed, Patterns: h.patterns(s), Zone: zone,
	}, nil
}

// wall is the time that the next try has: its own limit, at most what the task
// has left.
func (h *host) wall(s round.State) time.Duration {
	left := min(s.Policy.TryTimeout, s.Policy.WallClock-s.Spent.WallClock).Std()
	return max(time.Second, min(left, s.Deadline().Sub(s.Now)))
}

// patterns are the user's own, ready to use. loop.yaml refused those that do
// not compile.
func (h *host) patterns(s round.State) []recovery.CompiledPattern {
	compiled, err := recovery.CompilePatterns(s.Policy.Patterns)
	if err != nil {
		h.warn("recovery.patterns of %s: %v", h.journal.ID, err)
	}
	return compiled
}

func zone(name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return l
}

// idempotencyKey never changes within a task, also not after a new plan, and a
// follow-up keeps it.
func idempotencyKey(s round.State) string {
	if f := s.Claimed.FollowUp; f != nil {
		return f.Key
	}
	return record.Digest([]byte(s.Task.ID + "\x00" + s.Claimed.TaskFile.SHA256))[:32]
}
