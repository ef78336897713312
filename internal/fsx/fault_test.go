package fsx_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
)

// A scenario is one change and every state of the files that may be seen at
// any instant during it, and after it failed. Temporary files do not count.
type scenario struct {
	do     func(a, b *fsx.Dir) error
	before string
	during []string
	after  string
}

var scenarios = map[string]scenario{
	"create": {
		do:     func(a, b *fsx.Dir) error { return a.Create("g", []byte("new")) },
		before: "a/f=old", after: "a/f=old a/g=new",
	},
	"replace": {
		do:     func(a, b *fsx.Dir) error { return a.Replace("f", []byte("new")) },
		before: "a/f=old", after: "a/f=new",
	},
	"view": {
		do:     func(a, b *fsx.Dir) error { return a.View("f", []byte("new")) },
		before: "a/f=old", after: "a/f=new",
	},
	"move": {
		do:     func(a, b *fsx.Dir) error { return a.Move("f", b, "f") },
		before: "a/f=old", during: []string{"a/f=old b/f=old"}, after: "b/f=old",
	},
	"log": {
		do: func(a, b *fsx.Dir) error {
			l, err := a.Append("log")
			if err != nil {
				return err
			}
			return errors.Join(l.Write([]byte("line")), l.Close())
		},
		before: "a/f=old", during: []string{"a/f=old a/log=", "a/f=old a/log=l", "a/f=old a/log=li"}, after: "a/f=old a/log=line",
	},
}

func (s scenario) allows(state string) bool {
	for _, ok := range append(s.during, s.before, s.after) {
		if ok == state {
			return true
		}
	}
	return false
}

// state is the files under root in one line, but for temporary ones.
func state(t *testing.T, root string) string {
	t.Helper()
	files := tree(t, root)
	var parts []string
	for _, name := range []string{"a/f", "a/g", "a/log", "b/f"} {
		if data, ok := files[name]; ok {
			parts = append(parts, name+"="+data)
		}
	}
	for name := range files {
		if !strings.Contains("a/f a/g a/log b/f b/log a/.tmp-* b/.tmp-*", name) {
			t.Errorf("unexpected file %s", name)
		}
	}
	return strings.Join(parts, " ")
}

// eachBreak runs s with every change in turn broken by breaker, until a run
// meets no break.
func eachBreak(t *testing.T, s scenario, breaker func(n int) *fsxtest.Recorder, check func(n int, root string, err error, crashed bool)) {
	t.Helper()
	for n := 1; ; n++ {
		r := breaker(n)
		root, _, a, b := stage(t, r)
		var err error
		crashed := fsxtest.Run(func() { err = s.do(a, b) })
		if r.Count() < n {
			return
		}
		check(n, root, err, crashed)
	}
}

var errnos = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EROFS, syscall.EDQUOT, syscall.EPERM}

func TestAnErrorAtAnyChangeLeavesOldOrNew(t *testing.T) {
	errs := 0
	for name, s := range scenarios {
		for _, errno := range errnos {
			breakers := map[string]func(int) *fsxtest.Recorder{
				"once":                func(n int) *fsxtest.Recorder { return fsxtest.FailAt(n, errno) },
				"for ever":            func(n int) *fsxtest.Recorder { return fsxtest.FailFrom(n, errno) },
				"after a short write": func(n int) *fsxtest.Recorder { return fsxtest.ShortAt(n, 2, errno) },
			}
			for how, breaker := range breakers {
				t.Run(fmt.Sprintf("%s/%v/%s", name, errno, how), func(t *testing.T) {
					eachBreak(t, s, breaker, func(n int, root string, err error, _ bool) {
						errs++
						got := state(t, root)
						if !s.allows(got) {
							t.Errorf("error at change %d leaves %q", n, got)
						}
						if err == nil && got != s.after {
							t.Errorf("error at change %d is not reported and leaves %q", n, got)
						}
						if err != nil && !errors.Is(err, errno) {
							t.Errorf("error at change %d = %v; want one that is %v", n, err, errno)
						}
					})
				})
			}
		}
	}
	fsxtest.Figure(t, errs, "errors")
}

func TestACrashAtAnyChangeLeavesOldOrNew(t *testing.T) {
	crashes := 0
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			eachBreak(t, s, fsxtest.CrashAt, func(n int, root string, _ error, crashed bool) {
				crashes++
				if !crashed {
					t.Fatalf("change %d did not crash", n)
				}
				if got := state(t, root); !s.allows(got) {
					t.Errorf("crash at change %d leaves %q", n, got)
				}
			})
		})
	}
	fsxtest.Figure(t, crashes, "kill points")
}

// A failure other than of an fsync, once, leaves no temporary file behind; a
// crash does, and the sweep takes it.
func TestTemporaryFilesGo(t *testing.T) {
	s := scenarios["replace"]
	for n := 1; n <= 3; n++ {
		root, _, a, b := stage(t, fsxtest.CrashAt(n+1))
		fsxtest.Run(func() { s.do(a, b) })
		put(t, root, "a/.tmp-notours", "")
		put(t, root, "a/.tmp-0123456789abcdef.json", "")
		left := len(tree(t, root))
		swept, err := open(t, root+"/a").SweepTemps()
		if err != nil || swept != 1 || len(tree(t, root)) != left-1 {
			t.Errorf("crash at change %d: SweepTemps = %d, %v, leaves %v; want 1", n+1, swept, err, tree(t, root))
		}
	}
	root, _, a, b := stage(t, fsxtest.FailAt(2, syscall.ENOSPC))
	if err := s.do(a, b); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("Replace = %v; want ENOSPC", err)
	}
	if files := tree(t, root); len(files) != 1 {
		t.Errorf("a failed write leaves %v", files)
	}
}

func TestAFailedFsyncIsFinal(t *testing.T) {
	fail := &fsxtest.Recorder{}
	root, top, a, b := stage(t, fail)
	l, err := b.Append("log")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	fail.Break = func(_ int, op fsx.Op) error {
		if op.Kind == fsx.OpSync || op.Kind == fsx.OpSyncDir || op.Kind == fsx.OpSyncAll {
			return syscall.EIO
		}
		return nil
	}
	if err := a.Replace("f", []byte("new")); !errors.Is(err, fsx.ErrSync) || !errors.Is(err, syscall.EIO) {
		t.Fatalf("Replace = %v; want ErrSync and EIO", err)
	}
	fail.Break = nil // the disk says that it is well again
	fail.Reset()
	after := map[string]error{
		"replace": a.Replace("f", []byte("new")),
		"create":  b.Create("x", nil),
		"view":    top.View("x", nil),
		"mkdir":   top.Mkdir("c"),
		"move":    a.Move("f", b, "f"),
		"remove":  a.Remove("f"),
		"sync":    b.Sync(),
		"syncall": b.SyncAll(),
		"log":     l.Write([]byte("x")),
	}
	for what, err := range after {
		if !errors.Is(err, fsx.ErrSync) {
			t.Errorf("%s after a failed fsync = %v; want ErrSync", what, err)
		}
	}
	if n := fail.Count(); n != 0 {
		t.Errorf("%d changes after a failed fsync; want 0", n)
	}
	if got := state(t, root); got != "a/f=old" {
		t.Errorf("files = %q; want the old one alone", got)
	}
}

func TestALogIsOverAfterItsFirstError(t *testing.T) {
	r := &fsxtest.Recorder{}
	root, _, a, _ := stage(t, r)
	l, err := a.Append("log")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Write([]byte("one\n")); err != nil {
		t.Fatal(err)
	}
	r.Break = func(_ int, op fsx.Op) error {
		if op.Kind == fsx.OpWrite {
			return &fsx.Short{N: 2, Err: syscall.ENOSPC}
		}
		return nil
	}
	first := l.Write([]byte("two\n"))
	r.Break = nil
	if second := l.Write([]byte("three\n")); !errors.Is(first, syscall.ENOSPC) || second != first {
		t.Errorf("Write = %v, then %v; want the same error with ENOSPC", first, second)
	}
	if got := tree(t, root)["a/log"]; got != "one\ntw" {
		t.Errorf("log = %q; want the torn line at its end", got)
	}
	again, err := a.Append("log")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := errors.Join(again.Truncate(4), again.Write([]byte("2\n"))); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, root)["a/log"]; got != "one\n2\n" {
		t.Errorf("log = %q; want it whole", got)
	}
}

func TestNothingIsReplaced(t *testing.T) {
	root, _, a, b := stage(t, nil)
	put(t, root, "b/f", "other")
	if err := a.Create("f", []byte("new")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create over a file = %v; want fs.ErrExist", err)
	}
	if err := a.Move("f", b, "f"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Move over a file = %v; want fs.ErrExist", err)
	}
	if got, want := state(t, root), "a/f=old b/f=other"; got != want {
		t.Errorf("files = %q; want %q", got, want)
	}
	if n := len(tree(t, root)); n != 2 {
		t.Errorf("%d files; want 2", n)
	}
}
