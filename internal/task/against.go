package task

import (
	"cmp"
	"fmt"
)

// Known is what loop.yaml offers to tasks.
type Known struct {
	Profiles   []string
	Always     []string // profiles that run for every task
	Operations []string // names under effects
	Limits     Limits
}

// Against finds what only loop.yaml can tell: names that are not there, and a
// task that nothing would verify. A limit above loop.yaml's is a warning, as
// it has no effect. The faults have no places; Locate adds them.
func (t Task) Against(k Known) []Fault {
	c := comparison{file: t.ID + ".json"}
	c.names("verify", "profile", t.Verify, k.Profiles)
	c.names("operations", "operation", t.Operations, k.Operations)
	if len(t.Verify) == 0 && len(k.Always) == 0 {
		c.add("verify", CodeNoCheck, "no check: name a profile here, or in verification.always of loop.yaml")
	}
	c.limits(t.Limits, k.Limits)
	return c.faults
}

type comparison struct {
	file   string
	faults []Fault
}

func (c *comparison) add(field, code, format string, args ...any) {
	c.faults = append(c.faults, Fault{File: c.file, Field: field, Code: code, Msg: fmt.Sprintf(format, args...)})
}

func (c *comparison) names(field, what string, given, known []string) {
	for i, name := range given {
		if msg := UnknownName(what, name, known); msg != "" {
			c.add(fmt.Sprintf("%s[%d]", field, i), CodeUnknownName, "%s", msg)
		}
	}
}

func (c *comparison) limits(task, loop Limits) {
	above(c, "max_rounds", task.MaxRounds, loop.MaxRounds)
	above(c, "same_failure_limit", task.SameFailure, loop.SameFailure)
	above(c, "max_tries", task.MaxTries, loop.MaxTries)
	above(c, "wall_clock", task.WallClock, loop.WallClock)
	above(c, "deadline", task.Deadline, loop.Deadline)
	above(c, "max_tokens", task.MaxTokens, loop.MaxTokens)
	above(c, "cost_usd", task.Cost, loop.Cost)
	above(c, "max_changed_files", task.MaxChangedFiles, loop.MaxChangedFiles)
	above(c, "max_changed_lines", task.MaxChangedLines, loop.MaxChangedLines)
	above(c, "max_bytes", task.MaxBytes, loop.MaxBytes)
}

func above[T cmp.Ordered](c *comparison, name string, task, loop T) {
	if task > loop {
		c.add("limits."+name, CodeAboveLimit, "%v has no effect: loop.yaml allows %v, and a task may only lower it", task, loop)
		c.faults[len(c.faults)-1].Warning = true
	}
}
