// Package event reads what agent CLIs print: which of their events is the last
// word on a run, what it says went wrong, and what the run used. It is pure:
// lines come in, values go out. It reads nothing but the members where a CLI
// puts its own errors; what the agent says, what its tools print and what it
// writes into files are never evidence.
package event

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/unit"
)

// Bounds on what is kept of a run.
const (
	maxLine    = 16 << 20
	maxMessage = 64 << 10
	maxRaw     = 64 << 10
	maxPartial = 4 << 20
	maxTools   = 10_000
)

// Usage counts tokens in four classes that do not overlap: Input is what was
// neither read from nor written to a cache.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite}
}

// A Run is what a CLI told of its run so far.
type Run struct {
	Session      string
	Usage        Usage
	UsageKnown   bool // some CLIs tell none
	Cost         unit.Money
	CostKnown    bool
	Message      string // the agent's last message
	ToolCalls    int
	InnerRetries int // repeats that the CLI made by itself

	event   recovery.Event
	hint    recovery.Cause // an error that is no last word; counts if none follows
	hinted  bool
	limit   time.Time // when a rejected usage window ends
	last    object    // the last message, until the run ends
	events  int
	tools   map[string]string // names of running tool calls by their id
	pending bool              // the message goes on in the next piece
}

// Event is the terminal event, or what there is of one: its Seen tells. It is
// nil when no event of the CLI was read at all.
func (r *Run) Event() *recovery.Event {
	if r.events == 0 {
		return nil
	}
	e := r.event
	e.Final = utf8.RuneCountInString(trim(r.Message))
	e.ToolCalls = r.ToolCalls
	return &e
}

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

// good makes the run one that ended well, for the reason that is given.
func (r *Run) good(finish string) {
	r.event.Seen, r.event.Good, r.event.Finish, r.event.Cause = true, true, finish, recovery.Cause{}
}

// bad makes the run one that failed.
func (r *Run) bad(finish string, cause recovery.Cause) {
	r.event.Seen, r.event.Good, r.event.Finish, r.event.Cause = true, false, finish, cause
}

// goesOn takes back a terminal event: the CLI did not stop after it.
func (r *Run) goesOn() {
	r.event.Seen, r.event.Good, r.event.Finish, r.event.Cause = false, false, "", recovery.Cause{}
}

// suspect keeps an error that may still be repaired by the CLI itself.
func (r *Run) suspect(cause recovery.Cause) { r.hint, r.hinted = cause, true }

// Settle makes an error that no terminal event followed the last word, for a run
// that is known to have failed.
func (r *Run) Settle() {
	if r.hinted && !r.event.Seen {
		r.bad("", r.hint)
	}
}

// say keeps the agent's message.
func (r *Run) say(text string) {
	r.Message, r.pending = clip(text), false
}

// sayOn adds a piece to the agent's message.
func (r *Run) sayOn(piece string) {
	if !r.pending {
		r.Message = ""
	}
	r.Message, r.pending = clip(r.Message+piece), true
}

func (r *Run) use(u Usage) { r.Usage, r.UsageKnown = u, true }

func (r *Run) useMore(u Usage) { r.use(r.Usage.plus(u)) }

func (r *Run) pay(amount unit.Money, known bool) {
	if known {
		r.Cost, r.CostKnown = amount, true
	}
}

func (r *Run) payMore(amount unit.Money, known bool) { r.pay(r.Cost+amount, known) }

// called notes a tool call; its name is needed when its result comes.
func (r *Run) called(id, name string) {
	r.ToolCalls++
	r.pending = false
	if r.tools == nil {
		r.tools = map[string]string{}
	}
	if id != "" && len(r.tools) < maxTools {
		r.tools[id] = name
	}
}

// returned notes a tool call's result. Only the last call's failure is kept, and
// none of a tool that runs commands: what those print is not the tool's word.
func (r *Run) returned(name string, failed bool, words string) {
	r.event.ToolError = ""
	if failed && !shell(name) {
		r.event.ToolError = clip(words)
	}
}
