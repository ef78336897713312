package fsxtest

import (
	"testing"

	"looprun.dev/looprun/internal/fsx"
)

// TempDir is t.TempDir in memory where the system has such a place, so that a
// campaign of thousands of runs does not wait for a disk.
func TempDir(t testing.TB) string {
	const memory = "/dev/shm"
	dir, err := fsx.Scratch(memory).MkdirTemp("looprun-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := dir.RemoveAll(""); err != nil {
			t.Error(err)
		}
	})
	return string(dir)
}
