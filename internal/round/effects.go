package round

import (
	"fmt"
	"strings"

	"looprun.dev/looprun/internal/task"
)

// observations is how often an unknown effect is looked at before a person is.
const observations = 2

// What is known of an operation that was begun.
const (
	EffectUnknown = "unknown"
	Applied       = "applied"
	NotApplied    = "not_applied"
)

// The effects file is appended to by the generator; a line it may not hold.
const (
	intent = "intent"
	done   = "done"
)

// unknownEffect is the first operation of which looprun can't say whether it
// happened. Until it can, nothing is repeated and nothing is called a success.
func (v view) unknownEffect() *Operation {
	for i := range v.Ops {
		if v.Ops[i].Known == EffectUnknown {
			return &v.Ops[i]
		}
	}
	return nil
}

// observe looks at op again, or asks a person once looking did not help.
func (v view) observe(op Operation) Decision {
	switch {
	case op.Looked >= observations && op.UndoFail:
		return v.forOp(v.stop("effects", task.NeedsInput, task.CompensationFailed), op)
	case op.Looked >= observations || len(v.Policy.Effects[op.Op].Observe) == 0:
		return v.forOp(v.stop("effects", task.NeedsInput, task.EffectUnknown), op)
	}
	d := v.answer("effects", task.Observe, task.EffectUnknown)
	d.After = Decide
	return v.forOp(d, op)
}

// cancel ends the task at a person's word. An effect of which nothing is known
// is named: nobody looks for it any more.
func (v view) cancel() Decision {
	d := v.stop("cancel", task.Blocked, task.Cancelled)
	if op := v.unknownEffect(); op != nil {
		d = v.forOp(d, *op)
		d.Detail = fmt.Sprintf("it is not known whether operation %q happened", op.Op)
	}
	return d
}

// settledEffect is the first operation whose known state forbids to go on as
// if nothing had happened.
func (v view) settledEffect() *Operation {
	for i := range v.Ops {
		if v.verdict(v.Ops[i]) != "" {
			return &v.Ops[i]
		}
	}
	return nil
}

// verdict says what a known effect means for a round that did not pass, "" if
// the chain may go on.
func (v view) verdict(op Operation) task.Reason {
	effect := v.Policy.Effects[op.Op]
	switch {
	case op.Known == Applied && effect.Irreversible:
		return task.IrreversibleEffect
	case op.Known == Applied && op.UndoFail:
		return task.CompensationFailed
	case op.Known == Applied && effect.Repeat != "keyed":
		return task.EffectApplied
	case op.Known == NotApplied && op.Undone:
		return task.CompensatedEffect
	case op.Known == NotApplied && effect.Repeat == "never":
		return task.NotRepeatable
	}
	return ""
}

// settle undoes an effect once where that is defined, else ends the task.
func (v view) settle(op Operation) Decision {
	reason := v.verdict(op)
	switch {
	case reason == task.EffectApplied && len(v.Policy.Effects[op.Op].Compensate) > 0 && !op.Undone:
		return v.forOp(v.answer("effects", task.Compensate, reason), op)
	case reason == task.CompensationFailed:
		return v.forOp(v.stop("effects", task.NeedsInput, reason), op)
	}
	return v.forOp(v.stop("effects", task.Blocked, reason), op)
}

func (v view) forOp(d Decision, op Operation) Decision {
	d.Op, d.OpID, d.Skipped = op.Op, op.ID, nil
	return d
}

// gaps lists everything that keeps the operations of a task from being started
// safely, all at once.
func (v view) gaps() string {
	var gaps []string
	for _, name := range v.Task.Operations {
		effect, ok := v.Policy.Effects[name]
		switch {
		case !ok:
			gaps = append(gaps, fmt.Sprintf("operation %q is not defined under effects: in loop.yaml", name))
			continue
		case effect.Target == "":
			gaps = append(gaps, fmt.Sprintf("operation %q names no target", name))
		}
		if len(effect.Observe) == 0 {
			gaps = append(gaps, fmt.Sprintf("operation %q has no observe command", name))
		}
	}
	for _, line := range v.Try.Effects.Lines {
		if !line.complete() {
			gaps = append(gaps, fmt.Sprintf("effects line {op: %q, id: %q, status: %q} is incomplete", line.Op, line.ID, line.Status))
		}
	}
	return strings.Join(gaps, "; ")
}

// unapproved names the irreversible operations that no person approved.
func (v view) unapproved() string {
	var names []string
	for _, name := range v.Task.Operations {
		if v.Policy.Effects[name].Irreversible && (v.Claimed.FollowUp == nil || !v.Claimed.FollowUp.Approved) {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "irreversible: " + strings.Join(names, ", ") + ": approve with looprun answer " + v.Task.ID + " --approve"
}

// withEffects is what is known of the operations after a try: whatever was
// begun, or could have been, is unknown until a command of looprun's looked.
func withEffects(old []Operation, t task.Task, e Effects) []Operation {
	ops := append([]Operation(nil), old...)
	torn := e.Torn != ""
	for _, line := range e.Lines {
		if line.complete() {
			ops = begun(ops, line, true)
		} else {
			torn = true
		}
	}
	if torn {
		for _, name := range t.Operations {
			ops = begun(ops, EffectLine{Op: name}, false)
		}
	}
	return ops
}

func (l EffectLine) complete() bool {
	return l.Op != "" && l.ID != "" && (l.Status == intent || l.Status == done)
}

func begun(ops []Operation, line EffectLine, seen bool) []Operation {
	for i := range ops {
		if ops[i].Op == line.Op && (ops[i].ID == line.ID || line.ID == "") {
			ops[i].Known, ops[i].Looked, ops[i].Intent = EffectUnknown, 0, ops[i].Intent || seen
			return ops
		}
	}
	return append(ops, Operation{Op: line.Op, ID: line.ID, Intent: seen, Known: EffectUnknown})
}

// observed returns the operations with what a command found out about one.
func observed(old []Operation, o Observed) []Operation {
	ops := append([]Operation(nil), old...)
	for i := range ops {
		if ops[i].Op == o.Op && ops[i].ID == o.ID {
			ops[i].Known, ops[i].Looked = o.Result, ops[i].Looked+1
		}
	}
	return ops
}

// undone returns the operations after one was compensated. What that did is
// unknown until it was looked at.
func undone(old []Operation, o Observed) []Operation {
	ops := append([]Operation(nil), old...)
	for i := range ops {
		if ops[i].Op == o.Op && ops[i].ID == o.ID {
			ops[i].Known, ops[i].Looked = EffectUnknown, 0
			ops[i].Undone, ops[i].UndoFail = true, o.Result != done
		}
	}
	return ops
}
