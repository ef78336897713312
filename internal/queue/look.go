package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/task"
)

// What the outside world may be doing to a file.
const (
	settleTime  = 2 * time.Second  // unchanged for so long: nobody writes it any more
	growingTime = 60 * time.Second // told after so long
	maxBadReads = 3                // errors of the disk in a row that end the work
)

// look finds out what a file is; was is what it was the last time.
func (s *scan) look(was entry) (entry, error) {
	if sortOf(was.name) == strange {
		return s.odd(was, WarnStrangeName, "not a name for a task: use [a-z0-9._-] and .json"), nil
	}
	info, err := s.dirs[task.Inbox].Lstat(was.name)
	if errors.Is(err, fs.ErrNotExist) {
		return entry{}, nil
	}
	if err != nil {
		return s.unread(was, err)
	}
	// What was left may be taken up by now: its other name may be gone.
	if was.is(info) && was.state != odd && (was.state != half || s.now.Sub(was.rare().last) < settleTime) {
		return was, nil
	}
	e := was.now(info)
	switch {
	case !info.Mode().IsRegular():
		return s.odd(e, WarnNotRegular, "not a regular file, but %s: left where it is", describe(info.Mode())), nil
	case fsx.Links(info) > 1 && s.isMoving(was.name, info):
		return entry{}, nil
	case fsx.Links(info) > 1:
		return s.odd(e, WarnOtherName, "the file has another name: left where it is, copy it to inbox instead"), nil
	case info.Size() > task.MaxBytes:
		return e.bad(faultOf(e.name, task.CodeTooLarge, "%d bytes, a task file has at most %d", info.Size(), int64(task.MaxBytes))), nil
	}
	return s.readEntry(e, was)
}

// isMoving tells a file that a claim is moving at this moment, as one who only
// looks may see it.
func (s *scan) isMoving(name string, info fs.FileInfo) bool {
	for _, stage := range task.Stages[1:] {
		if there, err := s.has(stage, name); err == nil && there != nil && os.SameFile(there, info) {
			return true
		}
	}
	return false
}

func describe(mode fs.FileMode) string {
	switch mode.Type() {
	case fs.ModeDir:
		return "a directory"
	case fs.ModeSymlink:
		return "a link"
	case fs.ModeNamedPipe:
		return "a pipe"
	case fs.ModeSocket:
		return "a socket"
	}
	return "a device"
}

func (s *scan) readEntry(e, was entry) (entry, error) {
	data, err := s.read(s.dirs[task.Inbox], e.name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fsx.ErrNotRegular):
		return entry{}, nil // it changed under our eyes: the next scan tells
	case errors.Is(err, fsx.ErrTooLarge):
		return e.bad(tooLarge(e.name)), nil
	case errors.Is(err, fs.ErrPermission):
		return e.bad(unreadable(e.name)), nil
	case err != nil:
		return s.unread(e, err)
	}
	s.badReads = 0
	t, faults := parse(data, stem(e.name), s.known)
	switch {
	case task.IsPartial(faults) && !(was.state == half && was.same(e)):
		return s.half(e, was), nil
	case len(faults) > 0:
		return e.bad(faults), nil
	case s.used != nil && s.used(t.ID):
		return e.bad(faultOf(e.name, CodeIDUsed, "id already used: a task %q was claimed before", t.ID)), nil
	}
	return e.ready(t), nil
}

// parse reads a task file and gives what speaks against starting it.
func parse(data []byte, stem string, known func(task.Task) []task.Fault) (task.Task, []task.Fault) {
	t, faults := task.Parse(data, stem)
	if len(faults) == 0 && known != nil {
		faults, _ = task.Split(known(t))
		faults = task.Locate(data, faults)
	}
	return t, faults
}

// unread leaves a file that the disk does not give. One bad file is no reason
// to stop; several in a row are a dying disk.
func (s *scan) unread(e entry, err error) (entry, error) {
	if s.badReads++; s.badReads >= maxBadReads {
		return entry{}, fmt.Errorf("read inbox: %d errors in a row: %w", s.badReads, err)
	}
	e.size = unread
	return s.odd(e, WarnReadError, "cannot be read: %v", err), nil
}

// half notes a file that may still be being written, and tells once if that
// never ends.
func (s *scan) half(e, was entry) entry {
	since := s.now
	if was.state == half {
		since = was.rare().first
	}
	told := e.told(WarnGrowing)
	e.state = half
	e.more = &more{first: since, last: s.now, warned: e.rare().warned}
	if s.now.Sub(since) >= growingTime && !told {
		e.more.warned = WarnGrowing
		s.warn(e.name, WarnGrowing, "still being written after %v: left where it is", s.now.Sub(since).Round(time.Second))
	}
	return e
}

// odd leaves a file where it is, and says so once.
func (s *scan) odd(e entry, code, format string, args ...any) entry {
	told := e.told(code)
	e.state = odd
	e.more = &more{warned: code}
	if !told {
		s.warn(e.name, code, format, args...)
	}
	return e
}
