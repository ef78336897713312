//go:build linux || darwin

package child

import (
	"fmt"
	"slices"
	"syscall"
	"time"
)

// An ending ends processes: TERM, a grace period, KILL.
type ending struct {
	living func() ([]process, error)
	kill   func() // ends all that are in a cgroup
	seen   map[int]uint64
}

// run returns when nothing is alive. now ends the grace period.
func (e *ending) run(grace time.Duration, now <-chan struct{}) error {
	left, err := e.look()
	if err != nil || len(left) == 0 {
		return err
	}
	if grace > 0 && !closed(now) {
		signalAll(left, syscall.SIGTERM)
		signalAll(left, syscall.SIGCONT) // a stopped process would not hear of it
		if left, err = e.gone(grace, now, nil); err != nil || len(left) == 0 {
			return err
		}
	}
	left, err = e.gone(killWait, nil, func(ps []process) {
		e.kill()
		signalAll(ps, syscall.SIGKILL)
	})
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("processes %v are still alive after KILL", pids(left))
	}
	return err
}

// look finds what is alive and counts it.
func (e *ending) look() ([]process, error) {
	left, err := e.living()
	for _, p := range left {
		e.seen[p.pid] = p.start
	}
	return left, err
}

// gone looks again and again until nothing is alive, the time is over or now
// is closed. It does something about what is alive each time.
func (e *ending) gone(within time.Duration, now <-chan struct{}, do func([]process)) ([]process, error) {
	over := time.After(within)
	for wait := time.Millisecond / 2; ; wait = min(wait*2, 50*time.Millisecond) {
		left, err := e.look()
		if err != nil || len(left) == 0 {
			return nil, err
		}
		if do != nil {
			do(left)
		}
		select {
		case <-over:
			return left, nil
		case <-now:
			return left, nil
		case <-time.After(wait):
		}
	}
}

func pids(ps []process) []int {
	var ids []int
	for _, p := range ps {
		ids = append(ids, p.pid)
	}
	slices.Sort(ids)
	return ids
}
