package acceptance

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"looprun.dev/looprun/internal/fsx/fsxtest"
)

var allSizes = flag.Bool("sizes.all", false, "every size of a disk that fills up, not a sample")

// A disk that fills up, by pages or by files, stops looprun at one place after
// another. No task leaves its stage for it, and once there is room the run
// comes to the same end.
func TestOnADiskThatIsFullNothingIsLost(t *testing.T) {
	for what, of := range map[string]struct {
		option string
		unit   int // of the option
		sample int // steps from one size to the next
	}{
		"pages": {"size", 4096, 9},
		"files": {"nr_inodes", 1, 17},
	} {
		t.Run(what, func(t *testing.T) {
			step := of.sample
			if *allSizes {
				step = 1
			}
			stopped := 0
			for room := 1; ; room += step {
				if s := onSmallDisk(t, of.option, of.unit, room); s == 0 {
					break
				}
				stopped++
			}
			if stopped < 3 {
				t.Errorf("the disk was full %d times; want more places than that", stopped)
			}
			fsxtest.Figure(t, stopped, "sizes at which a disk was full")
		})
	}
}

// onSmallDisk runs two tasks with so much room, and then with enough. It gives
// the exit code of the first run.
func onSmallDisk(t *testing.T, option string, unit, room int) (code int) {
	t.Run(fmt.Sprint(room), func(t *testing.T) {
		dir := t.TempDir()
		if err := mount(dir, "64m"); err != nil {
			t.Skipf("no file system of a fixed size can be mounted here: %v", err)
		}
		t.Cleanup(func() { _ = unmount(dir) })
		s := newStallIn(t, dir, "isolated", twoRounds, "t1", "t2")
		s.write("repo/loop.yaml", strings.Replace(s.read("repo/loop.yaml"), "disk_floor: 1MiB", "disk_floor: 1KiB", 1))
		s.git("-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qam", "floor")
		s.resize(fmt.Sprintf("%s=%d", option, unit*(s.used(option)+room)))
		cmd, out := s.looprun("run")
		_ = cmd.Run() // the exit code is looked at
		code = cmd.ProcessState.ExitCode()
		for id, stages := range s.stages() {
			if stages == "blocked" || stages == "needs-input" {
				t.Errorf("on a full disk %s went to %s", id, stages)
			}
		}
		s.resize("size=64m,nr_inodes=100000")
		if code != 0 && code != 74 && code != 69 {
			t.Errorf("on a full disk looprun exited with %d:\n%s", code, out)
		}
		if got := s.runAny(); t.Failed() {
			t.Logf("first:\n%s\nthen:\n%s", out, got)
		}
		s.wantEnd(5)
	})
	return code
}

// runAny runs looprun, however it ends.
func (s stall) runAny() string {
	cmd, out := s.looprun("run")
	_ = cmd.Run() // what it comes to is looked at
	return out.String()
}

// used is how much of a disk is taken.
func (s stall) used(option string) int {
	s.t.Helper()
	var fs syscall.Statfs_t
	s.must(syscall.Statfs(s.dir, &fs))
	if option == "size" {
		return int(fs.Blocks - fs.Bfree)
	}
	return int(fs.Files - fs.Ffree)
}

func (s stall) resize(options string) {
	s.t.Helper()
	if err := syscall.Mount("tmpfs", s.dir, "tmpfs", syscall.MS_REMOUNT, options); err != nil {
		s.t.Fatal(os.NewSyscallError("remount", err))
	}
}
