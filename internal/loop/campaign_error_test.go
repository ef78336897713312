package loop_test

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/round"
)

var errnos = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EROFS, syscall.EDQUOT}

// An error at a change is told and loses nothing: the next run comes to the
// same end. The short form goes through the errors in turn, place by place.
func TestCampaignOfErrors(t *testing.T) {
	campaign{sample: 6}.run(t, "errors", func(f field, c calm, n int) {
		f.breaks(once(errnos[n%len(errnos)], n), c)
	})
}

// Every error at every change, once and from then on, and writes that end
// after nothing, one byte and half.
func TestCampaignOfEveryError(t *testing.T) {
	if !atLeast("long") {
		t.Skip("in the long form")
	}
	all := map[string]func(n int) *fault{}
	for _, errno := range errnos {
		all[errno.Error()+" once"] = func(n int) *fault { return once(errno, n) }
		all[errno.Error()+" from then on"] = func(n int) *fault { return ever(errno, n) }
	}
	for name, size := range map[string]func(int) int{
		"nothing": func(int) int { return 0 }, "one byte": func(int) int { return 1 }, "half": func(n int) int { return n / 2 },
	} {
		all["a short write of "+name] = func(n int) *fault { return short(size, n) }
	}
	for _, how := range slices.Sorted(maps.Keys(all)) {
		t.Run(strings.ReplaceAll(how, " ", "-"), func(t *testing.T) {
			places := campaign{sample: 1}
			if strings.Contains(how, "short") {
				places.at = func(op fsx.Op) bool { return op.Kind == fsx.OpWrite }
			}
			places.run(t, "errors", func(f field, c calm, n int) { f.breaks(all[how](n), c) })
		})
	}
}

// breaks runs the scenario on a disk with a fault, and then on a good one.
func (f field) breaks(disk *fault, c calm) {
	f.t.Helper()
	watching := &listener{}
	err := f.play(playing{seam: disk, observer: watching, ended: func(p loop.Pass) {
		for _, left := range p.Left { // as a tree that could not be reset
			watching.Warn(left.Detail)
		}
	}})
	if len(disk.met) == 0 { // git's own timing may take one change more or less
		return
	}
	op := disk.met[0]
	what := fmt.Sprintf("%s at %s (%v)", disk.name, told(op), err)
	if err == nil && !harmless(op) && !watching.warnedOf(disk.errno) {
		f.t.Errorf("%s: it is told nowhere", what)
	}
	if isSync(op) && !errors.Is(err, fsx.ErrSync) {
		f.t.Errorf("%s: want ErrSync", what)
	}
	f.goOn(what, c, 1)
}

// A listener keeps what it is warned of.
type listener struct {
	mu   sync.Mutex
	text []string
}

func (l *listener) Recorded(round.State, round.Event) {}

func (l *listener) Quarantined(_, _ string, faults []string) { l.Warn(strings.Join(faults, " ")) }

func (l *listener) Warn(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, text)
}

func (l *listener) warnedOf(errno syscall.Errno) bool {
	return slices.ContainsFunc(l.text, func(s string) bool { return strings.Contains(s, errno.Error()) })
}

// A fault is a disk on which some changes fail.
type fault struct {
	fsxtest.Recorder
	name  string
	errno syscall.Errno
	met   []fsx.Op // those that did
}

func failing(name string, errno syscall.Errno, when func(n int, op fsx.Op) error) *fault {
	f := &fault{name: name, errno: errno}
	f.Break = func(n int, op fsx.Op) error {
		err := when(n, op)
		if err != nil {
			f.met = append(f.met, op)
		}
		return err
	}
	return f
}

func once(errno syscall.Errno, at int) *fault {
	return failing(errno.Error()+" once", errno, func(n int, _ fsx.Op) error {
		if n == at {
			return errno
		}
		return nil
	})
}

// ever fails from then on. A full disk and a used up quota still let go of
// files and make durable what is there.
func ever(errno syscall.Errno, at int) *fault {
	full := errno == syscall.ENOSPC || errno == syscall.EDQUOT
	return failing(errno.Error()+" from then on", errno, func(n int, op fsx.Op) error {
		if n >= at && (!full || takesRoom(op)) {
			return errno
		}
		return nil
	})
}

// short lets a write end early, as on a disk that fills up.
func short(size func(int) int, at int) *fault {
	return failing("a short write", syscall.ENOSPC, func(n int, op fsx.Op) error {
		if n == at && op.Kind == fsx.OpWrite {
			return &fsx.Short{N: size(len(op.Data)), Err: syscall.ENOSPC}
		}
		return nil
	})
}

// harmless tells the changes that bear failing: a file that is to go is swept
// later, and the stamps of a tree spare work, no more. What is to be stamps one
// can only tell from the name that it gets.
func harmless(op fsx.Op) bool {
	inTree := filepath.Base(filepath.Dir(filepath.Dir(op.Path))) == "trees"
	return op.Kind == fsx.OpUnlink || inTree && (op.To == "" || filepath.Ext(op.To) == ".stamps")
}

// takesRoom tells the changes that fail on a full disk.
func takesRoom(op fsx.Op) bool {
	return slices.Contains([]string{fsx.OpCreate, fsx.OpWrite, fsx.OpMkdir, fsx.OpLink}, op.Kind)
}

func isSync(op fsx.Op) bool {
	return slices.Contains([]string{fsx.OpSync, fsx.OpSyncDir, fsx.OpSyncAll}, op.Kind)
}

func told(op fsx.Op) string {
	return op.Kind + " " + filepath.Join(filepath.Base(filepath.Dir(op.Path)), filepath.Base(op.Path))
}
