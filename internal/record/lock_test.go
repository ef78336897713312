package record_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/record"
)

// holdLock is what the test binary does instead of its tests when it is asked
// to hold a lock: until somebody kills it.
const holdLock = "RECORD_TEST_HOLD_LOCK"

func TestMain(m *testing.M) {
	path := os.Getenv(holdLock)
	if path == "" {
		os.Exit(m.Run())
	}
	loop, err := fsx.Open(path)
	if err == nil {
		_, err = record.Acquire(context.Background(), loop, record.Owner{PID: os.Getpid(), Host: "h", Started: noon}, time.Second)
	}
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("held\n")
	select {}
}

// holder starts a process that holds the lock of path.
func holder(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdLock+"="+path)
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || said != "held\n" {
		t.Fatalf("the holder said %q: %v", said, err)
	}
	return cmd
}

func lockDir(t *testing.T) *fsx.Dir {
	t.Helper()
	d, err := fsx.Open(t.TempDir())
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func acquire(loop *fsx.Dir, patience time.Duration) (*record.Lock, error) {
	return record.Acquire(context.Background(), loop, record.Owner{PID: 42, Boot: "b", Host: "here", Started: noon}, patience)
}

func TestOneInstanceHoldsTheLock(t *testing.T) {
	loop := lockDir(t)
	cmd := holder(t, loop.Path())
	_, err := acquire(loop, time.Millisecond)
	if !errors.Is(err, record.ErrBusy) {
		t.Fatalf("Acquire = %v; want ErrBusy", err)
	}
	if owner, held, err := record.Held(loop); err != nil || !held || owner.PID != cmd.Process.Pid {
		t.Errorf("Held = %v, %v, %v; want pid %d", owner, held, err, cmd.Process.Pid)
	}

	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	l, err := acquire(loop, time.Second)
	if err != nil {
		t.Fatalf("after the holder was killed: %v", err)
	}
	if owner := record.ReadOwner(loop); owner.PID != 42 || owner.Boot != "b" || owner.Host != "here" {
		t.Errorf("ReadOwner = %+v; want the new owner", owner)
	}
	must(t, l.Check(), l.Release())
	if _, held, err := record.Held(loop); held || err != nil {
		t.Errorf("after Release: held %v, %v", held, err)
	}
	if _, err := loop.Lstat("lock"); err != nil {
		t.Errorf("the lock file is gone after Release: %v", err)
	}
}

func TestAcquireWaitsAsLongAsItIsTold(t *testing.T) {
	loop := lockDir(t)
	first, err := acquire(loop, time.Second)
	must(t, err)
	got := make(chan error)
	go func() {
		second, err := acquire(loop, time.Minute)
		if err == nil {
			err = second.Release()
		}
		got <- err
	}()
	must(t, first.Release())
	must(t, <-got)
}

func TestAcquireEndsWithItsContext(t *testing.T) {
	loop := lockDir(t)
	holder(t, loop.Path())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := record.Acquire(ctx, loop, record.Owner{}, time.Hour); !errors.Is(err, context.Canceled) || errors.Is(err, record.ErrBusy) {
		t.Errorf("Acquire = %v; want context.Canceled", err)
	}
}

// The kernel alone says whether the lock is held. What owner.json says, of a
// process that has died or of one that has its number by now, hinders nobody.
func TestTheOwnerFileDecidesNothing(t *testing.T) {
	for name, data := range map[string]string{
		"a live process": `{"pid": 1, "boot_id": "now", "host": "here", "started": "2026-12-01T12:00:00Z"}`,
		"garbage":        "\x00\x00{", "nothing": "", "too long": strings.Repeat(" ", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			loop := lockDir(t)
			writeFile(t, data, loop.Path(), "owner.json")
			l, err := acquire(loop, time.Second)
			must(t, err, l.Release())
		})
	}
	if got, want := (record.Owner{}).String(), "an unknown process"; got != want {
		t.Errorf("String = %q; want %q", got, want)
	}
}

// A second lock file under the same name would let two instances run.
func TestAReplacedLockFileIsNoticed(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Remove(path), fsx.Scratch("").WriteFile(path, nil))
		},
		"with its directory": func(path string) error {
			dir := filepath.Dir(path)
			return errors.Join(fsx.Scratch("").Rename(dir, dir+".away"), fsx.Scratch(dir).MkdirAll(""), fsx.Scratch(dir).WriteFile("lock", nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "loop")
			must(t, fsx.Scratch(dir).MkdirAll(""))
			loop, err := fsx.Open(dir)
			must(t, err)
			defer loop.Close()
			l, err := acquire(loop, time.Second)
			must(t, err, l.Check(), replace(filepath.Join(dir, "lock")))
			if err := l.Check(); err == nil || !strings.Contains(err.Error(), "removed or replaced") {
				t.Errorf("Check = %v; want an error that says so", err)
			}
			must(t, l.Release())
		})
	}
}

// To look is to change nothing, whether the lock is held, free or not there.
func TestLookingAtTheLockChangesNothing(t *testing.T) {
	loop := lockDir(t)
	before := stamps(t, loop.Path())
	if _, held, err := record.Held(loop); held || err != nil {
		t.Errorf("Held without a lock file = %v, %v; want false", held, err)
	}
	if diff := cmp.Diff(before, stamps(t, loop.Path())); diff != "" {
		t.Errorf("Held made something (-before +after):\n%s", diff)
	}
	l, err := acquire(loop, time.Second)
	must(t, err)
	before = stamps(t, loop.Path())
	if _, held, err := record.Held(loop); !held || err != nil {
		t.Errorf("Held = %v, %v; want true", held, err)
	}
	must(t, l.Check(), l.Release())
	if _, held, err := record.Held(loop); held || err != nil {
		t.Errorf("Held = %v, %v; want false", held, err)
	}
	if diff := cmp.Diff(before, stamps(t, loop.Path())); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}

func TestTheLockFileStaysEmpty(t *testing.T) {
	loop := lockDir(t)
	l, err := acquire(loop, time.Second)
	must(t, err, l.Release())
	info, err := loop.Lstat("lock")
	must(t, err)
	if info.Size() != 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("lock: %d bytes, mode %v; want none, 0600", info.Size(), info.Mode())
	}
}
