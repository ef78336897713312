package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"time"

	"looprun.dev/looprun/internal/fsx"
)

// A Stuck is the error for a file that cannot be moved: the directory is not
// writable, or somebody made the file immutable. It is left where it is, and
// Scan lists it as waiting for 1 s, then twice as long each time, up to 60 s.
type Stuck struct {
	Name  string
	Err   error
	Again bool // it was told before
}

func (s *Stuck) Error() string {
	return fmt.Sprintf("%q is stuck in inbox, make it and its directory writable: %v", s.Name, s.Err)
}

// Unwrap gives the cause.
func (s *Stuck) Unwrap() error { return s.Err }

// patience is how long a stuck file is left alone.
type patience struct {
	until time.Time
	wait  time.Duration
}

const (
	firstWait = time.Second
	longWait  = 60 * time.Second
)

// isStuck notes that name could not be moved.
func (q *Queue) isStuck(name string, err error) error {
	p := q.stuck[name]
	again := p != nil
	if !again {
		p = &patience{wait: firstWait / 2}
		q.stuck[name] = p
	}
	p.wait = min(2*p.wait, longWait)
	p.until = q.now.Add(p.wait)
	return &Stuck{Name: name, Err: err, Again: again}
}

// unmoved tells what the error of a move out of inbox means.
func (q *Queue) unmoved(name string, err error) error {
	switch {
	case errors.Is(err, fsx.ErrSync):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return ErrGone
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fsx.ErrNotRegular), errors.Is(err, syscall.EBUSY):
		return q.isStuck(name, err)
	}
	return err
}

// forgetStuck drops what is no longer in inbox.
func (s *scan) forgetStuck() {
	for name := range s.stuck {
		_, there := slices.BinarySearchFunc(s.seen, name, func(e entry, name string) int { return strings.Compare(e.name, name) })
		if !there {
			delete(s.stuck, name)
		}
	}
}
