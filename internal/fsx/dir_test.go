package fsx_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
)

func open(t *testing.T, path string, seam ...fsx.Seam) *fsx.Dir {
	t.Helper()
	d, err := fsx.Open(path, seam...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func put(t *testing.T, dir, name, data string) {
	t.Helper()
	if err := fsx.Scratch(dir).WriteFile(name, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// tree is every file under dir with its contents, temporary names as ".tmp-*".
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		if fsx.IsTemp(e.Name()) {
			name = filepath.Join(filepath.Dir(name), ".tmp-*")
		}
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// steps is what r saw, one "kind name" each, relative to dir.
func steps(r *fsxtest.Recorder, dir string) []string {
	var out []string
	for _, op := range r.Ops() {
		s := op.Kind + " " + relative(dir, op.Path)
		if op.To != "" {
			s += " " + relative(dir, op.To)
		}
		out = append(out, s)
	}
	return out
}

func relative(dir, path string) string {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return path
	}
	if fsx.IsTemp(filepath.Base(name)) {
		name = filepath.Join(filepath.Dir(name), ".tmp-*")
	}
	return filepath.ToSlash(name)
}

func TestNamesCannotLeaveTheDirectory(t *testing.T) {
	parent := t.TempDir()
	put(t, parent, "secret", "outside")
	if err := fsx.Scratch(parent).MkdirAll("d/sub"); err != nil {
		t.Fatal(err)
	}
	d := open(t, filepath.Join(parent, "d"))
	before := tree(t, parent)
	changes := map[string]func(name string) error{
		"create":     func(n string) error { return d.Create(n, nil) },
		"replace":    func(n string) error { return d.Replace(n, nil) },
		"view":       func(n string) error { return d.View(n, nil) },
		"mkdir":      d.Mkdir,
		"remove":     d.Remove,
		"move from":  func(n string) error { return d.Move(n, d, "x") },
		"move to":    func(n string) error { return d.Move("sub", d, n) },
		"append log": func(n string) error { _, err := d.Append(n); return err },
		"read":       func(n string) error { _, err := d.Read(n, 10); return err },
	}
	for verb, change := range changes {
		for _, name := range []string{"", ".", "..", "../secret", "/etc/passwd", "sub/../../secret", "a\x00b"} {
			if err := change(name); err == nil {
				t.Errorf("%s %q = nil; want an error", verb, name)
			}
		}
	}
	if _, err := d.Sub(".."); err == nil {
		t.Error(`Sub("..") = nil; want an error`)
	}
	if diff := cmp.Diff(before, tree(t, parent)); diff != "" {
		t.Errorf("refused names changed files (-before +after):\n%s", diff)
	}
}

func TestLinksOutOfTheDirectoryAreNotFollowed(t *testing.T) {
	parent := t.TempDir()
	s := fsx.Scratch(parent)
	put(t, parent, "secret", "outside")
	if err := errors.Join(s.MkdirAll("d"), s.MkdirAll("elsewhere"),
		s.Symlink("../secret", "d/file"), s.Symlink("../elsewhere", "d/dir")); err != nil {
		t.Fatal(err)
	}
	d := open(t, filepath.Join(parent, "d"))
	if _, err := d.Sub("dir"); err == nil {
		t.Error("Sub of a link that leads outside = nil; want an error")
	}
	if _, err := d.Append("file"); !errors.Is(err, fsx.ErrNotRegular) {
		t.Errorf("Append to a link = %v; want ErrNotRegular", err)
	}
	if err := d.Replace("file", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"secret": "outside", "d/file": "mine"}
	s.Remove("d/dir")
	if diff := cmp.Diff(want, tree(t, parent)); diff != "" {
		t.Errorf("replacing a link wrote through it (-want +got):\n%s", diff)
	}
}

func TestMkdirAllMakesEveryNewEntryDurable(t *testing.T) {
	root := t.TempDir()
	r := &fsxtest.Recorder{}
	d, err := fsx.MkdirAll(filepath.Join(root, "a", "b"), r)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	want := []string{"mkdir a", "syncdir .", "mkdir a/b", "syncdir a"}
	if diff := cmp.Diff(want, steps(r, root)); diff != "" {
		t.Errorf("MkdirAll (-want +got):\n%s", diff)
	}
	if got, want := d.Path(), filepath.Join(root, "a", "b"); got != want {
		t.Errorf("Path() = %q; want %q", got, want)
	}
}

func TestMkdirOfADirectoryThatIsThereMakesItDurable(t *testing.T) {
	root := t.TempDir()
	r := &fsxtest.Recorder{}
	d := open(t, root, r)
	for range 2 {
		if err := d.Mkdir("a"); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := strings.Join(steps(r, root), ", "), "mkdir a, syncdir ., mkdir a, syncdir ."; got != want {
		t.Errorf("Mkdir twice = %s; want %s", got, want)
	}
	put(t, root, "file", "")
	if err := d.Mkdir("file"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Mkdir over a file = %v; want fs.ErrExist", err)
	}
}

func TestNewFilesAreForTheirOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	d := open(t, t.TempDir())
	l, err := d.Append("log")
	if err := errors.Join(err, d.Create("created", nil), d.View("view", nil), d.Mkdir("dir")); err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, name := range []string{"log", "created", "view", "dir"} {
		info, err := d.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm() & 0o077; got != 0 {
			t.Errorf("mode of %s lets others in: %v", name, info.Mode())
		}
	}
}
