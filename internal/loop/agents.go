package loop

import (
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

// agentHomes are the files and folders of a user's home in which coding agents
// keep login, settings and sessions, by the name of their program. Without them
// none of them works, so they are open for writing: an agent can change its own
// settings, which a HOME of its own keeps from having an effect elsewhere.
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

// agentFolders are those of the agent that a generator is. A generator that is
// no known agent is as a rule a script that starts one: it gets those of all
// that were ever used here.
func (s *sandbox) agentFolders(adapter string, argv []string) []string {
	if s.home == "" {
		return nil
	}
	names, known := agentHomes[adapter]
	if !known && len(argv) > 0 {
		names, known = agentHomes[filepath.Base(argv[0])]
	}
	if !known {
		for _, more := range agentHomes {
			names = append(names, more...)
		}
	}
	var paths []string
	for _, name := range names {
		if known && strings.Count(name, ".") == 1 { // a folder, which it makes when it is first used
			_ = fsx.Scratch(s.inHome(name)).MkdirAll("")
		}
		paths = append(paths, followed(s.inHome(name)))
	}
	slices.Sort(paths)
	return paths
}
