package fsx_test

import (
	"errors"
	"fmt"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
)

// A promise is what a change says of the disk: what a power cut may leave at
// any time, and what is there once the change has returned.
type promise struct {
	do   func(top, a, b *fsx.Dir) error
	ever func(d fsxtest.Disk) error // after a cut at any time
	done func(d fsxtest.Disk) error // after a cut once do has returned
}

func holds(d fsxtest.Disk, name string, allowed ...string) error {
	data, ok := d.File(name)
	if !ok {
		data = "nothing"
	}
	for _, a := range allowed {
		if data == a {
			return nil
		}
	}
	return fmt.Errorf("%s holds %q; want one of %q", name, data, allowed)
}

var promises = map[string]promise{
	"create": {
		do:   func(top, a, b *fsx.Dir) error { return a.Create("g", []byte("new contents")) },
		ever: func(d fsxtest.Disk) error { return holds(d, "a/g", "nothing", "new contents") },
		done: func(d fsxtest.Disk) error { return holds(d, "a/g", "new contents") },
	},
	"replace": {
		do:   func(top, a, b *fsx.Dir) error { return a.Replace("f", []byte("new contents")) },
		ever: func(d fsxtest.Disk) error { return holds(d, "a/f", "old", "new contents") },
		done: func(d fsxtest.Disk) error { return holds(d, "a/f", "new contents") },
	},
	"move": {
		do: func(top, a, b *fsx.Dir) error { return a.Move("f", b, "g") },
		ever: func(d fsxtest.Disk) error {
			if holds(d, "a/f", "old") == nil {
				return nil
			}
			return holds(d, "b/g", "old")
		},
		done: func(d fsxtest.Disk) error {
			return errors.Join(holds(d, "b/g", "old"), holds(d, "a/f", "nothing"))
		},
	},
	"log": {
		do: func(top, a, b *fsx.Dir) error {
			l, err := a.Append("log")
			if err != nil {
				return err
			}
			return errors.Join(l.Write([]byte("one\n")), l.Write([]byte("two\n")), l.Close())
		},
		ever: func(d fsxtest.Disk) error {
			return holds(d, "a/log", "nothing", "", "on", "\x00\x00\x00\x00", "one\n", "one\ntw", "one\n\x00\x00\x00\x00", "one\ntwo\n")
		},
		done: func(d fsxtest.Disk) error { return holds(d, "a/log", "one\ntwo\n") },
	},
	"cut log": {
		do: func(top, a, b *fsx.Dir) error {
			l, err := a.Append("f")
			if err != nil {
				return err
			}
			return errors.Join(l.Truncate(1), l.Write([]byte("k\n")), l.Close())
		},
		ever: func(d fsxtest.Disk) error { return holds(d, "a/f", "old", "o", "ok", "o\x00\x00", "ok\n") },
		done: func(d fsxtest.Disk) error { return holds(d, "a/f", "ok\n") },
	},
	"new directory with a file": {
		do: func(top, a, b *fsx.Dir) error {
			if err := top.Mkdir("c"); err != nil {
				return err
			}
			c, err := top.Sub("c")
			if err != nil {
				return err
			}
			return errors.Join(c.Create("x", []byte("new")), c.Close())
		},
		ever: func(d fsxtest.Disk) error { return holds(d, "c/x", "nothing", "new") },
		done: func(d fsxtest.Disk) error { return holds(d, "c/x", "new") },
	},
	"views, then one call for all": {
		do: func(top, a, b *fsx.Dir) error {
			return errors.Join(a.View("g", []byte("new")), b.View("h", []byte("new")), top.SyncAll())
		},
		ever: func(fsxtest.Disk) error { return nil },
		done: func(d fsxtest.Disk) error { return errors.Join(holds(d, "a/g", "new"), holds(d, "b/h", "new")) },
	},
}

// record makes the change and gives the disk before it and what was changed.
func (p promise) record(t *testing.T) (fsxtest.Disk, string, []fsx.Op) {
	t.Helper()
	r := &fsxtest.Recorder{}
	root, top, a, b := stage(t, r)
	before, err := fsxtest.ReadDisk(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.do(top, a, b); err != nil {
		t.Fatal(err)
	}
	return before, root, r.Ops()
}

// broken gives the first promise that a power cut breaks.
func (p promise) broken(before fsxtest.Disk, root string, ops []fsx.Op) error {
	for after, disk := range before.PowerCuts(root, ops) {
		if err := p.ever(disk); err != nil {
			return fmt.Errorf("after %d changes: %w", after, err)
		}
		if after < len(ops) {
			continue
		}
		if err := p.done(disk); err != nil {
			return fmt.Errorf("after the change: %w", err)
		}
	}
	return nil
}

func TestAPowerCutBreaksNoPromise(t *testing.T) {
	for name, p := range promises {
		t.Run(name, func(t *testing.T) {
			before, root, ops := p.record(t)
			if err := p.broken(before, root, ops); err != nil {
				t.Error(err)
			}
			if n := before.Unsynced(root, ops); n > 6 {
				t.Errorf("%d changes are left to chance at once; want at most 6", n)
			}
		})
	}
}

// An fsync that nothing depends on would be waste, and a campaign that does
// not miss one would prove nothing.
func TestEveryFsyncIsNeeded(t *testing.T) {
	needed := 0
	for name, p := range promises {
		t.Run(name, func(t *testing.T) {
			before, root, ops := p.record(t)
			for i := 0; ; i++ {
				rest, at, ok := fsxtest.WithoutSync(ops, i)
				if !ok {
					break
				}
				if err := p.broken(before, root, rest); err == nil {
					t.Errorf("without fsync %d (%s %s) no promise breaks", i, ops[at].Kind, ops[at].Path)
				}
				needed++
			}
		})
	}
	fsxtest.Figure(t, needed, "fsyncs, each proved needed")
}
