//go:build linux

package main

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// A cost is what some work took, all processes of it counted.
type cost struct {
	wall, cpu time.Duration
}

// adopt makes this process the parent of all that its descendants leave
// running, so that their time can be counted.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// measure waits until no process is left of what work has started.
func measure(work func() error) (cost, error) {
	before, began := used(), time.Now()
	if err := work(); err != nil {
		return cost{}, err
	}
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); errors.Is(err, unix.ECHILD) {
			break
		}
	}
	return cost{wall: time.Since(began), cpu: used() - before}, nil
}

// used is the time of this process and of all that it has waited for.
func used() time.Duration {
	var sum time.Duration
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
