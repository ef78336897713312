package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A Log is a file that only grows, a line at a time, each durable. It has one
// writer at a time.
type Log struct {
	*shared
	file *os.File
	err  error
}

// Append opens the file name to append to, and makes it first if need be; its
// entry in the directory is durable before the first line can be.
func (d *Dir) Append(name string) (*Log, error) {
	if err := d.single(name); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	l, err := d.openLog(name)
	if err != nil {
		return nil, named("open log", d, name, err)
	}
	return l, nil
}

func (d *Dir) openLog(name string) (*Log, error) {
	f, err := openAt(d, name, os.O_WRONLY|os.O_APPEND|nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = d.create(name, os.O_WRONLY|os.O_APPEND)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = ErrNotRegular
	case info.Size() == 0: // new, or its maker died before this
		err = d.Sync()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Log{shared: d.shared, file: f}, nil
}

// Write appends line with one write, and returns when it is durable. Any error
// is final, all later calls return it: a part of the line may be in the file,
// and only a reader that starts afresh can tell.
func (l *Log) Write(line []byte) error {
	return l.change("append to", func() error { return l.write(l.file, line) })
}

// Truncate cuts the file to size, durably: for a last line that a crash tore.
func (l *Log) Truncate(size int64) error {
	op := Op{Kind: OpTruncate, Path: l.file.Name(), Size: size}
	return l.change("truncate", func() error {
		return l.do(op, func() error { return l.file.Truncate(size) })
	})
}

func (l *Log) change(verb string, f func() error) error {
	if l.err != nil {
		return l.err
	}
	err := f()
	if err == nil {
		err = l.syncFile(l.file)
	}
	if err != nil && !errors.Is(err, ErrSync) {
		err = fmt.Errorf("%s %q: %w", verb, l.file.Name(), err)
	}
	l.err = err
	return err
}

// Close lets go of the file. Nothing waits in memory.
func (l *Log) Close() error { return l.file.Close() }
