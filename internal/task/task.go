// Package task owns the meaning of a task file: what it asks for, how it is
// read (strictly, every fault at once), and the words for how a task can end.
// It is pure: it never touches a file, a process or a clock.
package task

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"looprun.dev/looprun/internal/unit"
)

// Schema is what the member "schema" of a task file may say.
const Schema = "looprun.task/1"

// A Task is what one file under tasks/ asks for.
type Task struct {
	Schema     string    `json:"schema,omitempty"`
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
	NotBefore  time.Time `json:"not_before,omitzero"`  // UTC
	Operations []string  `json:"operations,omitempty"` // names of effects in loop.yaml
	Context    []string  `json:"context,omitempty"`    // paths that the generator should read first

	// Extra holds the members whose names begin with "x-". Their values are
	// kept in the form that encoding/json gives them, so that a task comes back
	// from the journal equal to what went in.
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
	MaxBytes        unit.Size     `json:"max_bytes,omitempty"`
}

// plain is Task without its methods, so that encoding/json does the known part.
type plain Task

// MarshalJSON writes the known members in the order of the struct and the
// extra ones after them, sorted by name.
func (t Task) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(plain(t))
	if err != nil || len(t.Extra) == 0 {
		return data, err
	}
	out := bytes.NewBuffer(bytes.TrimSuffix(data, []byte("}")))
	for _, key := range slices.Sorted(maps.Keys(t.Extra)) {
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		out.WriteByte(',')
		out.Write(name)
		out.WriteByte(':')
		out.Write(t.Extra[key])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON wrote. It is for looprun's own records;
// a file from outside goes through Parse.
func (t *Task) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plain)(t)); err != nil {
		return err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	maps.DeleteFunc(all, func(key string, _ json.RawMessage) bool { return !strings.HasPrefix(key, "x-") })
	if t.Extra = all; len(all) == 0 {
		t.Extra = nil
	}
	return nil
}
