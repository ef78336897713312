package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/verify"
)

// Preflight implements round.Host: can the checks be trusted on this base? The
// answer is the same for every task with the same checks on the same base, so
// it is kept.
func (h *host) Preflight(ctx context.Context, s round.State) (round.PreflightResult, error) {
	base, conflict, err := h.base(ctx, h.space, s.Task)
	if err != nil {
		return round.PreflightResult{}, err
	}
	if conflict == "" { // nothing was started on the base of the claim yet: a mended one counts
		s.Claimed.Base = base
	}
	res, err := h.preflight(ctx, s)
	res.Base = s.Claimed.Base
	return res, err
}

func (h *host) preflight(ctx context.Context, s round.State) (round.PreflightResult, error) {
	key, err := h.preflightKey(ctx, s)
	if err != nil {
		return round.PreflightResult{}, err
	}
	if res, ok := h.recall(key); ok {
		return res, nil
	}
	var touched []string
	look := sync.OnceValue(func() (err error) { // before the tree is laid out anew, or at the end
		touched, err = h.moved(ctx, s)
		return err
	})
	job := h.preflightJob(s, look)
	h.noteRun(job.RunID, child.Proc{})
	res, err := verify.Runner{}.Preflight(ctx, job)
	if err = errors.Join(err, h.forgetRun()); err == nil {
		err = look()
	}
	if err != nil {
		return res, interruptedBy(ctx, err)
	}
	res.Touched = touched
	h.hintSandbox(res)
	return res, h.remember(key, res)
}

// hintSandbox says that checks which can't be trusted ran in a sandbox: it may
// be the reason, and is nowhere to be seen in what they print.
func (h *host) hintSandbox(res round.PreflightResult) {
	if h.sandbox.abi > 0 && (res.Reason == task.BaselineRed || res.Reason == task.CheckEnvironment) {
		h.warn("the checks ran in a sandbox (%s): what they need beside the system, the tools of your home and verification.env is to be named in sandbox.read or sandbox.write", h.sandbox.level)
	}
}

func (h *host) preflightJob(s round.State, beforeEmptied func() error) verify.PreflightJob {
	job := verify.PreflightJob{
		Job: h.job(s, "preflight"), Baseline: s.Policy.Baseline, Canary: s.Policy.Canary, CanarySkip: s.Policy.CanarySkip,
		Allow: s.Policy.Boundary.Allow, Checkout: h.cfg.Dir,
		BaseTree: func(ctx context.Context) (string, error) {
			return h.space.CheckTree(ctx, s.Claimed.Base, nil)
		},
		Culprits: h.culprits(),
		EmptiedTree: func(ctx context.Context, _ []string) (string, error) {
			if err := beforeEmptied(); err != nil {
				return "", err
			}
			return h.emptied(ctx, s)
		},
	}
	if s.Policy.InPlace { // nothing may be emptied in the user's own checkout
		job.Canary, job.Checkout = false, ""
	}
	return job
}

// emptied is a tree of the base in which every file that a candidate may change
// is empty. Checks that say the same of it do not look at it.
func (h *host) emptied(ctx context.Context, s round.State) (string, error) {
	dir, err := h.space.CheckTree(ctx, s.Claimed.Base, nil)
	if err != nil {
		return "", err
	}
	builtin, err := h.builtin(ctx, s)
	if err != nil {
		return "", err
	}
	whole := s.Policy.Boundary
	whole.TaskAllow, whole.TaskProtect = nil, nil
	rules := verify.NewRules(whole, builtin)
	tree := fsx.Scratch(dir)
	for _, name := range builtin.Base {
		if !rules.MayChange(name) {
			continue
		}
		path := filepath.FromSlash(name)
		if info, err := os.Lstat(tree.Path(path)); err != nil || !info.Mode().IsRegular() {
			continue // a link has no contents of its own
		}
		if err := tree.WriteFile(path, nil); err != nil {
			return "", fmt.Errorf("empty %q in the check tree: %w", name, err)
		}
	}
	return dir, nil
}

// culprits are the files in shared folders that lead back into the checkout.
func (h *host) culprits() []string {
	var files []string
	for _, leak := range h.space.Leaks() {
		files = append(files, leak.Path)
	}
	return files
}

const (
	preflightDir = "preflight"
	maxPreflight = 64 << 20
)

// preflightKey names everything that the answer depends on.
func (h *host) preflightKey(ctx context.Context, s round.State) (string, error) {
	tree, err := h.space.Tree(ctx, s.Claimed.Base)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal([]any{
		tree, h.profiles(s), h.cfg.Workspace.Setup, h.cfg.Workspace.Share, s.Policy.Boundary.Allow, s.Policy.Boundary.Protect,
		s.Policy.Baseline, s.Policy.Canary, s.Policy.CanarySkip, s.Policy.Masks, h.checkEnviron(),
		h.sandbox.level, h.cfg.Sandbox.Read, h.cfg.Sandbox.Write,
	})
	return record.Digest(data)[:32], err
}

func (h *host) recall(key string) (round.PreflightResult, bool) {
	var res round.PreflightResult
	data, err := h.store.Loop().Read(filepath.Join(preflightDir, key+".json"), maxPreflight)
	if err != nil || json.Unmarshal(data, &res) != nil {
		return round.PreflightResult{}, false
	}
	return res, true
}

// remember keeps an answer. What the environment was at fault for may be
// another one tomorrow.
func (h *host) remember(key string, res round.PreflightResult) error {
	if res.Reason == task.CheckEnvironment {
		return nil
	}
	if err := h.store.Loop().Mkdir(preflightDir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dir, err := h.store.Loop().Sub(preflightDir)
	if err != nil {
		return err
	}
	defer dir.Close()
	data, err := json.MarshalIndent(res, "", "  ")
	if err == nil {
		err = dir.View(key+".json", append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep the preflight: %w", err)
	}
	return nil
}
