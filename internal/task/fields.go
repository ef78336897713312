package task

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A field is one member that an object may have, and what reads its value.
type field struct {
	name string
	read func(v value, at *trail)
}

// task reads the members of the only object of the file.
func (d *document) task(top value) Task {
	var t Task
	if d.newer(top) {
		return t
	}
	d.required(top, "id", "goal")
	d.fields(top, nil, []field{
		{"schema", d.schema(&t.Schema)},
		{"id", d.id(&t.ID)},
		{"title", d.title(&t.Title)},
		{"goal", d.filled(&t.Goal)},
		{"verify", d.list(&t.Verify, nil)},
		{"allow", d.allow(&t.Allow)},
		{"protect", d.list(&t.Protect, checkGlob)},
		{"limits", d.limits(&t.Limits)},
		{"after", d.list(&t.After, d.checkAfter)},
		{"refs", d.list(&t.Refs, nil)},
		{"priority", integer(d, &t.Priority, -maxPriority, maxPriority)},
		{"not_before", d.time(&t.NotBefore)},
		{"operations", d.list(&t.Operations, nil)},
		{"context", d.list(&t.Context, CheckPath)},
	}, func(m member) { t.keep(m, d.data) })
	return t
}

// limits reads the member of that name. Each limit is above zero: nothing
// here can mean "no limit".
func (d *document) limits(l *Limits) func(value, *trail) {
	return func(v value, at *trail) {
		if !d.is(objectKind, v, at) {
			return
		}
		d.fields(v, at, []field{
			{"max_rounds", integer(d, &l.MaxRounds, 1, maxCount)},
			{"same_failure_limit", integer(d, &l.SameFailure, 1, maxCount)},
			{"max_tries", integer(d, &l.MaxTries, 1, maxCount)},
			{"wall_clock", d.duration(&l.WallClock)},
			{"deadline", d.duration(&l.Deadline)},
			{"max_tokens", integer(d, &l.MaxTokens, 1, maxTokens)},
			{"cost_usd", d.money(&l.Cost)},
			{"max_changed_files", integer(d, &l.MaxChangedFiles, 1, maxCount)},
			{"max_changed_lines", integer(d, &l.MaxChangedLines, 1, maxCount)},
			{"max_bytes", d.size(&l.MaxBytes)},
		}, nil)
	}
}

// fields gives each member of v to its reader. extra takes members whose
// names begin with "x-"; where it is nil they are unknown as any other.
func (d *document) fields(v value, at *trail, known []field, extra func(member)) {
	names := make([]string, len(known))
	readers := make(map[string]func(value, *trail), len(known))
	for i, f := range known {
		names[i], readers[f.name] = f.name, f.read
	}
	for _, m := range v.members {
		here := &trail{up: at, key: m.key}
		read, ok := readers[m.key]
		switch {
		case ok && m.value.kind == nullKind:
			d.add(m.value.start, CodeNull, here, "null is no value here: leave the member out")
		case ok:
			read(m.value, here)
		case extra != nil && len(m.key) > 2 && strings.HasPrefix(m.key, "x-"):
			extra(m)
		default:
			d.unknown(m, here, names, extra != nil)
		}
	}
}

// synonyms are what other tools call the members of a task.
var synonyms = map[string]string{
	"prompt": "goal", "description": "goal", "instructions": "goal", "body": "goal",
	"name": "title", "subject": "title", "checks": "verify", "tests": "verify", "files": "context",
	"depends_on": "after", "dependencies": "after", "blocked_by": "after", "needs": "after",
	"max_cost_usd": "cost_usd", "timeout": "wall_clock", "max_attempts": "max_tries",
}

func (d *document) unknown(m member, at *trail, names []string, extra bool) {
	code, msg := CodeUnknownKey, fmt.Sprintf("unknown key %q", Clip(m.key))
	if near, ok := meant(m.key, names); ok {
		if strings.EqualFold(near, m.key) {
			code = CodeKeyCase
		}
		msg += fmt.Sprintf(", did you mean %q?", near)
	} else if extra {
		msg += ": keys of your own begin with x-"
	}
	d.add(m.start, code, at, "%s", msg)
}

// meant is the member that a key probably stands for.
func meant(key string, names []string) (string, bool) {
	if near, ok := Nearest(key, names); ok {
		return near, true
	}
	word := key
	if synonyms[key] == "" {
		word, _ = Nearest(key, slices.Collect(maps.Keys(synonyms)))
	}
	return synonyms[word], slices.Contains(names, synonyms[word])
}

func (d *document) required(v value, names ...string) {
	for _, name := range names {
		if _, ok := v.member(name); !ok {
			d.add(v.start, CodeMissingKey, &trail{key: name}, "missing")
		}
	}
}

func (v value) member(key string) (value, bool) {
	for _, m := range v.members {
		if m.key == key {
			return m.value, true
		}
	}
	return value{}, false
}

// is records both types where v is not of the kind that is wanted.
func (d *document) is(want kind, v value, at *trail) bool {
	if v.kind != want {
		d.add(v.start, CodeWrongType, at, "must be %s, is %s", want, v.kind)
	}
	return v.kind == want
}

// keep takes an extra member in the form in which it comes back from a
// record: compact, and with the escapes of encoding/json.
func (t *Task) keep(m member, data []byte) {
	var compact, out bytes.Buffer
	if json.Compact(&compact, data[m.value.start:m.value.end]) != nil {
		return // never: the reader has been over these bytes
	}
	json.HTMLEscape(&out, compact.Bytes())
	if t.Extra == nil {
		t.Extra = map[string]json.RawMessage{}
	}
	t.Extra[m.key] = out.Bytes()
}

var schemaNumber = regexp.MustCompile(`^looprun\.task/([1-9][0-9]{0,8})$`)

// newer tells whether the file was written for a later looprun. Then nothing
// else is said of it, since unknown members are to be expected. A new schema
// comes with a new major version only, so its number names the version.
func (d *document) newer(top value) bool {
	v, _ := top.member("schema")
	parts := schemaNumber.FindStringSubmatch(v.text)
	if v.kind != stringKind || parts == nil || parts[1] == "1" {
		return false
	}
	n, _ := strconv.Atoi(parts[1])
	d.add(v.start, CodeNewerSchema, &trail{key: "schema"}, "needs looprun >= %d.0: this one reads %s", n, Schema)
	return true
}
