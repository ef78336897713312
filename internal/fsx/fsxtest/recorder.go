// Package fsxtest has the seam of fault campaigns: it keeps every change that
// goes through fsx, and lets a chosen one fail, stop half-way or end the
// process. It serves tests only.
package fsxtest

import (
	"fmt"
	"slices"
	"sync"

	"looprun.dev/looprun/internal/fsx"
)

// A Recorder keeps the changes it sees and breaks those it is told to. Its
// zero value only keeps them. It may be used by many goroutines.
type Recorder struct {
	// Break is asked before each change, with its number from 1. What it
	// returns takes the place of the system call; it may panic. nil lets all
	// pass.
	Break func(n int, op fsx.Op) error

	mu  sync.Mutex
	ops []fsx.Op
}

// Before keeps op with a copy of its data. A change that is broken is kept too.
func (r *Recorder) Before(op fsx.Op) error {
	r.mu.Lock()
	op.Data = slices.Clone(op.Data)
	r.ops = append(r.ops, op)
	n := len(r.ops)
	r.mu.Unlock()
	if r.Break == nil {
		return nil
	}
	return r.Break(n, op)
}

// Ops is what was seen so far, in order.
func (r *Recorder) Ops() []fsx.Op {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ops)
}

// Count is how many changes of the kinds were seen, of all kinds if none is
// named.
func (r *Recorder) Count(kinds ...string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, op := range r.ops {
		if len(kinds) == 0 || slices.Contains(kinds, op.Kind) {
			n++
		}
	}
	return n
}

// Syncs is how many fsyncs were seen, of files and of directories.
func (r *Recorder) Syncs() int { return r.Count(fsx.OpSync, fsx.OpSyncDir, fsx.OpSyncAll) }

// Reset forgets what was seen; numbers start at 1 again.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = nil
}

// FailAt lets change n alone fail with err.
func FailAt(n int, err error) *Recorder {
	return &Recorder{Break: func(i int, op fsx.Op) error {
		if i == n {
			return err
		}
		return nil
	}}
}

// FailFrom lets change n and all after it fail with err, as a full disk does.
func FailFrom(n int, err error) *Recorder {
	return &Recorder{Break: func(i int, op fsx.Op) error {
		if i >= n {
			return err
		}
		return nil
	}}
}

// ShortAt lets change n fail with err, after size bytes if it is a write.
func ShortAt(n, size int, err error) *Recorder { return FailAt(n, &fsx.Short{N: size, Err: err}) }

// A Crash is what a Recorder of CrashAt panics with.
type Crash struct {
	N  int
	Op fsx.Op
}

func (c Crash) String() string {
	return fmt.Sprintf("crash before change %d: %s %s", c.N, c.Op.Kind, c.Op.Path)
}

// CrashAt panics before change n, and before every one after it: the dead
// change nothing, not even in a deferred call.
func CrashAt(n int) *Recorder {
	return &Recorder{Break: func(i int, op fsx.Op) error {
		if i >= n {
			panic(Crash{N: i, Op: op})
		}
		return nil
	}}
}

// Run calls f and tells whether it ended in a Crash. Other panics go on.
func Run(f func()) (crashed bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case Crash:
			crashed = true
		default:
			panic(p)
		}
	}()
	f()
	return false
}
