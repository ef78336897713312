package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"looprun.dev/looprun/internal/task"
)

func TestBadSettings(t *testing.T) {
	tests := map[string]struct {
		data string
		want []string // CODE FIELD
	}{
		"a list in place of a section":                {enough("queue: []"), []string{"wrong_type queue"}},
		"a text in place of a section":                {enough("queue: fast"), []string{"wrong_type queue"}},
		"a section in place of a value":               {enough("queue: {rescan: {a: 1}}"), []string{"wrong_type queue.rescan"}},
		"a text in place of a list":                   {enough("generator: {models: a}"), []string{"wrong_type generator.models"}},
		"a list without a value":                      {enough("boundary: {allow: }"), []string{"null_value boundary.allow"}},
		"a value that is left out":                    {enough("stop: {max_tries: , deadline: ~}"), []string{"null_value stop.max_tries", "null_value stop.deadline"}},
		"an empty item of a list":                     {enough("generator: {models: [\"\", ~, a, a]}"), []string{"empty_value generator.models[0]", "null_value generator.models[1]", "duplicate_item generator.models[3]"}},
		"a word that is none of the choices":          {enough("queue: {watch: event}"), []string{"bad_value queue.watch"}},
		"a number of tasks that is no machine's":      {enough("queue: {concurrency: 257}"), []string{"out_of_range queue.concurrency"}},
		"a decimal unit of size":                      {enough("queue: {disk_floor: 256MB}"), []string{"bad_value queue.disk_floor"}},
		"a size without a unit":                       {enough("boundary: {max_bytes: 4096}"), []string{"bad_value boundary.max_bytes"}},
		"an unknown adapter":                          {enough("generator: {adapter: cluade}"), []string{"bad_value generator.adapter"}},
		"money without quotes":                        {enough("stop: {cost_usd: 5.00}"), []string{"wrong_type stop.cost_usd"}},
		"money that is a word":                        {enough("stop: {cost_usd: five}"), []string{"bad_value stop.cost_usd"}},
		"a try that costs more than its task may":     {enough("stop: {cost_usd: \"1.00\", min_try_cost_usd: \"1.01\"}"), []string{"conflict stop.min_try_cost_usd"}},
		"a try that costs more than a day may":        {enough("stop: {daily_cost_usd: \"1.00\", min_try_cost_usd: \"1.01\"}"), []string{"conflict stop.min_try_cost_usd"}},
		"a revision that is a flag":                   {enough("workspace: {base: --all}"), []string{"bad_value workspace.base"}},
		"a path that only a shell expands":            {enough("workspace: {dir: ~/trees}\nmetrics: {textfile_dir: $HOME/m}"), []string{"bad_path workspace.dir", "bad_path metrics.textfile_dir"}},
		"setup without a command":                     {enough("workspace: {setup: [{inputs: [a]}, run]}"), []string{"missing_key workspace.setup[0].run", "wrong_type workspace.setup[1]"}},
		"setup inputs outside the tree":               {enough("workspace: {setup: [{run: [a], inputs: [/etc/passwd, ../x]}]}"), []string{"bad_path workspace.setup[0].inputs[0]", "bad_path workspace.setup[0].inputs[1]"}},
		"a branch for all tasks":                      {enough("land: {branch: looprun}"), []string{"bad_value land.branch"}},
		"a branch of an unknown placeholder":          {enough("land: {branch: \"x/{id}/{title}\"}"), []string{"bad_value land.branch"}},
		"a branch that git refuses":                   {enough("land: {branch: \"a..b/{id}\"}"), []string{"bad_value land.branch"}},
		"a branch that ends in .lock":                 {enough("land: {branch: \"{id}.lock\"}"), []string{"bad_value land.branch"}},
		"a branch with a brace left over":             {enough("land: {branch: \"{id}}\"}"), []string{"bad_value land.branch"}},
		"commit goes with in_place only":              {enough("land: {mode: commit}"), []string{"conflict land.mode"}},
		"branch goes with isolated only":              {enough("workspace: {mode: in_place}\nland: {mode: branch}"), []string{"conflict land.mode"}},
		"in_place has one tree":                       {enough("workspace: {mode: in_place}\nqueue: {concurrency: 2}"), []string{"conflict queue.concurrency"}},
		"no profile":                                  {"queue: {}", []string{"missing_key verification.profiles"}},
		"an empty profile":                            {"verification: {profiles: {unit: []}}", []string{"empty_value verification.profiles.unit"}},
		"a profile that is no list":                   {"verification: {profiles: {unit: {run: [a]}}}", []string{"wrong_type verification.profiles.unit"}},
		"a check that is only a command":              {"verification: {profiles: {unit: [[go, test]]}}", []string{"wrong_type verification.profiles.unit[0]"}},
		"a check without a command":                   {"verification: {profiles: {unit: [{timeout: 5m}]}}", []string{"missing_key verification.profiles.unit[0].run"}},
		"a profile with a name for a path":            {"verification: {profiles: {../x: [{run: [a]}]}}", []string{`bad_value verification.profiles.../x`}},
		"an unknown format":                           {"verification: {profiles: {unit: [{run: [a], format: junti}]}}", []string{"bad_value verification.profiles.unit[0].format"}},
		"a report outside the tree":                   {"verification: {profiles: {unit: [{run: [a], report: /tmp/r, dir: ../x}]}}", []string{"bad_path verification.profiles.unit[0].report", "bad_path verification.profiles.unit[0].dir"}},
		"an unknown profile in always":                {"verification: {always: [unti, unit], profiles: {unit: [{run: [a]}]}}", []string{"unknown_name verification.always[0]"}},
		"an unknown profile in canary_skip":           {"verification: {canary_skip: {unti: why}, profiles: {unit: [{run: [a]}]}}", []string{"unknown_name verification.canary_skip.unti"}},
		"a profile skipped without a reason":          {"verification: {canary_skip: {unit: \"\"}, profiles: {unit: [{run: [a]}]}}", []string{"empty_value verification.canary_skip.unit"}},
		"a mask that does not compile":                {"verification: {profiles: {u: [{run: [a]}]}, masks: [{name: m, regex: \"(\"}]}", []string{"bad_regex verification.masks[0].regex"}},
		"a mask that matches everywhere":              {"verification: {profiles: {u: [{run: [a]}]}, masks: [{name: m, regex: \"x*\"}]}", []string{"bad_regex verification.masks[0].regex"}},
		"a mask without a name":                       {"verification: {profiles: {u: [{run: [a]}]}, masks: [{regex: x}]}", []string{"missing_key verification.masks[0].name"}},
		"two masks of one name":                       {"verification: {profiles: {u: [{run: [a]}]}, masks: [{name: m, regex: x}, {name: m, regex: y}]}", []string{"duplicate_item verification.masks[1].name"}},
		"an environment that is no list of names":     {enough("generator: {env: {pass: [\"A=b\", \"1X\"]}}"), []string{"bad_value generator.env.pass[0]", "bad_value generator.env.pass[1]"}},
		"a variable that looprun sets":                {enough("generator: {env: {set: {LOOPRUN_TRY: 1, OK: 1}}}"), []string{"bad_value generator.env.set.LOOPRUN_TRY"}},
		"a variable without a value":                  {enough("generator: {env: {set: {A: , B: [c]}}}"), []string{"null_value generator.env.set.A", "wrong_type generator.env.set.B"}},
		"an empty list of allowed paths":              {enough("boundary: {allow: []}"), []string{"empty_value boundary.allow"}},
		"a lifted path among the allowed":             {enough("boundary: {allow: [\"!a\"]}"), []string{"bad_glob boundary.allow[0]"}},
		"patterns that lead out of the repository":    {enough("boundary: {allow: [/etc], protect: [\"!../a\", \"a\\\\b\"]}"), []string{"bad_glob boundary.allow[0]", "bad_glob boundary.protect[0]", "bad_glob boundary.protect[1]"}},
		"a factor below one":                          {enough("recovery: {backoff: {factor: 0.5}}"), []string{"out_of_range recovery.backoff.factor"}},
		"a factor without bound":                      {enough("recovery: {backoff: {factor: .inf}}"), []string{"not_plain_number recovery.backoff.factor"}},
		"a factor that is no number":                  {enough("recovery: {backoff: {factor: .nan}}"), []string{"not_plain_number recovery.backoff.factor"}},
		"a quoted factor":                             {enough("recovery: {backoff: {factor: \"2\"}}"), []string{"wrong_type recovery.backoff.factor"}},
		"a word as factor":                            {enough("recovery: {backoff: {factor: two}}"), []string{"wrong_type recovery.backoff.factor"}},
		"a base above the built-in cap":               {enough("recovery: {backoff: {base: 10m}}"), []string{"conflict recovery.backoff.base"}},
		"a breaker that opens longer than it may":     {enough("recovery: {breaker: {open: 1h}}"), []string{"conflict recovery.breaker.open"}},
		"a chain of an unknown category":              {enough("recovery: {chains: {rate_limit: {enabled: false}}}"), []string{"bad_value recovery.chains.rate_limit"}},
		"a chain of a category that nothing leads to": {enough("recovery: {chains: {x-mine: {steps: []}}}"), []string{"unknown_name recovery.chains.x-mine"}},
		"an unknown strategy":                         {enough("recovery: {chains: {network: {steps: [{strategy: rety}]}}}"), []string{"bad_value recovery.chains.network.steps[0].strategy"}},
		"a strategy that is not defined":              {enough("recovery: {chains: {network: {steps: [{strategy: x-swap}]}}}"), []string{"bad_value recovery.chains.network.steps[0].strategy"}},
		"a step without a strategy":                   {enough("recovery: {chains: {network: {steps: [{max: 3}]}}}"), []string{"missing_key recovery.chains.network.steps[0].strategy"}},
		"a step that may never be used":               {enough("recovery: {chains: {network: {steps: [{strategy: retry, max: 0}]}}}"), []string{"out_of_range recovery.chains.network.steps[0].max"}},
		"an unknown end of a chain":                   {enough("recovery: {chains: {network: {then: stop}}}"), []string{"bad_value recovery.chains.network.then"}},
		"settings of other strategies":                {enough("recovery: {chains: {network: {steps: [{strategy: retry, text: a, ratio: 0.5}]}}}"), []string{"bad_value recovery.chains.network.steps[0].text", "bad_value recovery.chains.network.steps[0].ratio"}},
		"a step behind abort":                         {enough("recovery: {chains: {network: {steps: [{strategy: abort}, {strategy: retry}]}}}"), []string{"bad_value recovery.chains.network.steps[0].strategy"}},
		"a ratio that shrinks nothing":                {enough("recovery: {chains: {network: {steps: [{strategy: truncate, ratio: 1}]}}}"), []string{"out_of_range recovery.chains.network.steps[0].ratio"}},
		"a pattern without anything":                  {enough("recovery: {patterns: [{}]}"), []string{"missing_key recovery.patterns[0].id", "missing_key recovery.patterns[0].when", "missing_key recovery.patterns[0].category"}},
		"a pattern that looks at nothing":             {enough("recovery: {patterns: [{id: a, when: {stage: check}, category: network}]}"), []string{"conflict recovery.patterns[0].when"}},
		"a pattern that looks twice":                  {enough("recovery: {patterns: [{id: a, when: {regex: x, pointer: /a, equals: b}, category: network}]}"), []string{"conflict recovery.patterns[0].when"}},
		"a pointer without a value":                   {enough("recovery: {patterns: [{id: a, when: {pointer: /a}, category: network}]}"), []string{"conflict recovery.patterns[0].when"}},
		"a pointer that is none":                      {enough("recovery: {patterns: [{id: a, when: {pointer: a, equals: b}, category: network}]}"), []string{"bad_value recovery.patterns[0].when.pointer"}},
		"a pointer into text":                         {enough("recovery: {patterns: [{id: a, when: {source: stderr, pointer: /a, equals: b}, category: network}]}"), []string{"conflict recovery.patterns[0].when.source"}},
		"a pattern that does not compile":             {enough("recovery: {patterns: [{id: a, when: {regex: \"(?=x)\"}, category: network}]}"), []string{"bad_regex recovery.patterns[0].when.regex"}},
		"a pattern of an unknown category":            {enough("recovery: {patterns: [{id: a, when: {regex: x}, category: netwrk}]}"), []string{"unknown_name recovery.patterns[0].category"}},
		"a category of one's own without a class":     {enough("recovery: {patterns: [{id: a, when: {regex: x}, category: x-mine}]}"), []string{"missing_key recovery.patterns[0].class"}},
		"an unknown class":                            {enough("recovery: {patterns: [{id: a, when: {regex: x}, category: x-mine, class: transitory}]}"), []string{"unknown_name recovery.patterns[0].class"}},
		"a class that is another one":                 {enough("recovery: {patterns: [{id: a, when: {regex: x}, category: network, class: ambient}]}"), []string{"conflict recovery.patterns[0].class"}},
		"two patterns of one name":                    {enough("recovery: {patterns: [{id: a, when: {regex: x}, category: network}, {id: a, when: {regex: y}, category: network}]}"), []string{"duplicate_item recovery.patterns[1].id"}},
		"a wait that nothing finds":                   {enough("recovery: {patterns: [{id: a, when: {regex: x}, category: network, retry_after: {regex: x, unit: d}}]}"), []string{"bad_regex recovery.patterns[0].retry_after.regex", "bad_value recovery.patterns[0].retry_after.unit"}},
		"a strategy with the name of a built-in one":  {enough("recovery: {strategies: {retry: {run: [a]}}}"), []string{"bad_value recovery.strategies.retry"}},
		"a strategy without a command":                {enough("recovery: {strategies: {x-a: {timeout: 5s}}}"), []string{"missing_key recovery.strategies.x-a.run"}},
		"tags that exclude each other":                {enough("recovery: {strategies: {x-a: {run: [a], tags: [resume, fresh, slow]}}}"), []string{"bad_value recovery.strategies.x-a.tags"}},
		"an effect with an unknown repeat":            {enough("effects: {mail: {repeat: always}}"), []string{"bad_value effects.mail.repeat"}},
		"an effect without a value":                   {enough("effects: {mail: }"), []string{"null_value effects.mail"}},
		"an unknown mode of the sandbox":              {enough("sandbox: on"), []string{"bad_value sandbox"}},
		"a network that nothing closes":               {enough("sandbox: {network: closed}"), []string{"bad_value sandbox.network"}},
		"a closed network without a sandbox":          {enough("sandbox: {mode: off, network: none}"), []string{"conflict sandbox.network"}},
		"an address that is none":                     {enough("hooks: {webhook: example.org}"), []string{"bad_value hooks.webhook"}},
		"a hook that is a line of text":               {enough("hooks: {done: notify-send done}"), []string{"wrong_type hooks.done"}},
		"records kept for no time":                    {enough("records: {keep: 0d}"), []string{"bad_value records.keep"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, faults := Parse("/repo/loop.yaml", []byte(tt.data))
			var got []string
			for _, f := range faults {
				got = append(got, f.Code+" "+f.Field)
				if f.Line < 1 || f.Col < 1 || f.File != "/repo/loop.yaml" {
					t.Errorf("fault %v has no place", f)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse faults differ (-want +got):\n%s%v", diff, faults)
			}
		})
	}
}

// Every limit, with each value that could be taken for "no limit".
func TestNoLimitCanBeSwitchedOff(t *testing.T) {
	limits := map[string][]string{
		"plain": {"queue.concurrency", "queue.max_unmerged", "boundary.max_changed_files", "boundary.max_changed_lines", "stop.max_rounds_per_task",
			"stop.same_failure_limit", "stop.max_tries", "stop.max_tokens", "recovery.breaker.consecutive", "recovery.breaker.tasks",
			"recovery.breaker.in_window", "recovery.retry_budget.max", "recovery.backoff.factor"},
		"quoted": {"queue.rescan", "queue.disk_floor", "generator.timeout", "generator.silence", "generator.grace", "boundary.max_bytes",
			"stop.wall_clock", "stop.deadline", "stop.cost_usd", "stop.daily_cost_usd", "recovery.backoff.base", "recovery.backoff.cap",
			"recovery.backoff.max_wait", "recovery.inline_wait", "recovery.hold", "recovery.breaker.window", "recovery.breaker.open",
			"recovery.breaker.open_max", "recovery.retry_budget.window", "records.keep", "records.max_output"},
	}
	values := []string{"0", "-1", "\"3\"", ".inf", "-.inf", ".nan", "0.5", "off", "\"\"", "[]", "{}", "0s", "-5m", "\"0.00\"", "\"-1.00\"", "0MiB", "99999999999999999999"}
	for kind, paths := range limits {
		for _, path := range paths {
			for _, value := range append(values, "~") {
				if value == "~" && path == "queue.max_unmerged" || value == "\"3\"" && (path == "stop.cost_usd" || path == "stop.daily_cost_usd") {
					continue // null is its way to say "none"; "3" is an amount
				}
				_, faults := Parse("/repo/loop.yaml", []byte(enough(nested(path, value))))
				if !slices.ContainsFunc(faults, func(f task.Fault) bool { return f.Field == path }) {
					t.Errorf("%s setting %s: %s gives %v; want a fault there", kind, path, value, faults)
				}
			}
		}
	}
}

// nested writes a.b.c: value as one line.
func nested(path, value string) string {
	parts := strings.Split(path, ".")
	out := parts[0] + ": "
	for _, part := range parts[1:] {
		out += "{" + part + ": "
	}
	return out + value + strings.Repeat("}", len(parts)-1) + "\n"
}
