package task

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"looprun.dev/looprun/internal/unit"
)

func TestAgainst(t *testing.T) {
	known := Known{
		Profiles: []string{"unit", "lint"}, Operations: []string{"deploy"},
		Limits: Limits{MaxRounds: 3, SameFailure: 2, MaxTries: 8, WallClock: unit.Duration(2 * time.Hour), Deadline: unit.Duration(24 * time.Hour),
			MaxTokens: 1000, Cost: 5_000_000, MaxChangedFiles: 50, MaxChangedLines: 2000, MaxBytes: 4 << 20},
	}
	always := known
	always.Always = []string{"unit"}
	tests := map[string]struct {
		known Known
		data  string
		want  []string
	}{
		"a task that fits":       {known, with(`"verify": ["unit"], "operations": ["deploy"], "limits": {"max_rounds": 3}`), nil},
		"always is check enough": {always, with(`"priority": 1`), nil},
		"no check at all":        {known, with(`"verify": []`), []string{`t.json:1:36: verify: no check: name a profile here, or in verification.always of loop.yaml`}},
		"an unknown profile":     {always, with(`"verify": ["unit", "lnit"]`), []string{`t.json:1:45: verify[1]: unknown profile "lnit", did you mean "lint"?`}},
		"an unknown operation":   {always, with(`"operations": ["email"]`), []string{`t.json:1:41: operations[0]: unknown operation "email": there is "deploy"`}},
		"limits above are only warned of": {always, with(`"limits": {"max_rounds": 4, "cost_usd": "7.50", "wall_clock": "3h", "max_bytes": "1GiB"}`), []string{
			`warning: t.json:1:51: limits.max_rounds: 4 has no effect: loop.yaml allows 3, and a task may only lower it`,
			`warning: t.json:1:66: limits.cost_usd: 7.50 has no effect: loop.yaml allows 5.00, and a task may only lower it`,
			`warning: t.json:1:88: limits.wall_clock: 3h has no effect: loop.yaml allows 2h, and a task may only lower it`,
			`warning: t.json:1:107: limits.max_bytes: 1GiB has no effect: loop.yaml allows 4MiB, and a task may only lower it`,
		}},
		"every other limit above": {always, with(`"limits": {"same_failure_limit": 3, "max_tries": 9, "deadline": "25h", "max_tokens": 1001, "max_changed_files": 51, "max_changed_lines": 2001}`), []string{
			`warning: t.json:1:59: limits.same_failure_limit: 3 has no effect: loop.yaml allows 2, and a task may only lower it`,
			`warning: t.json:1:75: limits.max_tries: 9 has no effect: loop.yaml allows 8, and a task may only lower it`,
			`warning: t.json:1:90: limits.deadline: 25h has no effect: loop.yaml allows 24h, and a task may only lower it`,
			`warning: t.json:1:111: limits.max_tokens: 1001 has no effect: loop.yaml allows 1000, and a task may only lower it`,
			`warning: t.json:1:138: limits.max_changed_files: 51 has no effect: loop.yaml allows 50, and a task may only lower it`,
			`warning: t.json:1:163: limits.max_changed_lines: 2001 has no effect: loop.yaml allows 2000, and a task may only lower it`,
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			task, faults := Parse([]byte(tt.data), "t")
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			var got []string
			for _, f := range Locate([]byte(tt.data), task.Against(tt.known)) {
				s := f.String()
				if f.Warning {
					s = "warning: " + s
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Against differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	faults, warnings := Split([]Fault{{Code: "a"}, {Code: "b", Warning: true}, {Code: "c"}})
	if len(faults) != 2 || len(warnings) != 1 || warnings[0].Code != "b" {
		t.Errorf("Split = %v, %v; want a, c and b", faults, warnings)
	}
}

func TestLocateLeavesWhatItCannotFind(t *testing.T) {
	faults := []Fault{{Field: "verify[7]", Code: CodeUnknownName}}
	for name, data := range map[string]string{"no JSON": "{", "no such member": with(`"verify": []`)} {
		t.Run(name, func(t *testing.T) {
			if got := Locate([]byte(data), faults); got[0].Line != 0 {
				t.Errorf("Locate = %v; want no place", got[0])
			}
		})
	}
}
