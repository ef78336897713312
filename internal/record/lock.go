package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"looprun.dev/looprun/internal/fsx"
)

// The lock file is empty and never deleted: a second one under the same name
// would let two instances run. Who holds it stands beside it, for messages.
const (
	lockFile  = "lock"
	ownerFile = "owner.json"
)

// ErrBusy is in the error of Lock while another instance holds it.
var ErrBusy = errors.New("another instance is running")

// An Owner says who holds the lock. It is for messages only; the kernel alone
// knows whether the lock is held.
type Owner struct {
	PID     int       `json:"pid"`
	Boot    string    `json:"boot_id,omitempty"`
	Host    string    `json:"host,omitempty"`
	Started time.Time `json:"started"`
}

// String names the owner in a message.
func (o Owner) String() string {
	if o.PID == 0 {
		return "an unknown process"
	}
	return fmt.Sprintf("pid %d on %s since %s", o.PID, o.Host, o.Started.Local().Format(time.DateTime))
}

// A Lock keeps every other instance out until it is released or its process
// ends, however it ends.
type Lock struct {
	file *flock.Flock
	path string
}

// Acquire takes the lock of the .loop directory, or returns ErrBusy. It tries
// for up to patience: a child of another process may hold the descriptor for
// the moment between fork and exec.
func Acquire(ctx context.Context, loop *fsx.Dir, me Owner, patience time.Duration) (*Lock, error) {
	path := filepath.Join(loop.Path(), lockFile)
	l := &Lock{file: flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600)), path: path}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	held, err := l.file.TryLockContext(limited, 50*time.Millisecond)
	switch {
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("lock %s: %w: %s", path, ErrBusy, ReadOwner(loop))
	case err != nil || !held:
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := l.Check(); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	if me.Boot == "" {
		me.Boot = bootID()
	}
	owner, err := json.Marshal(me)
	if err == nil {
		err = loop.View(ownerFile, append(owner, '\n'))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("name the owner of %s: %w", path, err), l.Release())
	}
	return l, nil
}

// bootID names this boot of the machine, where the system tells.
func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// Check tells whether the file that is locked is still the one under the
// lock's name. If it was replaced, another instance may hold that one.
func (l *Lock) Check() error {
	held, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("check lock %s: %w", l.path, err)
	}
	named, err := os.Stat(l.path)
	if err != nil || !os.SameFile(held, named) {
		return fmt.Errorf("check lock %s: the file was removed or replaced while it was held: stop every looprun, then start again", l.path)
	}
	return nil
}

// Release lets the next instance in.
func (l *Lock) Release() error { return l.file.Close() }

// Held tells whether an instance holds the lock now, and what it said of
// itself. It may be outdated when it returns.
func Held(loop *fsx.Dir) (Owner, bool, error) {
	// Read-only and without O_CREATE: looking makes no file.
	probe := flock.New(filepath.Join(loop.Path(), lockFile), flock.SetFlag(os.O_RDONLY))
	free, err := probe.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return Owner{}, false, nil
	}
	if err != nil {
		return Owner{}, false, fmt.Errorf("look at lock %s: %w", probe.Path(), err)
	}
	return ReadOwner(loop), !free, probe.Close()
}

// ReadOwner is what the last holder of the lock said of itself.
func ReadOwner(loop *fsx.Dir) Owner {
	var o Owner
	if data, err := loop.Read(ownerFile, 64<<10); err == nil && json.Unmarshal(data, &o) != nil {
		return Owner{}
	}
	return o
}
