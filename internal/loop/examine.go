package loop

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/workspace"
)

// CheckGenerator looks whether the generator of c could start: that it is there,
// of a known version, and has a login. No model is asked.
func CheckGenerator(ctx context.Context, c config.Config, environ []string) []generator.Finding {
	adapter, ok := generator.Find(c.Generator.Adapter)
	if !ok {
		return []generator.Finding{{Name: "installed", Text: "generator.adapter " + c.Generator.Adapter + " is not known", Hint: "use one of " + enumerate(generator.Names())}}
	}
	if len(c.Generator.Command) > 0 {
		adapter.Command = c.Argv(c.Generator.Command)
	}
	env := map[string]string{}
	l := &Loop{opts: Options{Environ: environ}, cfg: c}
	for _, name := range c.Generator.Env.Pass {
		if value, ok := l.lookup(name); ok {
			env[name] = value
		}
	}
	for name, value := range c.Generator.Env.Set {
		env[name] = value
	}
	return generator.Check(ctx, adapter, func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	})
}

// Orphans counts what a looprun that died has left running of some tasks. While
// an instance is at work, its own processes are counted.
func Orphans(loopDir string, ids []string) (int, error) {
	var procs []child.Proc
	var runs []string
	for _, id := range ids {
		var r run
		data, err := os.ReadFile(filepath.Join(loopDir, "tasks", id, runFile))
		if err == nil && json.Unmarshal(data, &r) == nil && r.RunID != "" {
			procs, runs = append(procs, r.Proc), append(runs, r.RunID)
		}
	}
	if len(runs) == 0 {
		return 0, nil
	}
	return child.Left(procs, runs)
}

// Base is the commit that tasks would start from now.
func (l *Loop) Base(ctx context.Context) (string, error) {
	commit, _, err := l.spaces[0].Base(ctx)
	return commit, err
}

// Dirty lists what is not committed in a checkout that is worked in, and nothing
// where tasks have trees of their own.
func (l *Loop) Dirty(ctx context.Context) ([]string, error) {
	if l.cfg.Workspace.Mode != config.InPlace {
		return nil, nil
	}
	return l.spaces[0].Dirty(ctx)
}

// StateRoot is where the trees and caches of c are, or will be.
func StateRoot(c config.Config, getenv func(string) string) string {
	if c.Workspace.Dir != "" {
		return c.Resolve(c.Workspace.Dir)
	}
	return workspace.StateDir(getenv)
}
