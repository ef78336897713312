package event

import (
	"time"
	"unicode/utf8"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/unit"
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
