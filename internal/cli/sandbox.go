package cli

import (
	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// sandbox is the level that the next generator would be confined to, and why
// that is none although nobody asked for it. A loop.yaml with faults has none:
// nothing is started by it.
func (a *app) sandbox() (level, why string) {
	path, err := a.configPath()
	if err != nil {
		return "", ""
	}
	cfg, faults, err := config.Load(path)
	if faults, _ = task.Split(faults); err != nil || len(faults) > 0 {
		return "", ""
	}
	abi := 0
	if cfg.Sandbox.Mode != "off" {
		abi = child.Landlock()
	}
	level, why, err = loop.Confinement(cfg, abi)
	if err != nil {
		return loop.NoSandbox, err.Error()
	}
	return level, why
}

// confinedTo is the level of the last try, "" before the first.
func confinedTo(all []record.AttemptView) string {
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].Sandbox
}
