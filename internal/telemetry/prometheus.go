// Package telemetry renders what is on record in the forms that other tools
// read: a text file of metrics for Prometheus, and traces for OpenTelemetry. It
// reads records and nothing else: no task ever waits for it, and none of its
// outputs is read back.
package telemetry

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// A Gauge is how looprun stands in one folder at a moment.
type Gauge struct {
	Loop     string // the folder of loop.yaml: it tells apart what several write
	At       time.Time
	Paused   bool
	Stages   map[task.Stage]int // files in each stage
	Tally    record.Tally
	Circuits []record.Circuit
}

// Prometheus renders g in the text format that node_exporter's textfile
// collector reads. Every sample has the label loop.
func (g Gauge) Prometheus() []byte {
	e := &exposition{loop: g.Loop}
	g.standing(e)
	g.tasks(e)
	g.tries(e)
	g.recoveries(e)
	g.spent(e)
	return e.Bytes()
}

func (g Gauge) standing(e *exposition) {
	e.family("looprun_last_pass_timestamp_seconds", gauge, "When these metrics were written, at the end of a pass or of a task.")
	e.sample(strconv.FormatInt(g.At.Unix(), 10))
	e.family("looprun_paused", gauge, "Whether nothing new is started.")
	e.sample(bit(g.Paused))
	e.family("looprun_tasks", gauge, "Files of tasks by the stage that they are in.")
	for _, stage := range task.Stages {
		e.count(g.Stages[stage], "stage", string(stage))
	}
	e.family("looprun_breaker_open", gauge, "Whether a target is held for all tasks.")
	for _, c := range g.Circuits {
		e.sample(bit(c.Phase(g.At) != record.PhaseClosed), "target", c.Target)
	}
}

func (g Gauge) tasks(e *exposition) {
	e.family("looprun_tasks_claimed_total", counter, "Tasks that were claimed.")
	e.count(g.Tally.Tasks[record.Claims])
	e.family("looprun_tasks_ended_total", counter, "Tasks that ended, by decision.")
	for _, kind := range []task.Decision{task.Completed, task.Blocked, task.NeedsInput} {
		e.count(g.Tally.Tasks[string(kind)], "decision", string(kind))
	}
	counts(e, "looprun_tasks_stopped_total", "Tasks that ended, by reason.", "reason", g.Tally.Stops)
	counts(e, "looprun_decisions_total", "Decisions, by the rule that made them.", "rule", g.Tally.Decisions)
	e.family("looprun_check_runs_total", counter, "Runs of a profile on a candidate.")
	for _, name := range slices.Sorted(maps.Keys(g.Tally.Profiles)) {
		e.count(g.Tally.Profiles[name].Runs, "profile", name)
	}
	e.family("looprun_check_red_total", counter, "Runs of a profile on a candidate that were red.")
	for _, name := range slices.Sorted(maps.Keys(g.Tally.Profiles)) {
		e.count(g.Tally.Profiles[name].Red, "profile", name)
	}
}

func (g Gauge) tries(e *exposition) {
	e.family("looprun_tries_total", counter, "Starts of a generator that ended.")
	e.count(g.Tally.Tries)
	counts(e, "looprun_try_failures_total", "Tries that failed by themselves, by category.", "category", g.Tally.Failures)
}

func (g Gauge) recoveries(e *exposition) {
	e.family("looprun_recovery_steps_total", counter, "Steps of recovery that were taken, by strategy.")
	for _, name := range slices.Sorted(maps.Keys(g.Tally.ByStrategy)) {
		e.count(g.Tally.ByStrategy[name].Attempts, "strategy", string(name))
	}
	e.family("looprun_recovery_successes_total", counter, "Steps after which the next try did not fail in the same category.")
	for _, name := range slices.Sorted(maps.Keys(g.Tally.ByStrategy)) {
		e.count(g.Tally.ByStrategy[name].Successes, "strategy", string(name))
	}
}

func (g Gauge) spent(e *exposition) {
	var sum record.Account
	for _, a := range g.Tally.Costs {
		sum.Unknown += a.Unknown
		sum.Cost += a.Cost
		sum.Tokens.Input += a.Tokens.Input
		sum.Tokens.Output += a.Tokens.Output
		sum.Tokens.CacheRead += a.Tokens.CacheRead
		sum.Tokens.CacheWrite += a.Tokens.CacheWrite
	}
	e.family("looprun_cost_usd_total", counter, "Money that generators told of.")
	e.sample(sum.Cost.String())
	e.family("looprun_tries_of_unknown_cost_total", counter, "Tries whose generator told no cost.")
	e.count(sum.Unknown)
	e.family("looprun_tokens_total", counter, "Tokens that generators told of, by kind.")
	for _, k := range []struct {
		kind string
		n    int64
	}{
		{"input", sum.Tokens.Input}, {"output", sum.Tokens.Output},
		{"cache_read", sum.Tokens.CacheRead}, {"cache_write", sum.Tokens.CacheWrite},
	} {
		e.sample(strconv.FormatInt(k.n, 10), "kind", k.kind)
	}
}

// counts is a family of counters with one label.
func counts[K ~string](e *exposition, name, help, label string, all map[K]int) {
	e.family(name, counter, help)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		e.count(all[k], label, string(k))
	}
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// The types of families.
const (
	gauge   = "gauge"
	counter = "counter"
)

// An exposition is the text under way. A family without a sample is left out.
type exposition struct {
	bytes.Buffer
	loop, name, head string
}

// family begins the samples of one metric.
func (e *exposition) family(name, kind, help string) {
	e.name, e.head = name, fmt.Sprintf("# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (e *exposition) count(n int, labels ...string) { e.sample(strconv.Itoa(n), labels...) }

// sample writes a line; labels are names and values by turns.
func (e *exposition) sample(value string, labels ...string) {
	e.WriteString(e.head)
	e.head = ""
	fmt.Fprintf(e, "%s{loop=\"%s\"", e.name, escaped.Replace(e.loop))
	for i := 0; i < len(labels); i += 2 {
		fmt.Fprintf(e, ",%s=\"%s\"", labels[i], escaped.Replace(labels[i+1]))
	}
	fmt.Fprintf(e, "} %s\n", value)
}

// escaped is how the text format writes the value of a label.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
