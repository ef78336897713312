package loop

import (
	"path/filepath"
	"slices"
	"testing"

	"looprun.dev/looprun/internal/record"
)

// A loop.yaml that can't be used must not take the secrets of the one in force
// out of what is redacted.
func TestSecretsStayThoseOfTheConfigurationInForce(t *testing.T) {
	dir := t.TempDir()
	store, err := record.Open(filepath.Join(dir, LoopDir))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	l := &Loop{opts: Options{}.withDefaults(), store: store}
	l.cfg.Dir, l.cfg.Records.Redact = dir, []string{"*TOKEN*"}
	l.cfg.Generator.Env.Set = map[string]string{"API_TOKEN": "the-one-in-force"}
	l.secrets = l.findSecrets()

	next := l.cfg
	next.Queue.Concurrency = 1
	next.Generator.Env.Set = map[string]string{"API_TOKEN": "the-one-to-come"}
	if err := l.use(t.Context(), next); err == nil {
		t.Fatal("a configuration for a folder without a repository was used")
	}
	if got := l.secretValues(); !slices.Equal(got, []string{"the-one-in-force"}) {
		t.Errorf("secretValues = %q; want that of the configuration in force", got)
	}
}
