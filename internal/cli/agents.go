package cli

import (
	"os"
	"path/filepath"
)

// agents are the coding agents that looprun knows how to start, the first
// preferred.
var agents = []agent{
	{"claude", []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"}},
	{"codex", []string{"OPENAI_API_KEY", "CODEX_API_KEY"}},
	{"opencode", []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY"}},
	{"gemini", []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
	{"qwen", []string{"OPENAI_API_KEY", "DASHSCOPE_API_KEY"}},
	{"pi", []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY"}},
}

// An agent is a program, and the variables that may pay for its work.
type agent struct {
	name string
	keys []string
}

// installed are the agents that PATH leads to.
func installed(path string) []agent {
	var found []agent
	for _, a := range agents {
		for _, dir := range filepath.SplitList(path) {
			info, err := os.Stat(filepath.Join(dir, a.name))
			if err == nil && filepath.IsAbs(dir) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				found = append(found, a)
				break
			}
		}
	}
	return found
}
