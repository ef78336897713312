// Package event reads what agent CLIs print: which of their events is the last
// word on a run, what it says went wrong, and what the run used. It is pure:
// lines come in, values go out. It reads nothing but the members where a CLI
// puts its own errors; what the agent says, what its tools print and what it
// writes into files are never evidence.
package event

import (
	"bytes"
	"encoding/json"
)

// Bounds on what is kept of a run.
const (
	maxLine    = 16 << 20
	maxMessage = 64 << 10
	maxRaw     = 64 << 10
	maxPartial = 4 << 20
	maxTools   = 10_000
)

// A Reader reads the output of one CLI. Feed it every line.
type Reader struct {
	run     Run
	spec    *spec
	partial []byte // of an object that is printed over several lines
}

// New makes a reader for a CLI by the name of its adapter; names that are not
// known get a reader that knows the last line of every CLI.
func New(cli string) *Reader { return &Reader{spec: lookup(cli)} }

// Facts are what is known of the reader's CLI.
func (r *Reader) Facts() Facts { return r.spec.facts }

// Run is what the lines so far told.
func (r *Reader) Run() *Run { return &r.run }

// Feed reads one line without its end, of stdout, or of stderr for a CLI whose
// Facts say so. It reports whether the line was the CLI's own JSON; all else is
// text.
func (r *Reader) Feed(line []byte) bool {
	line = bytes.TrimSpace(line)
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:")))
	if len(r.partial) > 0 {
		return r.feedPartial(line)
	}
	if len(line) == 0 || line[0] != '{' && line[0] != '[' {
		return false
	}
	if len(line) == 1 {
		r.partial = append(r.partial, line...)
		return true
	}
	if len(line) > maxLine {
		return true
	}
	return r.feedJSON(line)
}

// feedPartial adds a line to an object that is printed over several.
func (r *Reader) feedPartial(line []byte) bool {
	r.partial = append(append(r.partial, '\n'), line...)
	closes := len(line) > 0 && (line[len(line)-1] == '}' || line[len(line)-1] == ']')
	if len(line) > 2 || !closes {
		if len(r.partial) > maxPartial {
			r.partial = nil
		}
		return true
	}
	if r.feedJSON(r.partial) {
		r.partial = nil
	}
	return true
}

// Rest is what was taken for the start of an object that never ended, and
// should be read as text.
func (r *Reader) Rest() string { return string(r.partial) }

func (r *Reader) feedJSON(line []byte) bool {
	if line[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(line, &list) != nil {
			return false
		}
		for _, e := range list {
			r.feedObject(e)
		}
		return len(list) > 0
	}
	return r.feedObject(line)
}

func (r *Reader) feedObject(line []byte) bool {
	if kind := quickType(line); kind != "" && r.spec.on[kind] == nil && r.spec.other == nil {
		return json.Valid(line)
	}
	var o object
	if json.Unmarshal(line, &o) != nil || o == nil {
		return false
	}
	handle := r.spec.on[o.text("type")]
	if handle == nil {
		handle = r.spec.other
	}
	if handle != nil {
		r.run.events++
		r.run.event.Raw = nil
		seen := r.run.event.Seen
		handle(&r.run, o)
		if r.run.event.Seen && len(line) <= maxRaw {
			r.run.event.Raw = bytes.Clone(line)
		} else if seen {
			r.run.event.Raw = nil
		}
	}
	return true
}

// quickType reads the type of an event that begins with it, so that the many
// events that say nothing are not decoded.
func quickType(line []byte) string {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return ""
	}
	kind, _, ok := bytes.Cut(rest[:min(len(rest), 64)], []byte(`"`))
	if !ok {
		return ""
	}
	return string(kind)
}
