//go:build unix

package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"looprun.dev/looprun/internal/child"
)

// stage ID NAME fails unless the file of a task stands in the stage NAME and in
// no other. The NAME nowhere means none at all.
func stage(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: stage ID NAME")
	}
	found := []string{}
	for _, dir := range []string{"inbox", "processing", "done", "blocked", "needs-input"} {
		if _, err := os.Lstat(ts.MkAbs(filepath.Join("tasks", dir, args[0]+".json"))); err == nil {
			found = append(found, dir)
		}
	}
	if got := strings.Join(found, " "); got != strings.TrimPrefix(args[1], "nowhere") {
		ts.Fatalf("%s is in %q; want %s", args[0], got, args[1])
	}
}

// nowhere TEXT [DIR...] fails if a file below the directories has the text, in
// its name or in its bytes. Without directories it looks through .loop and
// the folder of work trees.
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: nowhere TEXT [DIR...]")
	}
	dirs := args[1:]
	if len(dirs) == 0 {
		dirs = []string{".loop", ts.Getenv("XDG_STATE_HOME")}
	}
	where := ""
	for _, dir := range dirs {
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if strings.Contains(string(data), args[0]) || strings.Contains(path, args[0]) {
				where += path + "\n"
			}
			return err
		}))
	}
	if (where != "") != neg {
		ts.Fatalf("%q is in:\n%s", args[0], where)
	}
}

// fifo PATH makes a named pipe.
func fifo(ts *testscript.TestScript, _ bool, args []string) {
	for _, path := range args {
		ts.Check(syscall.Mkfifo(ts.MkAbs(path), 0o644))
	}
}

// await PATH [TEXT] waits until a file is there and has the text.
func await(ts *testscript.TestScript, _ bool, args []string) {
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(data), strings.Join(args[1:], " ")) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("waited in vain for %s: %v\n%s", strings.Join(args, " "), err, data)
		}
	}
}

// full DIR SIZE mounts a file system of a few bytes there. It needs the
// condition [tmpfs].
func full(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(mount(dir, args[1]))
	ts.Defer(func() { _ = unmount(dir) })
}

// condition tells whether the machine lets a script do what it needs.
func condition(name string) (bool, error) {
	switch name {
	case "landlock":
		return child.Landlock() >= child.FilesABI, nil
	case "mounts":
		return child.OwnMounts(), nil
	case "tmpfs":
	default:
		return false, fmt.Errorf("unknown condition %q", name)
	}
	dir, err := os.MkdirTemp("", "looprun-tmpfs-")
	if err != nil {
		return false, err
	}
	defer os.Remove(dir)
	if mount(dir, "64k") != nil {
		return false, nil
	}
	return true, unmount(dir)
}
