package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/task"
)

func write(t *testing.T, data string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "loop.yaml")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // after the write: no mask takes bits away
		t.Fatal(err)
	}
	return path
}

func TestLoadReadsAFile(t *testing.T) {
	path := write(t, Example, 0o644)
	c, faults, err := Load(path)
	if err != nil || len(faults) > 0 || c.Dir != filepath.Dir(path) || len(c.Verification.Profiles) != 1 {
		t.Errorf("Load = %+v, %v, %v; want the example", c, faults, err)
	}
}

func TestLoadTellsFaultsByTheFileAsNamed(t *testing.T) {
	path := write(t, "queue: {concurrency: 0}\n"+enough(""), 0o644)
	_, faults, err := Load(path)
	if want := path + ":1:22: queue.concurrency: must be from 1 to 256, is 0"; err != nil || len(faults) != 1 || faults[0].String() != want {
		t.Errorf("Load = %v, %v; want %s", faults, err, want)
	}
}

func TestRow59AMissingFilePrintsAnExample(t *testing.T) {
	_, faults, err := Load(filepath.Join(t.TempDir(), "loop.yaml"))
	if err != nil || len(faults) != 1 || faults[0].Code != task.CodeMissingFile || !strings.Contains(faults[0].Msg, Example) {
		t.Errorf("Load = %v, %v; want a fault with an example", faults, err)
	}
}

func TestRow71ALargeFileIsNotReadToItsEnd(t *testing.T) {
	path := write(t, "", 0o644)
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Fatal(err)
	}
	_, faults, err := Load(path)
	if err != nil || len(faults) != 1 || faults[0].Code != task.CodeTooLarge {
		t.Errorf("Load = %v, %v; want too_large", faults, err)
	}
}

func TestAFolderIsNoFile(t *testing.T) {
	_, faults, err := Load(t.TempDir())
	if err != nil || len(faults) != 1 || faults[0].Code != task.CodeBadValue {
		t.Errorf("Load = %v, %v; want a fault", faults, err)
	}
}
