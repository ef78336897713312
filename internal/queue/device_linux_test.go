package queue_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"looprun.dev/looprun/internal/queue"
)

// mountOn gives the calling thread alone a mount on a directory of its own.
// The thread ends with its goroutine, and the mount with it.
func mountOn(t *testing.T, source, target, kind string, flags uintptr) {
	t.Helper()
	runtime.LockOSThread() // and never unlocked
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		t.Skip("no mounts of one's own here:", err)
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skip("no private mounts here:", err)
	}
	if err := unix.Mount(source, target, kind, flags, ""); err != nil {
		t.Skip("no mounts here:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(target, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// Row 49. A bind mount has the device number of what it shows, and still no
// file can be moved into it.
func TestAnInboxOnAnotherDeviceIsRefused(t *testing.T) {
	tests := map[string]struct {
		kind  string
		flags uintptr
	}{
		"another file system":           {"tmpfs", 0},
		"the same one, bound elsewhere": {"", unix.MS_BIND},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.must(p.MkdirAll("elsewhere"))
			mountOn(t, p.Path("elsewhere"), p.Path("inbox"), test.kind, test.flags)
			_, err := queue.Open(string(p.Scratch))
			if !errors.Is(err, queue.ErrUnfit) || !strings.Contains(err.Error(), "another device") {
				t.Errorf("Open = %v; want ErrUnfit and the device", err)
			}
		})
	}
}
