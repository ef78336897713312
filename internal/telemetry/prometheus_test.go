package telemetry

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// parse reads the text format as its specification has it, far enough for what
// is written here, and refuses everything else: samples by name and labels.
func parse(text string) (map[string]float64, error) {
	samples, typed, current := map[string]float64{}, map[string]bool{}, ""
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fault := func(what string) error { return fmt.Errorf("line %d: %s: %q", n+1, what, line) }
		if words := strings.SplitN(line, " ", 4); words[0] == "#" {
			switch {
			case len(words) < 4 || !metricName.MatchString(words[2]):
				return nil, fault("no comment of a metric")
			case words[1] == "HELP" && !typed[words[2]]:
				current = words[2]
			case words[1] != "TYPE" || words[2] != current || typed[current] || words[3] != "counter" && words[3] != "gauge":
				return nil, fault("no HELP before its TYPE, or a second of either")
			default:
				typed[current] = true
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil || m[1] != current || !typed[current] {
			return nil, fault("no sample of the metric above")
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if _, twice := samples[m[1]+m[2]]; twice || err != nil {
			return nil, fault("a sample that stands twice, or has no value")
		}
		if samples[m[1]+m[2]] = value; strings.HasSuffix(m[1], "_total") && value < 0 {
			return nil, fault("a counter below zero")
		}
	}
	return samples, nil
}

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*",?)*\}) (\S+)$`)
)

func TestTheMetricsAreWellFormed(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	dollar := record.Account{Tries: 2, Unknown: 1, Cost: 1_250_000, Tokens: round.Usage{Input: 10, Output: 5, CacheRead: 3}}
	g := Gauge{
		Loop: "/home/a \"b\"\n\\c", At: at, Paused: true,
		Stages: map[task.Stage]int{task.Inbox: 2, task.Done: 1},
		Tally: record.Tally{
			Tries: 3, Tasks: map[string]int{record.Claims: 2, string(task.Completed): 1},
			Stops: map[task.Reason]int{task.VerificationPassed: 1}, Failures: map[recovery.Category]int{"rate_limited": 1},
			Costs:      map[string]*record.Account{"none": &dollar},
			Profiles:   map[string]*record.Colours{"unit": {Runs: 4, Red: 3}},
			ByStrategy: map[recovery.Strategy]*record.Outcomes{"retry": {Attempts: 2, Successes: 1}},
		},
		Circuits: []record.Circuit{
			{Target: "model exec", State: record.PhaseOpen, Opened: at.Add(-time.Minute), Until: at.Add(time.Minute)},
			{Target: "account exec", State: record.PhaseClosed},
		},
	}
	got, err := parse(string(g.Prometheus()))
	if err != nil {
		t.Fatal(err)
	}
	short := map[string]float64{}
	for name, value := range got {
		if value != 0 {
			short[strings.Replace(strings.Replace(name, `{loop="/home/a \"b\"\n\\c"`, "{", 1), "{,", "{", 1)] = value
		}
	}
	want := map[string]float64{
		"looprun_last_pass_timestamp_seconds{}": 1_800_000_000, "looprun_paused{}": 1,
		`looprun_tasks{stage="inbox"}`: 2, `looprun_tasks{stage="done"}`: 1, `looprun_breaker_open{target="model exec"}`: 1,
		"looprun_tasks_claimed_total{}": 2, `looprun_tasks_ended_total{decision="completed"}`: 1,
		`looprun_tasks_stopped_total{reason="independent_verification_passed"}`: 1,
		`looprun_check_runs_total{profile="unit"}`:                              4, `looprun_check_red_total{profile="unit"}`: 3,
		"looprun_tries_total{}": 3, `looprun_try_failures_total{category="rate_limited"}`: 1,
		`looprun_recovery_steps_total{strategy="retry"}`: 2, `looprun_recovery_successes_total{strategy="retry"}`: 1,
		"looprun_cost_usd_total{}": 1.25, "looprun_tries_of_unknown_cost_total{}": 1,
		`looprun_tokens_total{kind="input"}`: 10, `looprun_tokens_total{kind="output"}`: 5, `looprun_tokens_total{kind="cache_read"}`: 3,
	}
	if diff := cmp.Diff(want, short); diff != "" {
		t.Errorf("samples that are not 0 (-want +got):\n%s", diff)
	}
}

func TestAnEmptyLoopHasMetricsToo(t *testing.T) {
	got, err := parse(string(Gauge{Loop: "/l"}.Prometheus()))
	if err != nil || got[`looprun_tasks_claimed_total{loop="/l"}`] != 0 || len(got) < 10 {
		t.Errorf("parse = %v, %v; want zeros", got, err)
	}
}
