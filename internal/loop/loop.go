// Package loop is the host of the core for files and processes: it claims,
// plays each task's rounds, and leaves every file where it belongs. It owns the
// clock and the order in which things touch the world; it decides nothing about
// a task.
package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/workspace"
)

// The folders beside loop.yaml.
const (
	TasksDir = "tasks"
	LoopDir  = ".loop"
)

// Options are what a Loop is opened with. The zero value of each field but
// Config and Version is usable.
type Options struct {
	Config   config.Config
	Environ  []string // of looprun itself; nothing of it is inherited unnamed
	Version  string
	Observer Observer
	Now      func() time.Time
	Draw     func() float64 // random, in [0,1)
	Seam     fsx.Seam
	Patience time.Duration // how long to try for the lock; 0 is a second
	HookTime time.Duration // what a hook may take, and a webhook; 0 is half a minute
	Landlock func() int    // the version that the kernel has; nil: it is asked
	Records  string        // the directory of the records, for Steps without a queue; "": .loop beside loop.yaml
}

// An Observer is told what happens while it happens. Its methods are called by
// several goroutines, and what it does never changes the fate of a task.
type Observer interface {
	// Recorded is called after e became durable; s is the state after it.
	Recorded(s round.State, e round.Event)
	// Quarantined is called for a file that cannot be a task.
	Quarantined(name, as string, faults []string)
	// Warn is called for what a person should know and nobody has to act on.
	Warn(text string)
}

// A Loop holds the lock of .loop from Open to Close.
type Loop struct {
	opts     Options
	cfg      config.Config
	store    *record.Store
	lock     *record.Lock
	queue    *queue.Queue
	breakers *record.Breakers
	accounts *record.Accounts // from the first pass on
	spaces   []*workspace.Space

	sandbox sandbox
	secrets []string // nil: not looked for yet

	exporting sync.Mutex // of metrics
	exported  time.Time  // when they were written last
}

// Open takes the lock, opens the queue and the records, and finds the user's
// repository. The error is record.ErrBusy while another instance runs.
func Open(ctx context.Context, o Options) (*Loop, error) {
	l := &Loop{opts: o.withDefaults(), cfg: o.Config}
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Draw == nil {
		o.Draw = rand.Float64
	}
	if o.Observer == nil {
		o.Observer = silent{}
	}
	if o.Landlock == nil {
		o.Landlock = child.Landlock
	}
	if o.Patience == 0 {
		o.Patience = time.Second
	}
	if o.HookTime == 0 {
		o.HookTime = hookTime
	}
	return o
}

func (l *Loop) open(ctx context.Context) (err error) {
	if err := l.decideSandbox(); err != nil {
		return err
	}
	seam := l.seam()
	if l.store, err = record.Open(cmp.Or(l.opts.Records, filepath.Join(l.cfg.Dir, LoopDir)), seam...); err != nil {
		return err
	}
	if l.lock, err = record.Acquire(ctx, l.store.Loop(), l.owner(), l.opts.Patience); err != nil {
		return err
	}
	l.breakers = record.NewBreakers(l.store.Loop())
	l.breakers.Warn = func(text string) { l.warn("%s", text) }
	if l.opts.Records == "" { // else another engine has the queue
		if l.queue, err = queue.Open(filepath.Join(l.cfg.Dir, TasksDir), seam...); err != nil {
			return err
		}
	}
	return l.furnish(ctx)
}

// furnish makes ready what follows from loop.yaml for the processes of tasks.
// The sandbox was decided on before.
func (l *Loop) furnish(ctx context.Context) error {
	l.fillCaches()
	l.secrets = l.findSecrets()
	if err := l.openSpaces(ctx); err != nil {
		return err
	}
	return l.openSandbox()
}

// openSpaces opens a tree for each task that may be under way at once.
func (l *Loop) openSpaces(ctx context.Context) error {
	for slot := range l.cfg.Queue.Concurrency {
		space, err := workspace.Open(ctx, l.spaceOptions(slot))
		if err != nil {
			return err
		}
		l.spaces = append(l.spaces, space)
	}
	return nil
}

func (l *Loop) seam() []fsx.Seam {
	if l.opts.Seam == nil {
		return nil
	}
	return []fsx.Seam{l.opts.Seam}
}

func (l *Loop) owner() record.Owner {
	host, _ := os.Hostname()
	return record.Owner{PID: os.Getpid(), Host: host, Started: l.opts.Now().UTC()}
}

// Close lets the next instance in.
func (l *Loop) Close() error {
	var errs []error
	if l.queue != nil {
		errs = append(errs, l.queue.Close())
	}
	if l.lock != nil {
		errs = append(errs, l.lock.Release())
	}
	if l.store != nil {
		errs = append(errs, l.store.Close())
	}
	return errors.Join(errs...)
}

func (l *Loop) spaceOptions(slot int) workspace.Options {
	w := l.cfg.Workspace
	o := workspace.Options{
		Repo: l.cfg.Dir, Loop: l.store.Path(), Base: w.Base, InPlace: w.Mode == config.InPlace, Slot: slot,
		Share: w.Share, Env: l.environ(l.cfg.Verification.Env), Seam: l.opts.Seam,
		Ignore: []string{TasksDir, LoopDir},
	}
	if w.Dir != "" {
		o.Dir = l.cfg.Resolve(w.Dir)
	}
	for _, s := range w.Setup {
		o.Setup = append(o.Setup, workspace.Setup{Run: s.Run, Inputs: s.Inputs, Timeout: s.Timeout.Std()})
	}
	return o
}

// stateDir is where looprun keeps what belongs to this .loop but must be
// within a generator's reach: the exchange folders and the caches of checks.
func (l *Loop) stateDir() string {
	return filepath.Join(l.stateRoot(), "by-loop", l.key())
}

// key tells this .loop from all others.
func (l *Loop) key() string { return record.Digest([]byte(l.store.Path()))[:16] }

// stateRoot holds the same of all folders that looprun works in, and the trees.
func (l *Loop) stateRoot() string { return StateRoot(l.cfg, l.getenv) }

// Reader looks at the same records.
func (l *Loop) Reader() (*record.Reader, error) { return record.NewReader(l.store.Path()) }

// silent is the observer of a loop that nobody watches.
type silent struct{}

func (silent) Recorded(round.State, round.Event)         {}
func (silent) Quarantined(name, as string, all []string) {}
func (silent) Warn(string)                               {}

func (l *Loop) warn(format string, args ...any) {
	l.opts.Observer.Warn(fmt.Sprintf(format, args...))
}
