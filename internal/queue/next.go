package queue

import (
	"slices"
	"time"

	"looprun.dev/looprun/internal/task"
)

// How long a listing may be used at the longest: a look at every file takes
// some microseconds each, and is to stay a small part of the work.
const (
	keepListing = time.Second
	keepEach    = 50 * time.Microsecond // more for each file
)

// A kept is what the last Scan found, for the claims that follow it.
type kept struct {
	Listing
	at    time.Time // by the caller's clock
	until time.Time
	inbox time.Time // when the directory was changed last, by others or by us
}

// Next is Scan for one who claims one task after another. As long as nobody
// else changes inbox it gives what the Scan before found, without what was
// claimed since; only then does it cost no look at every file. A task that is
// dropped at the very moment of a claim may be seen a little later, but never
// after Ready is empty: then and at intervals inbox is scanned.
func (q *Queue) Next(known func(task.Task) []task.Fault, used func(id string) bool, now time.Time) (Listing, error) {
	if list, ok := q.again(now); ok {
		return list, nil
	}
	list, err := q.Scan(known, used, now)
	if err == nil {
		q.keep(list, now)
	}
	return list, err
}

func (q *Queue) again(now time.Time) (Listing, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k := q.kept
	if k == nil || len(k.Ready) == 0 || now.Before(k.at) || !now.Before(k.until) {
		return Listing{}, false
	}
	if err := q.refresh(); err != nil || !q.untouched() {
		return Listing{}, false
	}
	q.now = now
	return Listing{Ready: k.Ready, Waiting: k.Waiting, Settles: k.Settles}, true
}

// keep remembers a listing unless what is ready may change with every task that
// ends. It was made of a directory that may have changed meanwhile; the files
// that came are found with the next change or at the end of the time.
func (q *Queue) keep(list Listing, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.kept = nil
	if slices.ContainsFunc(list.Waiting, func(w Waiting) bool { return w.Why == After }) {
		return
	}
	k := &kept{Listing: list, at: now, until: now.Add(keepListing + time.Duration(len(q.seen))*keepEach), inbox: q.listed}
	for _, w := range list.Waiting {
		if !w.Until.IsZero() && w.Until.Before(k.until) {
			k.until = w.Until
		}
	}
	q.kept = k
}

// changed is when inbox was changed last, the zero time if it is not there.
func (q *Queue) changed() time.Time {
	d := q.dirs[task.Inbox]
	if d == nil {
		return time.Time{}
	}
	info, err := d.Stat()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// untouched tells whether nobody but this Queue changed inbox since the listing
// was made.
func (q *Queue) untouched() bool {
	at := q.changed()
	return q.kept != nil && !at.IsZero() && at.Equal(q.kept.inbox)
}

// ours makes a change to inbox that takes name away, so that the listing is
// good for the next claim too.
func (q *Queue) ours(name string, change func() error) error {
	alone := q.untouched()
	err := change()
	if !alone || err != nil {
		q.kept = nil
		return err
	}
	k := q.kept
	k.inbox = q.changed()
	if len(k.Ready) > 0 && k.Ready[0].Name == name {
		k.Ready = k.Ready[1:]
	} else {
		k.Ready = slices.DeleteFunc(slices.Clone(k.Ready), func(i Item) bool { return i.Name == name })
	}
	return nil
}
