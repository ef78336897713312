package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"looprun.dev/looprun/internal/fsx"
)

const (
	breakersDir = "breakers"
	maxCircuit  = 4 << 20
)

// Breakers are the circuits of all targets, a file each in .loop/breakers. All
// tasks and processes share them: a file is read, changed and replaced under a
// lock of its own, which is held for nothing else. The files are no truth about
// a task and are not fsynced; what a power cut damages is set aside.
type Breakers struct {
	loop *fsx.Dir
	// Warn is told of a file that could not be read and counts as closed.
	Warn func(text string)
}

// NewBreakers are those of a .loop directory. No lock but their own is needed.
func NewBreakers(loop *fsx.Dir) *Breakers { return &Breakers{loop: loop, Warn: func(string) {}} }

// Look is the circuit of a target as it is now. It changes no file.
func (b *Breakers) Look(t Target) (Circuit, error) {
	data, err := b.loop.Read(breakersDir+"/"+t.Stem()+".json", maxCircuit)
	if missing(err) {
		return t.circuit(), nil
	}
	c, ok := parseCircuit(data, t)
	if err == nil && ok {
		return c, nil
	}
	if ioFailed(err) {
		return c, fmt.Errorf("look at breaker of %s: %w", t, err)
	}
	return b.Change(t, func(c Circuit) Circuit { return c }) // sets it aside
}

// ioFailed tells a file that can't be read at all from one that is no circuit.
func ioFailed(err error) bool {
	return err != nil && !errors.Is(err, fsx.ErrTooLarge) && !errors.Is(err, fsx.ErrNotRegular)
}

func (t Target) circuit() Circuit {
	return Circuit{Schema: circuitSchema, Target: t.String(), State: PhaseClosed}
}

// parseCircuit reads a file; false where it is not one of the target.
func parseCircuit(data []byte, t Target) (Circuit, bool) {
	var c Circuit
	err := json.Unmarshal(data, &c)
	if err != nil || c.Schema != circuitSchema || c.Target != t.String() || !c.sound() {
		return t.circuit(), false
	}
	return c, true
}

// longest bounds how long a circuit can be open: no target's own time that is
// further ahead is believed.
const longest = 10 * 24 * time.Hour

func (c Circuit) sound() bool {
	known, open := c.State == PhaseClosed || c.State == PhaseOpen, c.Until.Sub(c.Opened)
	return known && c.Times >= 0 && c.InARow >= 0 && c.Probes >= 0 && c.Dearest >= 0 && open >= 0 && open <= longest
}

// Change replaces the circuit of a target by what change makes of it, and
// returns the new one. Nobody else changes it in between.
func (b *Breakers) Change(t Target, change func(Circuit) Circuit) (Circuit, error) {
	dir, err := within(b.loop, breakersDir)
	if err != nil {
		return Circuit{}, fmt.Errorf("change breaker of %s: %w", t, err)
	}
	defer dir.Close()
	lock, err := lockCircuit(dir, t)
	if err != nil {
		return Circuit{}, fmt.Errorf("change breaker of %s: %w", t, err)
	}
	defer lock.Close()
	c, err := b.change(dir, t, change)
	if err != nil {
		return c, fmt.Errorf("change breaker of %s: %w", t, err)
	}
	return c, nil
}

// lockPatience bounds the wait for a lock that is never held for long.
const lockPatience = 10 * time.Second

// lockCircuit takes the lock of a target. Its file is empty and stays: a second
// one under the same name would be another lock.
func lockCircuit(dir *fsx.Dir, t Target) (*flock.Flock, error) {
	path := filepath.Join(dir.Path(), t.Stem()+".lock")
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	if held, err := lock.TryLockContext(ctx, 2*time.Millisecond); err != nil || !held {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), lock.Close())
	}
	return lock, nil
}

func (b *Breakers) change(dir *fsx.Dir, t Target, change func(Circuit) Circuit) (Circuit, error) {
	name := t.Stem() + ".json"
	data, err := dir.Read(name, maxCircuit)
	c, ok := parseCircuit(data, t)
	switch {
	case missing(err):
	case ioFailed(err):
		return c, err
	case err != nil || !ok:
		as := aside(dir, name+".damaged")
		if err := dir.Move(name, dir, as); err != nil {
			return c, err
		}
		b.Warn(fmt.Sprintf("the breaker of %s could not be read: it is set aside as %s and counts as closed", t, as))
	}
	after := change(c)
	was, err1 := encodeView(c)
	now, err2 := encodeView(after)
	if err := errors.Join(err1, err2); err != nil || bytes.Equal(was, now) {
		return after, err
	}
	// The holder of the instance lock may sweep the temporary file: see publish.
	if err = dir.View(name, now); missing(err) {
		err = dir.View(name, now)
	}
	return after, err
}

// Sweep removes what dead processes left of files that they were writing. Only
// the holder of the instance lock may call it.
func (b *Breakers) Sweep() error {
	dir, err := b.loop.Sub(breakersDir)
	if missing(err) {
		return nil
	}
	if err == nil {
		defer dir.Close()
		_, err = dir.SweepTemps()
	}
	if err != nil {
		return fmt.Errorf("sweep breakers: %w", err)
	}
	return nil
}

// List is every circuit that has a file, by target, and the names of the files
// that are none. It changes nothing.
func (b *Breakers) List() (all []Circuit, damaged []string, err error) {
	dir, err := b.loop.Sub(breakersDir)
	if missing(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list breakers: %w", err)
	}
	defer dir.Close()
	names, err := dir.Names()
	if err != nil {
		return nil, nil, fmt.Errorf("list breakers: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		stem, ok := strings.CutSuffix(name, ".json")
		if !ok {
			continue
		}
		var c Circuit
		data, err := dir.Read(name, maxCircuit)
		if err != nil || json.Unmarshal(data, &c) != nil || c.Schema != circuitSchema || c.Of().Stem() != stem || !c.sound() {
			damaged = append(damaged, name)
			continue
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(x, y Circuit) int { return strings.Compare(x.Target, y.Target) })
	return all, damaged, nil
}

// Of is the target that the circuit is of.
func (c Circuit) Of() Target {
	scope, name, _ := strings.Cut(c.Target, " ")
	return Target{Scope: scope, Name: name}
}

// Reset closes the circuit of the target of that name and forgets its failures
// and retries. It reports false where there is none of the name.
func (b *Breakers) Reset(name string) (bool, error) {
	all, _, err := b.List()
	if err != nil {
		return false, err
	}
	for _, c := range all {
		if t := c.Of(); c.Target == name || t.Stem() == name {
			_, err := b.Change(t, func(c Circuit) Circuit {
				fresh := t.circuit()
				fresh.Probes, fresh.Dearest = c.Probes, c.Dearest
				return fresh
			})
			return true, err
		}
	}
	return false, nil
}
