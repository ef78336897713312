package acceptance

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"looprun.dev/looprun/acceptance/faults"
)

// A real file system loses its power at a system call: what the kernel had not
// been made to write is gone. What had been said holds, and the next run comes
// to the same end.
func TestWhenTheFileSystemLosesPowerWhatWasSaidHolds(t *testing.T) {
	if err := canCutPower(t); err != nil {
		t.Skipf("no file system can be shut down here: %v", err)
	}
	atCalls(t, "power cuts of a real file system (ext4)", 10, anyone, func(t *testing.T, c faults.Call) {
		d := newDrive(t)
		s := d.stall()
		_, out, err := s.supervisedIn(d.mount, func(now faults.Call) faults.Order {
			if now.N == c.N {
				d.cut()
			}
			return faults.Order{Kill: now.N == c.N, Tree: true}
		})
		d.restart()
		s.t.Logf("power cut before %v: %v", c, err)
		for _, id := range []string{"t1", "t2"} {
			if strings.Contains(out, id+"  done ") && s.stages()[id+".json"] != "done" {
				s.t.Errorf("%s was said to be done; it is in %q", id, s.stages()[id+".json"])
			}
			if strings.Contains(out, id+" handed over as branch") {
				s.git("rev-parse", "--verify", "--quiet", "looprun/"+id)
			}
		}
		s.run(0, "run")
		s.wantEnd(4)
	})
}

// The power goes as soon as looprun has said that all is done. Then it is; and
// had no fsync been made, the file system would show it: these tests see one
// that is missing.
func TestDoneIsDurableWhenItIsSaid(t *testing.T) {
	if err := canCutPower(t); err != nil {
		t.Skipf("no file system can be shut down here: %v", err)
	}
	for name, skips := range map[string]bool{"with its fsyncs": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			d := newDrive(t)
			s := d.stall()
			_, out, err := s.supervisedIn(d.mount, func(c faults.Call) faults.Order {
				return faults.Order{Skip: skips && strings.Contains(c.Name, "sync")}
			})
			d.cut()
			d.restart()
			said := strings.Count(out, "  done ")
			kept := s.stages()["t1.json"] == "done" && s.stages()["t2.json"] == "done"
			if err != nil || said != 2 || kept == skips {
				t.Errorf("%d tasks were said to be done (%v); both are: %v", said, err, kept)
			}
		})
	}
}

// A drive is an ext4 file system in a file.
type drive struct {
	t          *testing.T
	dir, mount string
}

func newDrive(t *testing.T) *drive {
	t.Helper()
	dir := t.TempDir()
	d := &drive{t, dir, filepath.Join(dir, "disk")}
	stall{t, dir}.must(os.Mkdir(d.mount, 0o755), d.command("truncate", "-s", "64M", d.image()),
		d.command("mkfs.ext4", "-q", "-F", d.image()), d.attach())
	t.Cleanup(func() { _ = d.detach() })
	return d
}

func (d *drive) image() string { return filepath.Join(d.dir, "image") }

func (d *drive) attach() error { return d.command("mount", "-o", "loop", d.image(), d.mount) }

func (d *drive) command(argv ...string) error {
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w: %s", argv, err, out)
	}
	return nil
}

// stall lays out the scene with repository and trees on the drive. What the
// agent counts stays outside, where it outlasts the cut.
func (d *drive) stall() stall {
	d.t.Helper()
	s := stall{d.t, d.dir}
	for _, name := range []string{"repo", "state"} {
		s.must(os.Mkdir(filepath.Join(d.mount, name), 0o755), os.Symlink(filepath.Join("disk", name), s.path(name)))
	}
	s = newStallIn(d.t, d.dir, "isolated", twoRounds, "t1", "t2")
	unix.Sync()
	return s
}

// cut turns the file system off without a flush of anything.
func (d *drive) cut() {
	const shutdown, noLogFlush = 0x8004587d, 2
	f, err := os.Open(d.mount)
	if err == nil {
		err = errors.Join(unix.IoctlSetPointerInt(int(f.Fd()), shutdown, noLogFlush), f.Close())
	}
	if err != nil {
		d.t.Error(err)
	}
}

// restart is what a machine does when it has power again, an hour later. It has
// another boot id by then, so that no tree is believed; here the notes of the
// trees go.
func (d *drive) restart() {
	d.t.Helper()
	stall{d.t, d.dir}.must(d.remount())
	notes, err := filepath.Glob(filepath.Join(d.mount, "state/looprun/*/trees/*/ws.json"))
	stall{d.t, d.dir}.must(err)
	for _, note := range notes {
		stall{d.t, d.dir}.must(os.Remove(note))
	}
	ago := time.Now().Add(-time.Hour)
	stall{d.t, d.dir}.must(filepath.WalkDir(filepath.Join(d.mount, "repo/.git"), func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".lock") {
			err = errors.Join(err, os.Chtimes(path, ago, ago))
		}
		return err
	}))
}

// remount gives a file system that works. A process that was killed may be
// dying still, with mounts of its own: until it is gone, the system hands the
// file system out again that was shut down.
func (d *drive) remount() error {
	for try := 0; ; try++ {
		if err := errors.Join(d.detach(), d.attach()); err != nil {
			return err
		}
		up := filepath.Join(d.mount, "up")
		err := errors.Join(os.WriteFile(up, nil, 0o600), os.Remove(up))
		if err == nil || try == 100 {
			return err
		}
		time.Sleep(10 * time.Millisecond) // there is nothing to be told by
	}
}

// detach waits for the last of the processes that were killed there.
func (d *drive) detach() error {
	var err error
	for range 500 {
		if err = unix.Unmount(d.mount, 0); err != unix.EBUSY {
			return err
		}
		time.Sleep(10 * time.Millisecond) // there is nothing to be told by
	}
	return err
}

// canCutPower tries it once.
func canCutPower(t *testing.T) error {
	for _, tool := range []string{"mkfs.ext4", "mount", "truncate"} {
		if _, err := exec.LookPath(tool); err != nil {
			return err
		}
	}
	if os.Geteuid() != 0 {
		return errors.New("only root mounts")
	}
	dir := t.TempDir()
	d := &drive{t, dir, filepath.Join(dir, "disk")}
	err := errors.Join(os.Mkdir(d.mount, 0o755), d.command("truncate", "-s", "16M", d.image()), d.command("mkfs.ext4", "-q", "-F", d.image()))
	if err == nil {
		err = d.attach()
	}
	if err != nil {
		return err
	}
	return errors.Join(d.tryCut(), d.detach())
}

func (d *drive) tryCut() error {
	d.cut()
	if err := os.WriteFile(filepath.Join(d.mount, "late"), nil, 0o600); !errors.Is(err, unix.EIO) {
		return fmt.Errorf("after the cut a file could be made: %v", err)
	}
	return nil
}
