package queue

import (
	"io/fs"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/task"
)

// An entry is what is remembered of a file in inbox: enough to see that it did
// not change, and to put it in order. A hundred thousand of them must fit in
// little memory, so the rest is read again at the claim.
type entry struct {
	name     string
	mtime    int64 // nanoseconds
	inode    uint64
	more     *more
	size     int32 // unread: ask again
	priority int32
	state    state
}

const unread = -1

// more is what few entries need. It is never changed, only replaced.
type more struct {
	after       []string
	notBefore   time.Time
	faults      []task.Fault
	warned      string    // the code of the last warning
	first, last time.Time // half: when it was first seen so, and last seen to change
}

type state uint8

const (
	gone state = iota
	ready
	half // may still be being written
	bad
	odd // left where it is
)

// sizeOf stops at a size that no task has.
func sizeOf(info fs.FileInfo) int32 { return int32(min(info.Size(), task.MaxBytes+1)) }

func (e entry) is(info fs.FileInfo) bool {
	return e.state != gone && e.size == sizeOf(info) && e.mtime == info.ModTime().UnixNano() && e.inode == fsx.Inode(info)
}

func (e entry) same(o entry) bool {
	return e.size == o.size && e.mtime == o.mtime && e.inode == o.inode
}

// now is e as info shows it, with nothing known of its contents.
func (e entry) now(info fs.FileInfo) entry {
	return entry{name: e.name, size: sizeOf(info), mtime: info.ModTime().UnixNano(), inode: fsx.Inode(info), more: e.more}
}

func (e entry) ready(t task.Task) entry {
	e.state, e.more, e.priority = ready, nil, int32(t.Priority)
	if len(t.After) > 0 || !t.NotBefore.IsZero() {
		e.more = &more{after: t.After, notBefore: t.NotBefore}
	}
	return e
}

func (e entry) bad(faults []task.Fault) entry {
	e.state, e.more = bad, &more{faults: faults}
	return e
}

var nothing more

// rare is more, or nothing.
func (e entry) rare() *more {
	if e.more == nil {
		return &nothing
	}
	return e.more
}

func (e entry) told(code string) bool { return e.rare().warned == code }
