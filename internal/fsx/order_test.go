package fsx_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
)

// stage makes two directories, a with a file f and b, and opens both through
// one seam.
func stage(t *testing.T, seam fsx.Seam) (root string, top, a, b *fsx.Dir) {
	t.Helper()
	root = t.TempDir()
	s := fsx.Scratch(root)
	if err := errors.Join(s.MkdirAll("a"), s.MkdirAll("b"), s.WriteFile("a/f", []byte("old"))); err != nil {
		t.Fatal(err)
	}
	top = open(t, root, seam)
	var err error
	if a, err = top.Sub("a"); err != nil {
		t.Fatal(err)
	}
	if b, err = top.Sub("b"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return root, top, a, b
}

// The order of changes is the promise: contents before names, the new name
// before the old one goes.
func TestChangesComeInTheOrderThatSurvivesAPowerCut(t *testing.T) {
	tests := map[string]struct {
		do    func(a, b *fsx.Dir) error
		broke map[string]error // kinds whose first change is refused
		want  []string
	}{
		"create": {
			do:   func(a, b *fsx.Dir) error { return a.Create("g", []byte("new")) },
			want: []string{"create a/.tmp-*", "write a/.tmp-*", "sync a/.tmp-*", "rename a/.tmp-* a/g", "syncdir a"},
		},
		"replace": {
			do:   func(a, b *fsx.Dir) error { return a.Replace("f", []byte("new")) },
			want: []string{"create a/.tmp-*", "write a/.tmp-*", "sync a/.tmp-*", "rename a/.tmp-* a/f", "syncdir a"},
		},
		"view, which is not durable": {
			do:   func(a, b *fsx.Dir) error { return a.View("f", []byte("new")) },
			want: []string{"create a/.tmp-*", "write a/.tmp-*", "rename a/.tmp-* a/f"},
		},
		"move": {
			do:   func(a, b *fsx.Dir) error { return a.Move("f", b, "g") },
			want: []string{"link a/f b/g", "syncdir b", "unlink a/f", "syncdir a"},
		},
		"move where links are refused": {
			do:    func(a, b *fsx.Dir) error { return a.Move("f", b, "g") },
			broke: map[string]error{fsx.OpLink: syscall.EPERM},
			want:  []string{"link a/f b/g", "rename a/f b/g", "syncdir b", "syncdir a"},
		},
		"move where nothing refuses to replace but a look": {
			do:    func(a, b *fsx.Dir) error { return a.Move("f", b, "g") },
			broke: map[string]error{fsx.OpLink: syscall.EPERM, fsx.OpRename: syscall.EINVAL},
			want:  []string{"link a/f b/g", "rename a/f b/g", "rename a/f b/g", "syncdir b", "syncdir a"},
		},
		"create where no rename refuses to replace": {
			do:    func(a, b *fsx.Dir) error { return a.Create("g", []byte("new")) },
			broke: map[string]error{fsx.OpRename: syscall.EINVAL},
			want:  []string{"create a/.tmp-*", "write a/.tmp-*", "sync a/.tmp-*", "rename a/.tmp-* a/g", "link a/.tmp-* a/g", "unlink a/.tmp-*", "syncdir a"},
		},
		"move whose old name cannot go": {
			do:    func(a, b *fsx.Dir) error { a.Move("f", b, "g"); return nil },
			broke: map[string]error{fsx.OpUnlink: syscall.EPERM},
			want:  []string{"link a/f b/g", "syncdir b", "unlink a/f", "unlink b/g", "syncdir b"},
		},
		"new log and two lines": {
			do: func(a, b *fsx.Dir) error {
				l, err := a.Append("log")
				if err != nil {
					return err
				}
				return errors.Join(l.Write([]byte("one\n")), l.Write([]byte("two\n")), l.Close())
			},
			want: []string{"create a/log", "syncdir a", "write a/log", "sync a/log", "write a/log", "sync a/log"},
		},
		"old log cut and continued": {
			do: func(a, b *fsx.Dir) error {
				l, err := a.Append("f")
				if err != nil {
					return err
				}
				return errors.Join(l.Truncate(1), l.Write([]byte("x")), l.Close())
			},
			want: []string{"truncate a/f", "sync a/f", "write a/f", "sync a/f"},
		},
		"several directories": {
			do:   func(a, b *fsx.Dir) error { return a.Mkdirs("x", "y") },
			want: []string{"mkdir a/x", "mkdir a/y", "syncdir a"},
		},
		"remove, durable only with the sync after it": {
			do:   func(a, b *fsx.Dir) error { return errors.Join(a.Remove("f"), a.Sync()) },
			want: []string{"unlink a/f", "syncdir a"},
		},
		"everything on the file system": {
			do:   func(a, b *fsx.Dir) error { return a.SyncAll() },
			want: []string{"syncall a"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := &fsxtest.Recorder{Break: func(_ int, op fsx.Op) error {
				err := test.broke[op.Kind]
				delete(test.broke, op.Kind)
				return err
			}}
			root, _, a, b := stage(t, r)
			if err := test.do(a, b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, steps(r, root)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestALookBeforeTheRenameRefusesToReplace(t *testing.T) {
	r := &fsxtest.Recorder{Break: func(_ int, op fsx.Op) error {
		switch op.Kind {
		case fsx.OpLink:
			return syscall.EPERM
		case fsx.OpRename:
			return syscall.EINVAL
		}
		return nil
	}}
	root, _, a, b := stage(t, r)
	put(t, root, "b/f", "other")
	if err := a.Move("f", b, "f"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Move over a file = %v; want fs.ErrExist", err)
	}
	if err := a.Create("f", []byte("new")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create over a file = %v; want fs.ErrExist", err)
	}
	if diff := cmp.Diff(map[string]string{"a/f": "old", "b/f": "other"}, tree(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestMoveByRenameIsToldAsDegraded(t *testing.T) {
	refuse := &fsxtest.Recorder{Break: func(_ int, op fsx.Op) error {
		if op.Kind == fsx.OpLink {
			return syscall.EPERM
		}
		return nil
	}}
	root, top, a, b := stage(t, refuse)
	if top.Degraded() {
		t.Fatal("Degraded before any move")
	}
	if err := a.Move("f", b, "f"); err != nil {
		t.Fatal(err)
	}
	if !top.Degraded() || !b.Degraded() {
		t.Error("Degraded() = false after a move by rename; want true")
	}
	if diff := cmp.Diff(map[string]string{"b/f": "old"}, tree(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	put(t, filepath.Join(root, "a"), "f", "second")
	if err := a.Move("f", b, "f"); err == nil {
		t.Error("a move by rename replaced a file")
	}
	if diff := cmp.Diff(map[string]string{"a/f": "second", "b/f": "old"}, tree(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
