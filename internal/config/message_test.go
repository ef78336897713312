package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"looprun.dev/looprun/internal/task"
)

func TestMessages(t *testing.T) {
	tests := map[string]struct{ data, want string }{
		"the nearest key":            {enough("stop: {max_round_per_task: 1}"), `loop.yaml:2:8: stop.max_round_per_task: unknown key "max_round_per_task", did you mean "max_rounds_per_task"?`},
		"the nearest choice":         {enough("queue: {watch: event}"), `loop.yaml:2:16: queue.watch: must be one of auto, events, poll, is "event", did you mean "events"?`},
		"how a duration is written":  {enough("stop: {deadline: 1d}"), `loop.yaml:2:18: stop.deadline: "1d" is not a duration above zero: write it as "90s", "10m" or "24h"`},
		"how money is written":       {enough("stop: {cost_usd: 5}"), `loop.yaml:2:18: stop.cost_usd: money is written in quotes, as "5.00"`},
		"how a command is written":   {enough("generator: {command: go test}"), `loop.yaml:2:22: generator.command: must be a list of words such as [go, test, ./...]; a line for the shell is [sh, -c, "go test"]`},
		"the allowed range":          {enough("stop: {max_tries: 0}"), `loop.yaml:2:19: stop.max_tries: must be from 1 to 1000000, is 0`},
		"the line of the first key":  {enough("queue: {}\nqueue: {}"), `loop.yaml:3:1: queue: key "queue" is given twice, first on line 2`},
		"the nearest strategy":       {enough("recovery: {chains: {network: {steps: [{strategy: rety}]}}}"), `loop.yaml:2:50: recovery.chains.network.steps[0].strategy: unknown strategy "rety", did you mean "retry"`},
		"a class by its name":        {enough("recovery: {patterns: [{id: a, when: {regex: x}, category: network, class: input}]}"), `loop.yaml:2:75: recovery.patterns[0].class: network is of class transient`},
		"modes that fit":             {enough("land: {mode: commit}"), `loop.yaml:2:14: land.mode: commit does not go with workspace.mode isolated: use one of branch, merge, patch, none`},
		"the version that is needed": {"version: 3", `loop.yaml:1:10: version: needs looprun >= 3.0: this one reads version 1`},
		"a whole file to begin with": {"# nothing", "loop.yaml:1:1: nothing is set: the least is\n\n" + Example},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, faults := Parse("loop.yaml", []byte(tt.data))
			if len(faults) != 1 || faults[0].String() != tt.want {
				t.Errorf("Parse = %v; want %s", faults, tt.want)
			}
		})
	}
}

func TestAllFaultsInOneRunInOrder(t *testing.T) {
	_, faults := Parse("loop.yaml", []byte(`version: 1
queue: {concurrency: 0}
stop:
  max_tries: "3"
  deadline: soon
  budget: 5
recovery: &r
  hold: 1s
land: {mode: brnch}
verification:
  always: [unit, lint]
  profiles:
    unit:
      - run: make test
`))
	want := []string{
		"2:22 out_of_range queue.concurrency", "4:14 wrong_type stop.max_tries", "5:13 bad_value stop.deadline", "6:3 unknown_key stop.budget",
		"7:11 alias recovery", "9:14 bad_value land.mode", "11:18 unknown_name verification.always[1]", "14:14 wrong_type verification.profiles.unit[0].run",
	}
	if diff := cmp.Diff(want, places(faults)); diff != "" {
		t.Errorf("Parse faults differ (-want +got):\n%s", diff)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "key%d%s: 1\n", i, strings.Repeat("x", 100))
	}
	_, faults := Parse("loop.yaml", []byte(b.String()))
	if last := faults[len(faults)-1]; len(faults) != task.MaxFaults+1 || last.Code != task.CodeFurtherFault {
		t.Errorf("Parse gives %d faults, last %v; want %d and how many there are more", len(faults), last, task.MaxFaults+1)
	}
}

func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, line := range map[string]string{
		"a key": long + ": 1", "a duration": "stop: {deadline: " + long + "}", "a count": "stop: {max_tries: " + long + "}",
		"a choice": "queue: {watch: " + long + "}", "an expression": "verification: {masks: [{name: m, regex: \"(" + long + "\"}]}",
		"a command": "generator: {command: " + long + "}", "a strategy": "recovery: {chains: {network: {steps: [{strategy: " + long + "}]}}}",
		"a category": "recovery: {chains: {" + long + ": {}}}", "a tag": "recovery: {strategies: {x-a: {run: [a], tags: [" + long + "]}}}",
		"a pattern": "recovery: {patterns: [{id: a, when: {regex: x}, category: " + long + "}]}", "a path": "workspace: {share: [../" + long + "]}",
	} {
		_, faults := Parse("loop.yaml", []byte(line))
		for _, f := range faults {
			if len(f.String()) > 400 {
				t.Errorf("%s: a fault is told in %d bytes", name, len(f.String()))
			}
		}
		if len(faults) < 2 {
			t.Errorf("%s: Parse = %v; want a fault besides the missing profiles", name, faults)
		}
	}
}

func TestFaultStaysOnOneLine(t *testing.T) {
	_, faults := Parse("loop.yaml", []byte(enough("\"a\\nb\\e[31m\": 1\nverification2: {\"\": 1}\n")))
	for _, f := range faults {
		if strings.ContainsAny(f.String(), "\n\x1b") {
			t.Errorf("fault = %q; want one printable line", f.String())
		}
	}
	if len(faults) != 2 {
		t.Errorf("Parse = %v; want 2 faults", faults)
	}
}
