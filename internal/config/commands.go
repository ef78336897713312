package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/task"
)

// A command is one argv of the file and how its name is found.
type command struct {
	setting string
	argv    []string
	env     Env
	inTree  bool // runs in a tree that is not there yet: a path cannot be looked at
}

// CheckCommands looks for every command of the file as it will be looked for
// later, so that a slip shows before a task is claimed and not in the night.
// path is the PATH that looprun itself has.
func (c Config) CheckCommands(path string) []task.Fault {
	d := &decoder{file: c.file, places: c.places}
	for _, cmd := range c.commands() {
		if len(cmd.argv) == 0 {
			continue
		}
		if code, msg := c.find(cmd, cmd.env.searchPath(path)); code != "" {
			d.add(cmd.setting, code, "%s", msg)
		}
	}
	task.Sort(d.faults)
	return d.faults
}

// commands lists what the file starts, except for an adapter's own command.
func (c Config) commands() []command {
	agent, checks := c.Generator.Env, c.Verification.Env
	list := []command{
		{"generator.command", c.Generator.Command, agent, false},
		{"generator.probe", c.Generator.Probe, agent, false},
		{"generator.summarizer", c.Generator.Summarizer, agent, false},
		{"hooks.done", c.Hooks.Done, agent, false},
		{"hooks.blocked", c.Hooks.Blocked, agent, false},
		{"hooks.needs_input", c.Hooks.NeedsInput, agent, false},
		{"hooks.held", c.Hooks.Held, agent, false},
		{"hooks.breaker_open", c.Hooks.BreakerOpen, agent, false},
	}
	for i, s := range c.Workspace.Setup {
		list = append(list, command{member(item("workspace.setup", i), "run"), s.Run, checks, true})
	}
	for _, name := range sortedKeys(c.Verification.Profiles) {
		for i, check := range c.Verification.Profiles[name] {
			path := member(item(member("verification.profiles", name), i), "run")
			list = append(list, command{path, check.Run, checks, true})
		}
	}
	for _, name := range sortedKeys(c.Recovery.Strategies) {
		list = append(list, command{member(member("recovery.strategies", string(name)), "run"), c.Recovery.Strategies[name].Run, agent, false})
	}
	for _, name := range sortedKeys(c.Effects) {
		e, path := c.Effects[name], member("effects", name)
		list = append(list, command{member(path, "observe"), e.Observe, agent, false}, command{member(path, "compensate"), e.Compensate, agent, false})
	}
	return list
}

// searchPath is the PATH that a child with this environment gets.
func (e Env) searchPath(own string) string {
	if set, ok := e.Set["PATH"]; ok {
		return set
	}
	if slices.Contains(e.Pass, "PATH") {
		return own
	}
	return ""
}

// find says why a command cannot be started; code is "" for one that can.
func (c Config) find(cmd command, path string) (code, msg string) {
	name := cmd.argv[0]
	if hasSlash(name) {
		if cmd.inTree && !filepath.IsAbs(name) {
			return "", ""
		}
		return runnable(c.Resolve(name))
	}
	var code1, msg1 string
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // a program must not depend on where it is started
		}
		code, msg = runnable(filepath.Join(dir, name))
		if code == "" {
			return "", ""
		}
		if code == task.CodeNotRunnable && code1 == "" {
			code1, msg1 = code, msg
		}
	}
	if code1 != "" {
		return code1, msg1
	}
	msg = fmt.Sprintf("command %q not found in PATH=%s", task.Clip(name), path)
	if len(cmd.argv) == 1 && strings.Contains(name, " ") {
		msg += fmt.Sprintf("; a command is a list of words: [%s]", strings.Join(strings.Fields(task.Clip(name)), ", "))
	}
	return task.CodeNotFound, msg
}

// runnable looks at one file.
func runnable(path string) (code, msg string) {
	info, err := stat(path)
	switch {
	case err != nil:
		return task.CodeNotFound, fmt.Sprintf("command not found: looked for %s", path)
	case info.IsDir():
		return task.CodeNotRunnable, fmt.Sprintf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return task.CodeNotRunnable, fmt.Sprintf("%s is not a regular file", path)
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return task.CodeNotRunnable, fmt.Sprintf("%s is not executable: chmod +x it", path)
	}
	return "", ""
}

// stat looks for the endings of programs as well, where a system has such.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil || runtime.GOOS != "windows" {
		return info, err
	}
	for _, ending := range []string{".exe", ".cmd", ".bat", ".com"} {
		if info, err := os.Stat(path + ending); err == nil {
			return info, nil
		}
	}
	return nil, err
}
