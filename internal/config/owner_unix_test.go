//go:build unix

package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"looprun.dev/looprun/internal/task"
)

func TestRow74AFileThatEveryoneMayWrite(t *testing.T) {
	path := write(t, Example, 0o646)
	_, faults, err := Load(path)
	if err != nil || len(faults) != 1 || faults[0].Code != task.CodeUnsafeFile {
		t.Errorf("Load = %v, %v; want unsafe_file", faults, err)
	}
	if _, faults, err := Load(path, AllowUnsafeFile()); err != nil || len(faults) > 0 {
		t.Errorf("Load with AllowUnsafeFile = %v, %v; want neither", faults, err)
	}
}

func TestAFileThatAGroupMayWrite(t *testing.T) {
	if _, faults, err := Load(write(t, Example, 0o664)); err != nil || len(faults) > 0 {
		t.Errorf("Load = %v, %v; want neither", faults, err)
	}
}

// owned is a file of a given user.
type owned struct {
	fs.FileInfo
	uid uint32
}

func (o owned) Sys() any { return &syscall.Stat_t{Uid: o.uid} }

func TestRow74AFileOfAnotherUser(t *testing.T) {
	info, err := os.Stat(write(t, Example, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	me := uint32(os.Geteuid())
	tests := map[string]struct {
		uid  uint32
		safe bool
	}{
		"one's own":      {me, true},
		"root's":         {0, true},
		"someone else's": {me + 4711, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if why := unsafeFile(owned{info, tt.uid}); (why == "") != tt.safe {
				t.Errorf("unsafeFile = %q; want safe %v", why, tt.safe)
			}
		})
	}
}

func TestAFIFOIsNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loop.yaml")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("this file system has no FIFOs: ", err)
	}
	if _, faults, err := Load(path); err != nil || len(faults) != 1 {
		t.Errorf("Load = %v, %v; want a fault", faults, err)
	}
}

func TestAFileThatCannotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	if _, _, err := Load(write(t, Example, 0)); err == nil {
		t.Error("Load = nil; want an error")
	}
}
