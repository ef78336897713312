package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// ready makes the work tree what the next start asks for, or says what is in
// the way of it. Nothing of that is the task's fault. A disk that fails is no
// state to wait in: it ends the pass.
func (h *host) ready(ctx context.Context, s round.State) (task.Reason, string, error) {
	if reason, detail, err := h.unfit(ctx, h.space); reason != "" || err != nil {
		return reason, detail, err
	}
	switch err := h.prepare(ctx, s); {
	case diskFault(err):
		return "", "", err
	case err != nil:
		return task.WorkspaceResetFailed, err.Error(), nil
	}
	return "", "", nil
}

// prepare makes the work tree the base where the request asks for that, else
// what the try before left in it, also where another task had the tree meanwhile.
func (h *host) prepare(ctx context.Context, s round.State) error {
	prepared, base, ok := h.space.Prepared()
	if mine := ok && prepared == h.journal.ID && base == s.Claimed.Base; s.Request.Reset && mine && !s.Policy.InPlace {
		return h.space.Reset(ctx)
	}
	err := h.space.Prepare(ctx, h.journal.ID, s.Claimed.Base)
	left := s.Try.Candidate
	if err != nil || s.Request.Reset || s.Policy.InPlace || left.Commit == "" {
		return err
	}
	snap, err := h.space.Snapshot(ctx)
	if err == nil && snap.Tree == left.Tree || err != nil && !errors.Is(err, workspace.ErrGone) {
		return err
	}
	return h.space.Restore(ctx, left.Commit)
}

// unfit says what keeps looprun from beginning anything at all.
func (p *pass) unfit(ctx context.Context, space *workspace.Space) (task.Reason, string, error) {
	if free, err := fsx.Free(p.store.Path()); err == nil && free < int64(p.cfg.Queue.DiskFloor) {
		return task.DiskFull, fmt.Sprintf("%d MiB are free, below queue.disk_floor", free>>20), nil
	}
	if p.cfg.Workspace.Mode != config.InPlace {
		return "", "", nil
	}
	dirty, err := space.Dirty(ctx)
	switch {
	case diskFault(err):
		return "", "", err
	case err != nil:
		return task.DirtyWorktree, err.Error(), nil
	case len(dirty) > 0:
		return task.DirtyWorktree, fmt.Sprintf("uncommitted changes in %s: commit or remove them first", enumerate(dirty)), nil
	}
	return "", "", nil
}

// diskFault reports that the disk failed, or is full.
func diskFault(err error) bool {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return errors.Is(err, fsx.ErrSync)
}

// Generate implements round.Host. What the generator left is a commit when it
// returns, so that it never has to be looked at again.
func (h *host) Generate(ctx context.Context, s round.State) (round.Try, error) {
	tmp, err := h.tempDir()
	if err != nil {
		return round.Try{}, err
	}
	defer h.endTempDir(tmp)
	start, err := h.start(s, tmp)
	if err != nil {
		return round.Try{}, err
	}
	request, prompt, err := h.keepTold(s, start)
	if err != nil {
		return round.Try{}, err
	}
	// The note stands before the start: looprun may be killed in between.
	if err := h.writeRun(start.RunID, child.Proc{}); err != nil {
		return round.Try{}, err
	}
	before, err := h.seal()
	if err != nil {
		return round.Try{}, err
	}
	try, err := generator.Run(ctx, start)
	if err = errors.Join(err, h.forgetRun()); err != nil {
		return try, err
	}
	try.Request, try.Prompt, try.Sandbox = request, prompt, h.sandbox.level
	if try.Candidate, err = h.snapshot(ctx, s); err != nil {
		return try, err
	}
	try.Effects = h.effects(s)
	return h.unseal(s, try, start, before)
}

// keepTold keeps what the generator is given, before it can touch it.
func (h *host) keepTold(s round.State, start generator.Start) (request, prompt round.File, err error) {
	dir := roundDir(s.Round)
	request, err1 := h.keepFile(filepath.Join(dir, tryName("request", s)+".json"), start.Request)
	prompt, err2 := h.keepFile(filepath.Join(dir, tryName("prompt", s)+".md"), start.Prompt)
	return request, prompt, errors.Join(err1, err2)
}

// snapshot reads the work tree and makes what changed a commit.
func (h *host) snapshot(ctx context.Context, s round.State) (round.Candidate, error) {
	ctx = context.WithoutCancel(ctx) // an interrupted try has a candidate too
	snap, err := h.space.Snapshot(ctx)
	if errors.Is(err, workspace.ErrGone) { // whoever takes it away left no candidate
		return round.Candidate{Refused: []signature.BoundaryError{{Code: "tampered", Path: "."}}}, nil
	}
	if err != nil {
		return round.Candidate{}, err
	}
	c := candidate(snap)
	if snap.Tree == "" || len(snap.Changes) == 0 {
		return c, nil
	}
	if c.Commit, err = h.space.Commit(ctx, snap, h.meta(s)); err != nil {
		return c, err
	}
	patch, err := h.patch(ctx, c.Commit)
	if err != nil {
		return c, err
	}
	c.Patch, err = h.keepFile(filepath.Join(roundDir(s.Round), tryName("candidate", s)+".patch"), h.redacted(patch))
	return c, err
}

// patch is what a candidate changes. That of the last one is remembered: it is
// kept, and then looked through for secrets.
func (h *host) patch(ctx context.Context, commit string) ([]byte, error) {
	if h.patched != commit {
		data, err := h.space.Patch(ctx, commit)
		if err != nil {
			return nil, err
		}
		h.patched, h.lastPatch = commit, data
	}
	return h.lastPatch, nil
}

// meta is what the candidate's commit says. It is the same whenever the commit
// is made: its time is that of the start.
func (h *host) meta(s round.State) workspace.Meta {
	return workspace.Meta{
		Task: h.journal.ID, Title: s.Task.Title, Round: s.Round, Try: s.Tries, At: s.Now,
		Trailers: [][2]string{{"Looprun-Chain", h.journal.Head()}},
	}
}

func candidate(snap workspace.Snapshot) round.Candidate {
	c := round.Candidate{Base: snap.Base, Tree: snap.Tree, Ignored: snap.IgnoredNew}
	for _, one := range snap.Changes {
		c.Lines += one.Added + one.Deleted
		c.Changed = append(c.Changed, round.Change{
			Path: one.Path, Status: string(one.Status), OldMode: mode(one.OldMode), NewMode: mode(one.NewMode),
			Added: one.Added, Deleted: one.Deleted, Size: one.Size, Binary: one.Binary,
		})
	}
	for _, r := range snap.Refusals {
		c.Refused = append(c.Refused, signature.BoundaryError{Code: r.Code, Path: r.Path})
	}
	return c
}

func mode(m uint32) string {
	if m == 0 {
		return ""
	}
	return fmt.Sprintf("%06o", m)
}

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

// strategy names what the try that was just started is an instance of, "" for
// the first. A retry is named here only: its request keeps the words of the one
// before, so that both have the same bytes.
func strategy(s round.State) recovery.Strategy {
	if s.Request.Repeat && s.Tries > 1 {
		return recovery.RetryStep
	}
	return s.Request.Strategy
}

// changed tells whether the tree differs from the base.
func (h *host) changed(ctx context.Context) (bool, error) {
	snap, err := h.space.Snapshot(context.WithoutCancel(ctx))
	if errors.Is(err, workspace.ErrGone) {
		return true, nil
	}
	return len(snap.Changes)+len(snap.Refusals) > 0, err
}

// wall is the time that the next try has: its own limit, at most what the task
// has left.
func (h *host) wall(s round.State) time.Duration {
	left := min(s.Policy.TryTimeout, s.Policy.WallClock-s.Spent.WallClock).Std()
	return max(time.Second, min(left, s.Claimed.At.Add(s.Policy.Deadline.Std()).Sub(s.Now)))
}

// runID marks every process of a try. It is random, so that no other process
// can carry it by chance.
func (h *host) runID(s round.State) string {
	return fmt.Sprintf("%s-r%d-t%d-%s", h.journal.ID, s.Round, s.Tries, randomHex())
}

// answer is a person's, where the task follows up one that asked.
func answer(s round.State) string {
	if f := s.Claimed.FollowUp; f != nil {
		return f.Answer
	}
	return ""
}

// idempotencyKey never changes within a task, also not after a new plan, and a
// follow-up keeps it.
func idempotencyKey(s round.State) string {
	if f := s.Claimed.FollowUp; f != nil {
		return f.Key
	}
	return record.Digest([]byte(s.Task.ID + "\x00" + s.Claimed.TaskFile.SHA256))[:32]
}

// tryName tells the files of a later try of a round from those of its first.
func tryName(base string, s round.State) string {
	for _, r := range s.Rounds {
		if r.N == s.Round && len(r.Tries) > 0 {
			return base + "-t" + strconv.Itoa(s.Tries)
		}
	}
	return base
}

// keepFile writes a file below the task's records and returns what an event
// says of it.
func (h *host) keepFile(name string, data []byte) (round.File, error) {
	dir := fsx.Scratch(h.journal.Dir())
	if err := dir.MkdirAll(filepath.Dir(name)); err != nil {
		return round.File{}, err
	}
	if err := dir.WriteFile(name, data); err != nil {
		return round.File{}, err
	}
	return round.File{Path: filepath.ToSlash(name), SHA256: record.Digest(data), Bytes: int64(len(data))}, nil
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

// told is what the generator reads: request.json, the prompt, and from round 2
// on the path of its plan.
func (h *host) told(s round.State, x fsx.Scratch) (request, prompt []byte, planPath string, err error) {
	if err := x.MkdirAll(""); err != nil {
		return nil, nil, "", err
	}
	r := generator.Request{
		TaskID: s.Task.ID, Round: s.Round, Title: s.Task.Title, Goal: s.Task.Goal,
		Allow: s.Task.Allow, Protect: s.Task.Protect, Context: s.Task.Context, Operations: s.Task.Operations,
		Model: s.Request.Model, Answer: answer(s), Inject: s.Request.Inject, Extra: s.Request.Extra,
		Strategy: generator.Strategy{Name: string(s.Request.Strategy), Mode: s.Request.Mode, Why: s.Request.Why},
	}
	if len(r.Allow) == 0 {
		r.Allow = s.Policy.Boundary.Allow
	}
	if p := s.Request.Plan; p != nil {
		content, err := planText(p)
		if err == nil {
			err = x.RemoveAll(record.PlanFile(s.Round)) // a try before may have left a link there
		}
		if err == nil {
			err = x.WriteFile(record.PlanFile(s.Round), content)
		}
		if err != nil {
			return nil, nil, "", err
		}
		planPath = x.Path(record.PlanFile(s.Round))
		r.Plan = &generator.Plan{Path: planPath, Content: content}
	}
	request, err = r.Render()
	return request, []byte(h.prompt(s)), planPath, err
}

// planText is a plan as a generator reads it.
func planText(p *plan.Plan) ([]byte, error) {
	content, err := json.MarshalIndent(p, "", "  ")
	return append(content, '\n'), err
}
