package loop

import (
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/generator"
)

// agentHomes are the files and folders of a user's home in which coding agents
// keep login, settings and sessions, by the name of their program. Without them
// none works, so they are open for writing: an agent can change its own
// settings there, which an adapter with a folder for each task spares the user.
var agentHomes = map[string][]string{
	"aider":        {".aider", ".aider.conf.yml"},
	"amp":          {".config/amp", ".local/share/amp", ".cache/amp"},
	"claude":       {".claude", ".claude.json", ".local/state/claude"},
	"cline":        {".cline"},
	"cn":           {".continue"},
	"codex":        {".codex"},
	"copilot":      {".copilot"},
	"crush":        {".config/crush", ".local/share/crush"},
	"cursor-agent": {".cursor", ".config/cursor"},
	"gemini":       {".gemini"},
	"goose":        {".config/goose", ".local/share/goose", ".local/state/goose"},
	"opencode":     {".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"},
	"pi":           {".pi"},
	"qwen":         {".qwen"},
}

// agentFolders are those of the agent that a generator is. A program without an
// adapter that is no known agent is as a rule a script that starts one: it gets
// what is there of them all.
func (s *sandbox) agentFolders(a generator.Adapter, argv []string, env map[string]string) []string {
	paths := a.Shared(env)
	names, known := agentHomes[a.Name]
	if !known && len(argv) > 0 {
		names, known = agentHomes[filepath.Base(argv[0])]
	}
	if !known {
		for _, more := range agentHomes {
			names = append(names, more...)
		}
	}
	for _, name := range names {
		if s.home == "" || a.Store.User != "" && within(name, a.Store.User) { // the task has its own
			continue
		}
		if known && env["HOME"] != "" && strings.Count(name, ".") == 1 { // a folder, which its program makes when it is first used
			_ = fsx.Scratch(s.inHome(name)).MkdirAll("")
		}
		paths = append(paths, s.inHome(name))
	}
	for i, path := range paths {
		paths[i] = followed(path)
	}
	slices.Sort(paths)
	return paths
}
