package site

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/config"
)

func TestSectionOfLoopYAML(t *testing.T) {
	tests := map[string]struct {
		section any
		want    Engine
		fault   string
	}{
		"no section is a cluster on this machine": {nil, Engine{Address: "127.0.0.1:7233", Namespace: "default", Name: "shop", Heartbeat: time.Minute, Models: map[string]int{}}, ""},
		"everything is set": {
			map[string]any{"address": "t:1", "namespace": "n", "name": "x", "remote": "origin", "heartbeat": "5s", "history": "500", "tls": "true", "models": map[string]any{"big": "2"}},
			Engine{Address: "t:1", Namespace: "n", Name: "x", Remote: "origin", Heartbeat: 5 * time.Second, History: 500, TLS: true, Models: map[string]int{"big": 2}}, "",
		},
		"every fault is named": {
			map[string]any{"adress": "t:1", "heartbeat": "1ms", "models": map[string]any{"big": "0"}}, Engine{},
			"loop.yaml: engine.temporal.adress: unknown key: use address, namespace, name, remote, heartbeat, models, history or tls; engine.temporal.heartbeat: 1ms is below 1s; engine.temporal.models: big: a number of at least 1 is wanted",
		},
		"a name that no queue can have": {map[string]any{"name": "a b"}, Engine{}, `loop.yaml: engine.temporal.name: "a b": use letters, digits, dots, dashes and underscores`},
		"no map":                        {"x", Engine{}, "engine.temporal: it is no map"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ReadEngine(config.Config{Dir: "/home/me/shop", Engine: map[string]any{"temporal": tt.section}})
			if tt.fault != "" {
				if err == nil || err.Error() != tt.fault {
					t.Errorf("ReadEngine = %v; want %s", err, tt.fault)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("ReadEngine (-want +got, %v):\n%s", err, diff)
			}
		})
	}
}
