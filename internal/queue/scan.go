package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"looprun.dev/looprun/internal/task"
)

// A Listing is what inbox holds. Names are file names.
type Listing struct {
	Ready    []Item    // may be claimed, in the order to claim them in
	Waiting  []Waiting // by name
	Bad      []Bad     // to be quarantined, by name
	Warnings []Warning // that were not told before

	// Settles is when a file that looks half-written may be known to be
	// finished or bad; zero if there is none.
	Settles time.Time
}

// An Item is a task that may be claimed.
type Item struct {
	Name     string
	Priority int
}

// ID is the id of the task.
func (i Item) ID() string { return stem(i.Name) }

// A Waiting is a file that is not to be claimed yet.
type Waiting struct {
	Name  string
	Why   string    // half_written, not_before, after, stuck
	Until time.Time // when to look again; zero for after
	For   []string  // the ids of after that are not done
}

// Why a file waits.
const (
	HalfWritten = "half_written"
	NotBefore   = "not_before"
	After       = "after"
	IsStuck     = "stuck"
)

// A Bad is a file that cannot be a task.
type Bad struct {
	Name   string
	Faults []task.Fault
}

// Scan lists inbox and reads the files that are new or changed. It changes no
// file. known gives the faults that only loop.yaml can tell, used whether a
// task of the id was claimed at any time; either may be nil. now is the
// caller's clock; only differences of it matter.
//
// An inbox that is missing or no directory is a warning and an empty Listing:
// it may come back. An error means that the disk fails.
func (q *Queue) Scan(known func(task.Task) []task.Fault, used func(id string) bool, now time.Time) (Listing, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.known, q.now = known, now
	if err := q.refresh(); err != nil && !(q.readOnly && errors.Is(err, fs.ErrNotExist)) {
		return Listing{}, err
	}
	q.listed, q.kept = q.changed(), nil
	names, err := q.names(task.Inbox)
	if err != nil {
		return Listing{}, err
	}
	s := scan{Queue: q, used: used}
	if q.unfit != nil && !q.toldUnfit {
		s.warn("", WarnInbox, "%v", q.unfit)
	}
	q.toldUnfit = q.unfit != nil
	if err := s.all(names); err != nil {
		return Listing{}, err
	}
	return s.listing()
}

// Forget makes the next Scan read every file again, as after a change of
// loop.yaml.
func (q *Queue) Forget() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seen, q.kept = nil, nil
}

// A scan is one pass over the names in inbox.
type scan struct {
	*Queue
	used func(id string) bool
	Listing
}

// all looks at each name and keeps what it finds for the next time. Both lists
// are sorted, so that no index of names is needed.
func (s *scan) all(names []string) error {
	names = slices.DeleteFunc(names, func(name string) bool { return sortOf(name) == ignored })
	slices.Sort(names)
	found := make([]entry, 0, len(names))
	old := s.seen
	for _, name := range names {
		for len(old) > 0 && old[0].name < name {
			old = old[1:]
		}
		was := entry{name: name}
		if len(old) > 0 && old[0].name == name {
			was = old[0]
		}
		e, err := s.look(was)
		if err != nil {
			return err
		}
		if e.state != gone {
			found = append(found, e)
		}
	}
	s.seen = found
	return nil
}

func (s *scan) warn(name, code, format string, args ...any) {
	s.Warnings = append(s.Warnings, Warning{Name: strings.Clone(name), Code: code, Msg: fmt.Sprintf(format, args...)})
}
