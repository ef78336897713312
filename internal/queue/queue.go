// Package queue owns the tasks directory: which files in inbox are tasks, which
// of them is next, and the moves between the stages. A task file is in exactly
// one stage; a move that a crash cut in two is completed by Recover.
//
// It must never replace a file, follow a link, open anything but a bounded
// regular file, or lose a file that it cannot use: that goes to blocked, with
// the reason beside it. It knows nothing of journals; whoever does tells it
// through the functions it is given.
package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/task"
)

// ErrUnfit is in the error of Open for a tasks directory that no task could be
// claimed from safely. The message says what a person has to do.
var ErrUnfit = errors.New("unfit for tasks")

// ErrReadOnly is the error of every change through a Queue of Peek.
var ErrReadOnly = errors.New("opened to be looked at only")

// A Queue is an open tasks directory. One process at a time may have it open
// with Open, under the instance lock; Add alone needs no lock. Its methods may
// be called by many goroutines.
type Queue struct {
	path     string
	seam     []fsx.Seam
	readOnly bool
	read     func(d *fsx.Dir, name string) ([]byte, error)

	mu    sync.Mutex
	root  *fsx.Dir
	dirs  map[task.Stage]*fsx.Dir // a stage that is not there has none
	seen  []entry                 // what the last Scan found, by name
	stuck map[string]*patience    // files that could not be moved
	known func(task.Task) []task.Fault
	now   time.Time // of the last Scan

	listed time.Time // when inbox had been changed last before it was listed
	kept   *kept     // nil: inbox has to be scanned

	badReads  int   // in a row
	unfit     error // why inbox cannot be used, nil if it can
	toldUnfit bool
}

// Open opens the tasks directory at root and makes the stages that are not
// there, but for inbox: where that is missing, somebody expects tasks to
// arrive elsewhere.
func Open(root string, seam ...fsx.Seam) (*Queue, error) {
	q := newQueue(root, seam)
	if err := q.refresh(); err != nil {
		q.Close()
		return nil, err
	}
	if q.unfit != nil {
		q.Close()
		return nil, q.unfit
	}
	return q, nil
}

// Make makes the tasks directory at root with every stage, durably, where they
// are not there already.
func Make(root string, seam ...fsx.Seam) error {
	d, err := fsx.MkdirAll(root, seam...)
	if err != nil {
		return fmt.Errorf("make tasks directory: %w", err)
	}
	defer d.Close()
	var names []string
	for _, stage := range task.Stages {
		names = append(names, string(stage))
	}
	if err := d.Mkdirs(names...); err != nil {
		return fmt.Errorf("make tasks directory: %w", err)
	}
	return nil
}

// Peek opens the tasks directory at root to be looked at: nothing is made,
// moved or swept, what is missing is empty, and no lock is needed.
func Peek(root string) (*Queue, error) {
	q := newQueue(root, nil)
	q.readOnly = true
	err := q.refresh()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		q.Close()
		return nil, err
	}
	return q, nil
}

func newQueue(root string, seam []fsx.Seam) *Queue {
	return &Queue{path: root, seam: seam, read: readTask, dirs: map[task.Stage]*fsx.Dir{}, stuck: map[string]*patience{}}
}

func readTask(d *fsx.Dir, name string) ([]byte, error) { return d.Read(name, task.MaxBytes) }

// Close lets go of the directories.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closeAll()
}

func (q *Queue) closeAll() error {
	var errs []error
	for stage, d := range q.dirs {
		errs = append(errs, d.Close())
		delete(q.dirs, stage)
	}
	if q.root != nil {
		errs = append(errs, q.root.Close())
		q.root = nil
	}
	return errors.Join(errs...)
}

// Degraded tells whether a file was moved by a rename because the file system
// takes no links.
func (q *Queue) Degraded() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.root != nil && q.root.Degraded()
}
