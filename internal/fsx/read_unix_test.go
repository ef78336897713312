//go:build unix

package fsx_test

import (
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"looprun.dev/looprun/internal/fsx"
)

func TestReadTakesRegularFilesOfBoundedSizeOnly(t *testing.T) {
	root := t.TempDir()
	s := fsx.Scratch(root)
	put(t, root, "file", "12345")
	put(t, root, "empty", "")
	err := errors.Join(s.MkdirAll("dir"), s.Symlink("file", "link"), s.Symlink("nowhere", "dangling"),
		s.Symlink("loop", "loop"), unix.Mkfifo(filepath.Join(root, "fifo"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "dir/below", "x")
	l, err := net.Listen("unix", filepath.Join(root, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := open(t, root)
	tests := map[string]struct {
		name string
		max  int64
		want string
		err  error
	}{
		"a file of just the size allowed":      {"file", 5, "12345", nil},
		"a file of one byte too many":          {"file", 4, "", fsx.ErrTooLarge},
		"an empty file":                        {"empty", 0, "", nil},
		"a path below":                         {"dir/below", 9, "x", nil},
		"a directory":                          {"dir", 9, "", fsx.ErrNotRegular},
		"a link to a good file":                {"link", 9, "", fsx.ErrNotRegular},
		"a dangling link":                      {"dangling", 9, "", fsx.ErrNotRegular},
		"a link to itself":                     {"loop", 9, "", fsx.ErrNotRegular},
		"a pipe, which must not make one wait": {"fifo", 9, "", fsx.ErrNotRegular},
		"a socket":                             {"sock", 9, "", fsx.ErrNotRegular},
		"nothing":                              {"none", 9, "", fs.ErrNotExist},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := d.Read(test.name, test.max)
			if !errors.Is(err, test.err) || string(got) != test.want {
				t.Errorf("Read = %q, %v; want %q, %v", got, err, test.want, test.err)
			}
		})
	}
}

func TestMoveRefusesWhatIsNoFile(t *testing.T) {
	root := t.TempDir()
	s := fsx.Scratch(root)
	if err := errors.Join(s.MkdirAll("dir"), s.MkdirAll("to"), s.Symlink("nowhere", "link")); err != nil {
		t.Fatal(err)
	}
	d, to := open(t, root), open(t, filepath.Join(root, "to"))
	for _, name := range []string{"dir", "link"} {
		if err := d.Move(name, to, "x"); !errors.Is(err, fsx.ErrNotRegular) {
			t.Errorf("Move(%s) = %v; want ErrNotRegular", name, err)
		}
		if _, err := d.Lstat(name); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
}

func TestAppendRefusesAPipeWithoutWaiting(t *testing.T) {
	root := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(root, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, root).Append("fifo"); !errors.Is(err, fsx.ErrNotRegular) {
		t.Errorf("Append to a pipe = %v; want ErrNotRegular", err)
	}
}
