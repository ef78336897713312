package fsx_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"looprun.dev/looprun/internal/fsx"
)

func TestProbeOfDirectoriesOfOneFileSystem(t *testing.T) {
	root := t.TempDir()
	s := fsx.Scratch(root)
	if err := errors.Join(s.MkdirAll("a"), s.MkdirAll("b")); err != nil {
		t.Fatal(err)
	}
	facts, err := fsx.Probe(s.Path("a"), s.Path("b"))
	if err != nil {
		t.Fatal(err)
	}
	if !facts.OneDevice || !facts.Links {
		t.Errorf("Probe = %+v; want one device with links", facts)
	}
	if got := facts.FS; got == "" && runtime.GOOS == "linux" {
		t.Error("Probe gives the file system no name")
	}
	if files := tree(t, root); len(files) != 0 {
		t.Errorf("Probe leaves %v", files)
	}
	if _, err := fsx.Probe(s.Path("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Probe of nothing = %v; want fs.ErrNotExist", err)
	}
}

func TestTwoDevicesAreToldApart(t *testing.T) {
	const shm = "/dev/shm"
	if _, err := os.Stat(shm); err != nil {
		t.Skip("no second file system:", err)
	}
	other, err := fsx.Scratch(shm).MkdirTemp("fsx-test")
	if err != nil {
		t.Skip("no second file system:", err)
	}
	defer other.RemoveAll("")
	root := t.TempDir()
	a, b := open(t, root), open(t, string(other))
	same, err := fsx.SameDevice(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if same {
		t.Skip("the directory for temporary files is on", shm)
	}
	facts, err := fsx.Probe(root, string(other))
	if err != nil || facts.OneDevice {
		t.Errorf("Probe = %+v, %v; want two devices", facts, err)
	}
	if same, err := fsx.SameDevice(a, open(t, filepath.Dir(root))); err != nil || !same {
		t.Errorf("SameDevice of a directory and its parent = %v, %v; want true", same, err)
	}
}

func TestFreeIsSomething(t *testing.T) {
	if n, err := fsx.Free(t.TempDir()); err != nil || n <= 0 {
		t.Errorf("Free = %d, %v; want more than 0", n, err)
	}
}
