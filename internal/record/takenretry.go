package record

import (
	"slices"
	"time"

	"looprun.dev/looprun/internal/recovery"
)

// A TakenRetry is one retry that was taken out of a target's budget.
type TakenRetry struct {
	Task string    `json:"task"`
	Try  int       `json:"try"` // the one that failed
	At   time.Time `json:"at"`
}

// TakeRetry takes one retry out of the budget, for the failure of that try of a
// task. It reports false where none is left. Asked again about the same try it
// takes nothing more.
func (c Circuit) TakeRetry(id string, try int, now time.Time, b recovery.Budget) (Circuit, bool) {
	kept := c.retries(now, b)
	mine := func(r TakenRetry) bool { return r.Task == id && r.Try == try }
	if !slices.ContainsFunc(kept, mine) {
		if len(kept) >= b.Max {
			return c, false
		}
		kept = append(kept, TakenRetry{Task: id, Try: try, At: now})
	}
	c.Retries = kept
	return c, true
}

// ReturnRetry gives a retry back that was not made after all.
func (c Circuit) ReturnRetry(id string, try int) Circuit {
	c.Retries = slices.DeleteFunc(slices.Clone(c.Retries), func(r TakenRetry) bool { return r.Task == id && r.Try == try })
	return c
}

// retries are those within the window, whichever way the clock was set.
func (c Circuit) retries(now time.Time, b recovery.Budget) []TakenRetry {
	var kept []TakenRetry
	for _, r := range c.Retries {
		if ago := now.Sub(r.At); ago < b.Window.Std() && ago > -b.Window.Std() {
			kept = append(kept, r)
		}
	}
	return kept
}

// RetryAt is when the budget has room again; zero if it has some now.
func (c Circuit) RetryAt(now time.Time, b recovery.Budget) time.Time {
	kept := c.retries(now, b)
	if len(kept) < b.Max {
		return time.Time{}
	}
	slices.SortFunc(kept, func(x, y TakenRetry) int { return x.At.Compare(y.At) })
	return kept[len(kept)-b.Max].At.Add(b.Window.Std())
}

// Alike are the tasks in a row in which the generator failed in one way and
// left the tree as it was.
type Alike struct {
	Signature string   `json:"signature"`
	Tasks     []string `json:"tasks"`
}

// maxAlike bounds the tasks that are remembered: two show all there is to see.
const maxAlike = 8

// Failed is c after the generator failed so in a task. An empty signature is
// that of a try which did something: the row ends.
func (c Circuit) Failed(id, signature string) Circuit {
	switch {
	case signature == "":
		c.Alike = Alike{}
	case signature != c.Alike.Signature:
		c.Alike = Alike{Signature: signature, Tasks: []string{id}}
	case !slices.Contains(c.Alike.Tasks, id) && len(c.Alike.Tasks) < maxAlike:
		c.Alike.Tasks = append(slices.Clone(c.Alike.Tasks), id)
	}
	return c
}

// BrokenBy is another task of the row in which the generator failed so, "" if
// there is none.
func (c Circuit) BrokenBy(id, signature string) string {
	for _, other := range c.Alike.Tasks {
		if signature != "" && signature == c.Alike.Signature && other != id {
			return other
		}
	}
	return ""
}
