package cli

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/schema"
)

// known are the settings that the schema of loop.yaml names, down to those whose
// names or number are the user's.
func known(t *testing.T) (all []string) {
	t.Helper()
	data, err := schema.Get("config")
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		Ref        string          `json:"$ref"`
		Properties map[string]node `json:"properties"`
		Defs       map[string]node `json:"$defs"`
		AnyOf      []node          `json:"anyOf"`
		OneOf      []node          `json:"oneOf"`
	}
	var top node
	if err := json.Unmarshal(data, &top); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, n node)
	walk = func(path string, n node) {
		if name, ok := cutRef(n.Ref); ok {
			n = top.Defs[name]
		}
		for _, one := range append(n.AnyOf, n.OneOf...) {
			if len(one.Properties) > 0 {
				n.Properties = one.Properties
			}
		}
		if len(n.Properties) == 0 {
			all = append(all, path)
			return
		}
		for name, below := range n.Properties {
			at := name
			if path != "" {
				at = path + "." + name
			}
			walk(at, below)
		}
	}
	walk("", top)
	return all
}

func cutRef(ref string) (string, bool) {
	m := regexp.MustCompile(`^#/\$defs/(.*)$`).FindStringSubmatch(ref)
	if m == nil {
		return "", false
	}
	return m[1], true
}

func TestConfigDumpHasEverySettingOfTheSchema(t *testing.T) {
	cfg, faults := config.Parse("/repo/loop.yaml", []byte(config.Example))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var dumped []string
	for _, v := range cfg.Values() {
		dumped = append(dumped, v.Path)
	}
	for _, path := range known(t) {
		if !slices.ContainsFunc(dumped, func(d string) bool {
			return d == path || len(d) > len(path) && d[:len(path)] == path && (d[len(path)] == '.' || d[len(path)] == '[')
		}) && path != "effects" { // which nobody has unless loop.yaml gives some
			t.Errorf("config dump lacks %s", path)
		}
	}
}
