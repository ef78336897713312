package generator

import (
	"regexp"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

// codexConfig is where codex finds its settings, below its store.
const codexConfig = "config.toml"

var (
	tomlTable     = regexp.MustCompile(`(?m)^[ \t]*\[`)
	tomlProvider  = regexp.MustCompile(`(?m)^[ \t]*model_provider[ \t]*=[ \t]*["']([A-Za-z0-9_-]+)["']`)
	codexOwnNames = []string{"openai", "ollama", "lmstudio", "amazon-bedrock"}
)

// codexProvider turns the retries down for a provider of the user's own. They
// are settings of the provider, and those of the built-in ones are fixed.
func codexProvider(store string) []string {
	name := providerIn(store)
	if name == "" {
		return nil
	}
	at := "model_providers." + name + "."
	return []string{"-c", at + "request_max_retries=0", "-c", at + "stream_max_retries=0"}
}

// providerIn is the provider that the settings in the store choose, "" for a
// built-in one.
func providerIn(store string) string {
	if store == "" {
		return ""
	}
	dir, err := fsx.Open(store)
	if err != nil {
		return ""
	}
	defer dir.Close()
	data, err := dir.Read(codexConfig, maxSettings)
	if err != nil {
		return ""
	}
	top := string(data)
	if at := tomlTable.FindStringIndex(top); at != nil {
		top = top[:at[0]]
	}
	found := tomlProvider.FindStringSubmatch(top)
	if found == nil {
		return ""
	}
	for _, name := range codexOwnNames {
		if strings.EqualFold(name, found[1]) {
			return ""
		}
	}
	return found[1]
}
