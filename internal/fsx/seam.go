package fsx

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
)

// The kinds of change that a Seam sees.
const (
	OpCreate   = "create"   // a new, empty file
	OpWrite    = "write"    // Data is appended to the file
	OpSync     = "sync"     // fsync of a file
	OpSyncDir  = "syncdir"  // fsync of a directory
	OpSyncAll  = "syncall"  // everything on the file system of the directory
	OpLink     = "link"     // a second name To for the file Path
	OpUnlink   = "unlink"   // the name Path is taken away
	OpRename   = "rename"   // Path becomes To, which is replaced or, by Create and Move, must not exist
	OpMkdir    = "mkdir"    // a new directory
	OpTruncate = "truncate" // the file is cut to Size bytes
)

// An Op is one change, told before it happens. Paths are absolute. Data belongs
// to the writer and is valid only during the call.
type Op struct {
	Kind     string
	Path, To string
	Data     []byte
	Size     int64
}

// A Seam stands before every change. An error from Before takes the place of
// the system call: it is reported as the call's own. Before may panic, as a
// process that dies there.
type Seam interface{ Before(Op) error }

// Short is an error that a Seam returns at a write: the first N bytes reach
// the file, then the write fails with Err.
type Short struct {
	N   int
	Err error
}

func (s *Short) Error() string { return "short write: " + s.Err.Error() }

// Unwrap gives the error that the write ends with.
func (s *Short) Unwrap() error { return s.Err }

// shared is what a Dir has in common with its Subs and Logs.
type shared struct {
	seam     Seam
	degraded atomic.Bool
	mu       sync.Mutex
	lost     error // the first failed fsync
}

// do lets the seam see op, then makes the change. After a failed fsync it
// makes none: what the kernel dropped cannot be told from what it kept.
func (s *shared) do(op Op, change func() error) error {
	if err := s.failed(); err != nil {
		return err
	}
	if s.seam != nil {
		if err := s.seam.Before(op); err != nil {
			return s.refused(op, err)
		}
	}
	return change()
}

// refused dresses a seam's error as the system call's.
func (s *shared) refused(op Op, err error) error {
	if op.To != "" {
		return &os.LinkError{Op: op.Kind, Old: op.Path, New: op.To, Err: err}
	}
	return &fs.PathError{Op: op.Kind, Path: op.Path, Err: err}
}

// write writes data to f whole, or as much of it as a Short allows.
func (s *shared) write(f *os.File, data []byte) error {
	err := s.do(Op{Kind: OpWrite, Path: f.Name(), Data: data}, func() error {
		_, err := f.Write(data)
		return err
	})
	var short *Short
	if errors.As(err, &short) {
		if _, err := f.Write(data[:min(short.N, len(data))]); err != nil {
			return err
		}
	}
	return err
}

func (s *shared) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// lose remembers the first failed fsync and returns it.
func (s *shared) lose(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = err
	}
	return s.lost
}

// Degraded tells whether d, or a Dir that shares its seam, had to do without
// links because the file system refuses them. A power cut may then undo a Move
// or, on a file system that orders nothing, leave neither name.
func (d *Dir) Degraded() bool { return d.degraded.Load() }
