package fsx_test

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"looprun.dev/looprun/internal/fsx"
)

func TestCopyFileKeepsModeAndTime(t *testing.T) {
	s := fsx.Scratch(t.TempDir())
	when := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := errors.Join(s.WriteMode("from", []byte("#!/bin/sh\n"), 0o755), s.Chtimes("from", when), s.CopyFile(s.Path("from"), "to")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.Path("to"))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.ModTime(); !got.Equal(when) {
		t.Errorf("time of the copy = %v; want %v", got, when)
	}
	if got := info.Mode().Perm(); got != 0o755 && runtime.GOOS != "windows" {
		t.Errorf("mode of the copy = %v; want 0755", got)
	}
	if err := s.CopyFile(string(s), "dir"); !errors.Is(err, fsx.ErrNotRegular) {
		t.Errorf("CopyFile of a directory = %v; want ErrNotRegular", err)
	}
}

func TestRemoveAllTakesReadOnlyTrees(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("as root nothing is read-only: only the plain path is shown")
	}
	s := fsx.Scratch(t.TempDir())
	if err := errors.Join(s.MkdirAll("cache/mod"), s.WriteMode("cache/mod/file", nil, 0o400), s.Chmod("cache/mod", 0o500), s.Chmod("cache", 0o500)); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveAll("cache"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(s.Path("cache")); !os.IsNotExist(err) {
		t.Errorf("cache is still there: %v", err)
	}
}
