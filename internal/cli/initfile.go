package cli

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A draft is what init found out, and writes into loop.yaml.
type draft struct {
	agents []agent // the first one is used; none: a script of the user's own
	suites []suite // none: a check that says what is missing
	keys   []string
}

// yaml is the draft as a loop.yaml with comments. Words and lists are in the
// form of JSON, which YAML reads alike.
func (d draft) yaml() string {
	var b strings.Builder
	b.WriteString(`# looprun's settings for this repository. What is not set here has its default;
# "looprun config dump" shows every value and where it comes from.
version: 1

`)
	d.generator(&b)
	d.setup(&b)
	d.verification(&b)
	d.bounds(&b)
	return b.String()
}

func (d draft) generator(b *strings.Builder) {
	b.WriteString("# Who does the work. It starts in a copy of the repository, never in your checkout.\ngenerator:\n")
	if len(d.agents) == 0 {
		b.WriteString("  adapter: exec\n  command: [\"./agent.sh\"] # any program: it reads the prompt on stdin and edits the files around it\n")
	} else {
		fmt.Fprintf(b, "  adapter: %s\n", d.agents[0].name)
	}
	if len(d.agents) > 1 {
		var others []string
		for _, a := range d.agents[1:] {
			others = append(others, a.name)
		}
		fmt.Fprintf(b, "  # also found here: %s\n", strings.Join(others, ", "))
	}
	b.WriteString("  timeout: 30m\n  env: # all that it gets of your environment\n    pass: [PATH, HOME, LANG]\n")
	for _, key := range d.keys {
		fmt.Fprintf(b, "    # %s is set here: add it to pass if it is to pay for the work\n", key)
	}
	b.WriteString("\n")
}

func (d draft) setup(b *strings.Builder) {
	var share []string
	head := "# What a new tree needs before anything runs in it.\nworkspace:\n"
	for _, s := range d.suites {
		share = append(share, s.share...)
		if s.setup == nil {
			continue
		}
		if head != "" {
			fmt.Fprintf(b, "%s  setup:\n", head)
			head = ""
		}
		fmt.Fprintf(b, "    - run: %s\n      inputs: %s # it runs again when one of these changed\n", flow(s.setup), flow(s.inputs))
	}
	if len(share) > 0 {
		fmt.Fprintf(b, "%s  share: %s # taken from your checkout; git must ignore it\n", head, flow(share))
		head = ""
	}
	if head == "" {
		b.WriteString("\n")
	}
}

func (d draft) verification(b *strings.Builder) {
	b.WriteString(`# What decides. These commands run on a clean checkout of the agent's commit; a task
# names the profiles that it must pass, and can bring no commands of its own.
verification:
  profiles:
`)
	var names []string
	var env [][2]string
	for _, s := range d.suites {
		fmt.Fprintf(b, "    %s:\n      - run: %s\n        timeout: 10m\n", s.name, flow(s.run))
		names, env = append(names, s.name), append(env, s.env...)
	}
	if len(d.suites) == 0 {
		b.WriteString(`    unit:
      # No test command was found. Put yours here: until it passes, nothing is started.
      - run: ["sh", "-c", "echo no check is set yet: put one under verification.profiles.unit; exit 1"]
`)
		names = []string{"unit"}
	}
	fmt.Fprintf(b, "  always: %s # must pass for every task, and on the base before any starts\n", flow(names))
	b.WriteString("  env: # all that they get of your environment; their HOME is new each time\n    pass: [PATH, LANG]\n")
	if len(env) > 0 {
		b.WriteString("    set: # {cache} is a folder that looprun keeps for checks alone\n")
	}
	for _, v := range env {
		fmt.Fprintf(b, "      %s: %s\n", v[0], quoted(v[1]))
	}
	b.WriteString("\n")
}

func (d draft) bounds(b *strings.Builder) {
	var tests []string
	for _, s := range d.suites {
		if s.tests != "" {
			tests = append(tests, s.tests)
		}
	}
	if len(tests) == 0 {
		tests = []string{"tests/**"}
	}
	fmt.Fprintf(b, `# What a change may touch. This file, CI and git's own files are out of reach anyway.
boundary:
  allow: ["**"]
  # protect: %s # tests that an agent must not change

# When to stop. A round is one plan and its verdict.
stop:
  max_rounds_per_task: 3
  same_failure_limit: 2 # the same failure twice in a row: ask a person
  cost_usd: "5.00" # a task
  daily_cost_usd: "50.00"
`, flow(tests))
}

// flow is a list on one line.
func flow(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, quoted(w))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func quoted(word string) string {
	data, _ := json.Marshal(word) // a text is always one
	return string(data)
}

// exampleTask shows what a task has to say. It waits outside the inbox.
const exampleTask = `{
  "id": "example",
  "title": "One line that says what is wanted",
  "goal": "What is to be different afterwards, and how one sees that it works. Name files, inputs and expected outputs: the agent knows nothing else.",
  "allow": ["**"],
  "limits": {"max_rounds": 2}
}
`

// exampleAgent stands where no agent was found. It changes nothing and asks, so
// that the first run says what is missing.
const exampleAgent = `#!/bin/sh
# looprun starts this in a copy of the repository: read the prompt on stdin (or in
# $LOOPRUN_PROMPT_FILE), edit the files here, exit. Checks decide, not this script.
#
#	exec my-agent --prompt-file "$LOOPRUN_PROMPT_FILE"
#
cat >/dev/null
echo '{"status": "needs_input", "question": "Which agent is to do the work? Put its command into agent.sh."}' >"$LOOPRUN_REPORT"
`
