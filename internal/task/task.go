// Package task owns the meaning of a task file: what it asks for, how it is
// read (strictly, every fault at once), and the words for how a task can end.
// It is pure: it never touches a file, a process or a clock.
package task

import (
	"encoding/json"
	"time"

	"looprun.dev/looprun/internal/unit"
)

// A Task is what one file under tasks/ asks for.
type Task struct {
	ID         string    `json:"id"`
	Title      string    `json:"title,omitempty"`
	Goal       string    `json:"goal"`
	Verify     []string  `json:"verify,omitempty"` // names of profiles in loop.yaml
	Allow      []string  `json:"allow,omitempty"`
	Protect    []string  `json:"protect,omitempty"`
	Limits     Limits    `json:"limits,omitzero"`
	After      []string  `json:"after,omitempty"`
	Refs       []string  `json:"refs,omitempty"`
	Priority   int       `json:"priority,omitempty"`
	NotBefore  time.Time `json:"not_before,omitzero"`
	Operations []string  `json:"operations,omitempty"` // names of effects in loop.yaml
	Context    []string  `json:"context,omitempty"`    // paths that the generator should read first

	// Extra holds the members whose names begin with "x-", as written.
	Extra map[string]json.RawMessage `json:"-"`
}

// Limits are what a task lowers of loop.yaml's limits; zero means "as there".
// A value above loop.yaml's has no effect.
type Limits struct {
	MaxRounds       int           `json:"max_rounds,omitempty"`
	SameFailure     int           `json:"same_failure_limit,omitempty"`
	MaxTries        int           `json:"max_tries,omitempty"`
	WallClock       unit.Duration `json:"wall_clock,omitempty"`
	Deadline        unit.Duration `json:"deadline,omitempty"`
	MaxTokens       int64         `json:"max_tokens,omitempty"`
	Cost            unit.Money    `json:"cost_usd,omitempty"`
	MaxChangedFiles int           `json:"max_changed_files,omitempty"`
	MaxChangedLines int           `json:"max_changed_lines,omitempty"`
	MaxBytes        int64         `json:"max_bytes,omitempty"`
}

// A Fault is one thing wrong in a file from outside. Readers return all they
// find, so that one run shows them all. Line and Col are 1-based; 0 means that
// the fault has no place of its own.
type Fault struct {
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Col   int    `json:"col,omitempty"`
	Field string `json:"field,omitempty"` // the member's path, as limits.max_rounds
	Code  string `json:"code"`            // a stable word: syntax, unknown_key, bad_id, ...
	Msg   string `json:"msg"`
}
