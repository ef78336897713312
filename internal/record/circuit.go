package record

import (
	"slices"
	"time"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

const circuitSchema = "looprun.breaker/1"

// A Circuit is what all tasks together know of a target. It is a value: each
// method returns the circuit as it is afterwards.
//
// While it is closed, starts go through. Too many failures open it, and
// nothing is started until its time is over. Then it is half open: one probe
// shows whether the target works again. Nobody has to close it.
type Circuit struct {
	Schema string      `json:"schema"`
	Target string      `json:"target"`
	State  string      `json:"state"`            // PhaseClosed or PhaseOpen: see Phase
	Reason task.Reason `json:"reason,omitempty"` // why it was opened
	Detail string      `json:"detail,omitempty"`
	Opened time.Time   `json:"opened,omitzero"`
	Until  time.Time   `json:"until,omitzero"`
	Times  int         `json:"times,omitempty"`  // opened so often in a row
	Probe  *Lease      `json:"probe,omitempty"`  // who looks whether the target works
	Probes int         `json:"probes,omitempty"` // starts that were counted on the target

	Dearest unit.Money `json:"dearest_try_usd,omitempty"` // what a start may cost, from what one did

	InARow int         `json:"failures_in_a_row,omitempty"`
	Tasks  []string    `json:"failing_tasks,omitempty"` // whose failures these are, as many as are asked for
	Recent []time.Time `json:"recent_failures,omitempty"`

	Retries []TakenRetry `json:"retries,omitempty"` // of the last window
	Alike   Alike        `json:"alike,omitzero"`
}

// The phases of a circuit.
const (
	PhaseClosed   = "closed"
	PhaseOpen     = "open"
	PhaseHalfOpen = "half_open"
)

// A Lease gives one task the only start on a target that is half open.
type Lease struct {
	Task  string    `json:"task"`
	Until time.Time `json:"until"` // then another may have it
}

// A Blame is one failure that is the target's fault.
type Blame struct {
	Task   string
	At     time.Time
	Reason task.Reason // why the target is held, if this opens it
	Detail string
	Reset  time.Duration // how long the target asked to be left alone; 0: it named no time
	AtOnce bool          // no second failure is needed
}

// Breaking says when a circuit opens and for how long.
type Breaking struct {
	recovery.Breaker
	Hold unit.Duration // bounds how long a target that opened at once is left unlooked at
}

// Phase is where the circuit stands at a time.
func (c Circuit) Phase(now time.Time) string {
	switch {
	case c.State != PhaseOpen:
		return PhaseClosed
	case now.Before(c.Rebased(now).Until):
		return PhaseOpen
	}
	return PhaseHalfOpen
}

// Holds reports that a start of the task must wait.
func (c Circuit) Holds(now time.Time, id string) bool {
	switch c.Phase(now) {
	case PhaseOpen:
		return true
	case PhaseHalfOpen:
		return c.Probe != nil && c.Probe.Task != id && now.Before(c.Probe.Until)
	}
	return false
}

// Rebased is c after the clock was set back: it stays open for as long as it
// was to, not until a clock that is wrong no more says so.
func (c Circuit) Rebased(now time.Time) Circuit {
	if c.State == PhaseOpen && now.Before(c.Opened) {
		c.Opened, c.Until = now, now.Add(c.Until.Sub(c.Opened))
	}
	return c
}

// Leased gives the task the probe of a circuit that is half open.
func (c Circuit) Leased(id string, now, until time.Time) Circuit {
	if c.Phase(now) == PhaseHalfOpen && !c.Holds(now, id) {
		c.Probe = &Lease{Task: id, Until: until}
	}
	return c
}

// Released takes the probe back from a task that did not start.
func (c Circuit) Released(id string) Circuit {
	if c.probedBy(id) {
		c.Probe = nil
	}
	return c
}

func (c Circuit) probedBy(id string) bool { return c.Probe != nil && c.Probe.Task == id }

// Worked is c after the target did what a task asked of it. While it is open
// only the probe counts: what others started before says nothing of now.
func (c Circuit) Worked(id string) Circuit {
	switch {
	case c.State == PhaseOpen && c.probedBy(id):
		c.Probes++
		return c.works()
	case c.State != PhaseOpen:
		c.InARow, c.Tasks = 0, nil
	}
	return c
}

// works is c with no failure left.
func (c Circuit) works() Circuit {
	return Circuit{Schema: c.Schema, Target: c.Target, State: PhaseClosed, Probes: c.Probes, Dearest: c.Dearest, Retries: c.Retries, Alike: c.Alike}
}

// SaidNothing is c after a probe that showed neither: the target is looked at
// again after as long a time as before.
func (c Circuit) SaidNothing(id string, now time.Time) Circuit {
	if c.State != PhaseOpen || !c.probedBy(id) {
		return c
	}
	c.Opened, c.Until = now, now.Add(c.Until.Sub(c.Opened))
	c.Probe, c.Probes = nil, c.Probes+1
	return c
}

// Blamed is c after a failure of the target.
func (c Circuit) Blamed(b Blame, by Breaking) Circuit {
	c = c.Rebased(b.At)
	switch c.Phase(b.At) {
	case PhaseOpen:
		if reset := b.At.Add(min(b.Reset, longest)); b.AtOnce && b.Reset > 0 && reset.After(c.Until) {
			c.Until = reset // it is known better now
		}
		return c
	case PhaseHalfOpen:
		if c.probedBy(b.Task) {
			c.Probes++
		}
		return c.opened(b, by)
	}
	c.InARow++
	if len(c.Tasks) < by.Tasks && !slices.Contains(c.Tasks, b.Task) {
		c.Tasks = append(slices.Clone(c.Tasks), b.Task)
	}
	c.Recent = latest(c.Recent, b.At, by)
	if b.AtOnce || c.InARow >= by.Consecutive && len(c.Tasks) >= by.Tasks || len(c.Recent) >= by.InWindow {
		return c.opened(b, by)
	}
	return c
}

// Charged is c after a try on the target that cost so much; nil: it is not known.
func (c Circuit) Charged(cost *unit.Money) Circuit {
	if cost != nil {
		c.Dearest = max(c.Dearest, *cost)
	}
	return c
}

// Doubtful reports that the task has failed on the target as often as opens the
// circuit but once, and that it takes a failure of another task to open it.
func (c Circuit) Doubtful(id string, by recovery.Breaker) bool {
	return c.State != PhaseOpen && len(c.Tasks) < by.Tasks && slices.Contains(c.Tasks, id) && c.InARow >= by.Consecutive-1
}

// latest are the failures within the window, at most as many as open it.
func latest(recent []time.Time, at time.Time, by Breaking) []time.Time {
	var kept []time.Time
	for _, t := range recent {
		if within := at.Sub(t); within < by.Window.Std() && within > -by.Window.Std() {
			kept = append(kept, t)
		}
	}
	kept = append(kept, at)
	return kept[max(0, len(kept)-by.InWindow):]
}

// opened is c held until the target's own time, else for a time that doubles
// with each opening in a row.
func (c Circuit) opened(b Blame, by Breaking) Circuit {
	c.State, c.Reason, c.Detail, c.Opened = PhaseOpen, b.Reason, b.Detail, b.At
	c.Times++
	c.Probe, c.InARow, c.Tasks, c.Recent = nil, 0, nil, nil
	open := doubled(by.Open.Std(), by.OpenMax.Std(), c.Times-1)
	if b.AtOnce && by.Hold > 0 {
		open = min(open, by.Hold.Std())
	}
	if b.Reset > 0 && (c.Times == 1 || b.Reset > open) {
		open = b.Reset
	}
	c.Until = b.At.Add(min(open, longest))
	return c
}

func doubled(d, most time.Duration, times int) time.Duration {
	for ; times > 0 && d < most; times-- {
		d *= 2
	}
	return min(d, most)
}

// Healed is c once it is seen that the target works, whoever saw it.
func (c Circuit) Healed() Circuit {
	if c.State != PhaseOpen && c.InARow == 0 {
		return c
	}
	return c.works()
}
