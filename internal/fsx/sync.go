package fsx

import (
	"errors"
	"fmt"
	"os"
)

// ErrSync is in every error of a failed fsync. It is final: the kernel may have
// dropped the data and report success when asked again, so nothing is retried,
// and the Dir, its Subs and its Logs change nothing any more.
var ErrSync = errors.New("not durable")

// Sync makes the directory's entries durable.
func (d *Dir) Sync() error {
	err := d.do(Op{Kind: OpSyncDir, Path: d.path}, func() error { return syncDir(d.self) })
	return d.synced("directory", d.path, err)
}

// SyncAll makes everything durable that was written to the directory's file
// system, with one call where the system has one, else as Sync.
func (d *Dir) SyncAll() error {
	err := d.do(Op{Kind: OpSyncAll, Path: d.path}, func() error { return syncAll(d.self) })
	return d.synced("file system of", d.path, err)
}

func (s *shared) syncFile(f *os.File) error {
	err := s.do(Op{Kind: OpSync, Path: f.Name()}, f.Sync)
	return s.synced("file", f.Name(), err)
}

// synced turns the error of an fsync into the end of all writing.
func (s *shared) synced(what, path string, err error) error {
	if err == nil || errors.Is(err, ErrSync) {
		return err
	}
	return s.lose(fmt.Errorf("sync %s %q: %w: %w", what, path, ErrSync, err))
}
