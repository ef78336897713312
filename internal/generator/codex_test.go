package generator

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCodexProvider(t *testing.T) {
	tests := map[string]struct{ settings, want string }{
		"no settings":                  {"", ""},
		"none is chosen":               {"model = \"m\"\n", ""},
		"the user's own":               {"model = \"m\"\nmodel_provider = \"mine\"\n[model_providers.mine]\n", "-c model_providers.mine.request_max_retries=0 -c model_providers.mine.stream_max_retries=0"},
		"in single quotes":             {"model_provider='my-own'", "-c model_providers.my-own.request_max_retries=0 -c model_providers.my-own.stream_max_retries=0"},
		"a built-in one":               {"model_provider = \"openai\"\n", ""},
		"of a profile alone":           {"[profiles.x]\nmodel_provider = \"mine\"\n", ""},
		"a name that would be options": {"model_provider = \"a b=c\"\n", ""},
		"in a comment":                 {"# model_provider = \"mine\"\n", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.settings != "" {
				write(t, filepath.Join(dir, codexConfig), tt.settings)
			}
			if got := strings.Join(codexProvider(dir), " "); got != tt.want {
				t.Errorf("codexProvider = %q; want %q", got, tt.want)
			}
		})
	}
	if got := codexProvider(""); got != nil {
		t.Errorf("codexProvider without a store = %q; want none", got)
	}
}
