package config

import (
	"strings"
	"testing"
)

func TestGoodFiles(t *testing.T) {
	tests := map[string]struct {
		data string
		ok   func(Config) bool
	}{
		"66 off is a text where a text is wanted": {enough("sandbox: off"), func(c Config) bool { return c.Sandbox.Mode == "off" }},
		"66 no is a text where a text is wanted":  {enough("workspace: {base: no}"), func(c Config) bool { return c.Workspace.Base == "no" }},
		"69 a date is a text":                     {enough("workspace: {base: 2026-01-01}"), func(c Config) bool { return c.Workspace.Base == "2026-01-01" }},
		"69 a number keeps its digits as a text":  {enough("workspace: {base: 1.10}"), func(c Config) bool { return c.Workspace.Base == "1.10" }},
		"70 a byte order mark":                    {"\ufeff" + enough("stop: {max_tries: 5}"), func(c Config) bool { return c.Stop.MaxTries == 5 }},
		"70 line ends of Windows":                 {strings.ReplaceAll(enough("stop:\n  max_tries: 5\n  deadline: 1h\n"), "\n", "\r\n"), func(c Config) bool { return c.Stop.MaxTries == 5 && c.Stop.Deadline == hours(1) }},
		"a start and an end of the document":      {"---\n" + enough("stop: {max_tries: 5}\n...\n"), func(c Config) bool { return c.Stop.MaxTries == 5 }},
		"JSON is YAML":                            {`{"verification": {"profiles": {"u": [{"run": ["a"]}]}}, "stop": {"max_tries": 5}}`, func(c Config) bool { return c.Stop.MaxTries == 5 }},
		"a section whose lines are commented out": {enough("stop:\n  # max_tries: 5\n"), func(c Config) bool { return c.Stop == Default().Stop }},
		"in_place lands nothing unless asked":     {enough("workspace: {mode: in_place}"), func(c Config) bool { return c.Land.Mode == "none" }},
		"in_place may commit":                     {enough("workspace: {mode: in_place}\nland: {mode: commit}"), func(c Config) bool { return c.Land.Mode == "commit" }},
		"an adapter brings its own command":       {enough("generator: {adapter: claude}"), func(c Config) bool { return c.Generator.Command == nil }},
		"a file without a version":                {enough(""), func(c Config) bool { return true }},
		"null says that there is none":            {enough("queue: {max_unmerged: null}\nworkspace: {dir: ~}\ngenerator: {probe: null}\nhooks: {webhook: null}"), func(c Config) bool { return c.Workspace.Dir == "" && c.Generator.Probe == nil }},
		"flaky reruns may be 0":                   {"verification: {flaky_reruns: 0, profiles: {u: [{run: [a]}]}}", func(c Config) bool { return c.Verification.FlakyReruns == 0 }},
		"a minimum of a try may be 0":             {enough("stop: {min_try_cost_usd: \"0\"}"), func(c Config) bool { return c.Stop.MinTryCost == 0 }},
		"an empty list takes the default away":    {enough("records: {redact: []}\ngenerator: {env: {pass: []}}"), func(c Config) bool { return len(c.Records.Redact) == 0 && len(c.Generator.Env.Pass) == 0 }},
		"a chain may lose its steps": {enough("recovery: {chains: {network: {steps: []}}}"), func(c Config) bool {
			return len(c.Recovery.Chains["network"].Steps) == 0 && c.Recovery.Chains["network"].Then == "block"
		}},
		"a chain may keep its steps": {enough("recovery: {chains: {network: {then: hold}}}"), func(c Config) bool {
			return len(c.Recovery.Chains["network"].Steps) == 2 && c.Recovery.Chains["network"].Then == "hold"
		}},
		"a path of a profile in a folder":            {"verification: {profiles: {u: [{run: [a], dir: ./web}]}}", func(c Config) bool { return c.Verification.Profiles["u"][0].Dir == "./web" }},
		"trees beside the checkout":                  {enough("workspace: {dir: ../trees}"), func(c Config) bool { return c.Resolve(c.Workspace.Dir) == "/trees" }},
		"a folder that only begins like the other":   {enough("workspace: {dir: /repo-trees}"), func(c Config) bool { return c.Workspace.Dir == "/repo-trees" }},
		"tabs inside of text and before comments":    {enough("generator: {models: [\"a\tb\"]}\t# x\n"), func(c Config) bool { return c.Generator.Models[0] == "a\tb" }},
		"long text of many lines":                    {enough("recovery:\n  chains:\n    json_error:\n      steps:\n        - strategy: remind\n          text: |\n            one\n            two\n"), func(c Config) bool { return c.Recovery.Chains["json_error"].Steps[0].Text == "one\ntwo\n" }},
		"a pattern may name the class of a category": {enough("recovery: {patterns: [{id: a, when: {regex: x}, category: network, class: transient, retry_after: null}]}"), func(c Config) bool { return c.Recovery.Patterns[0].RetryAfter == nil }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, faults := Parse("/repo/loop.yaml", []byte(tt.data))
			if len(faults) > 0 || !tt.ok(c) {
				t.Errorf("Parse = %+v, %v; want what the name says", c, faults)
			}
		})
	}
}
