//go:build linux || darwin

package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestWhatARunOfChecksChangedInTheirTree(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		do   func(dir string) error
		want []string
	}{
		"nothing":               {func(string) error { return nil }, nil},
		"a file was rewritten":  {func(dir string) error { return os.WriteFile(dir+"/README.md", []byte("x\n"), 0o600) }, []string{"README.md"}},
		"a file is gone":        {func(dir string) error { return os.Remove(dir + "/src/search.go") }, []string{"src/search.go"}},
		"its folder is gone":    {func(dir string) error { return os.RemoveAll(dir + "/src") }, []string{"src/deep/er/x.txt", "src/search.go"}},
		"its folder is a file":  {func(dir string) error { return replaceByFile(dir + "/src/deep") }, []string{"src/deep/er/x.txt"}},
		"a file became a link":  {func(dir string) error { return replaceByLink(dir + "/README.md") }, []string{"README.md"}},
		"a link leads away":     {func(dir string) error { return replaceByLink(dir + "/link") }, []string{"link"}},
		"it can be started":     {func(dir string) error { return os.Chmod(dir+"/README.md", 0o755) }, []string{"README.md"}},
		"a file was touched":    {func(dir string) error { return os.Chtimes(dir+"/README.md", time.Now(), time.Now()) }, nil},
		"it was written anew":   {func(dir string) error { return os.WriteFile(dir+"/README.md", []byte("hello again\n"), 0o600) }, nil},
		"a new file stands by":  {func(dir string) error { return os.WriteFile(dir+"/new", nil, 0o600) }, nil},
		"one that is not asked": {func(dir string) error { return os.WriteFile(dir+"/run.sh", nil, 0o600) }, nil},
		"an edit in disguise":   {func(dir string) error { return disguised(dir + "/README.md") }, []string{"README.md"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			s, base := f.prepared()
			dir, err := s.CheckTree(t.Context(), base, nil)
			mustDo(t, err)
			mustDo(t, tt.do(dir))
			got, err := s.Moved(t.Context(), func(path string) bool { return path != "run.sh" })
			mustDo(t, err)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Moved (-want +got):\n%s", diff)
			}
			_, err = s.CheckTree(t.Context(), base, nil)
			mustDo(t, err)
			if got, err := s.Moved(t.Context(), func(string) bool { return true }); len(got) > 0 || err != nil {
				t.Errorf("in the next tree Moved = %q, %v; want nothing", got, err)
			}
		})
	}
}

func replaceByFile(path string) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}

func replaceByLink(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Symlink("run.sh", path)
}

// disguised changes a file and puts its size and time back.
func disguised(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte("hello AGAIN\n"), 0o600); err != nil {
		return err
	}
	return os.Chtimes(path, info.ModTime(), info.ModTime())
}

func TestTheSetupCommandsAreConfinedToTheirTree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	outside := t.TempDir()
	f.opts.Setup = []Setup{f.sh("echo x >made.log; echo x >" + filepath.Join(outside, "x") + " && exit 1; echo x >$HOME/x && echo x >$TMPDIR/x && ! ls " + outside)}
	s := f.open()
	s.Confine(confined(t), f.opts.Env)
	base, _, err := s.Base(t.Context())
	mustDo(t, err)
	mustDo(t, s.Prepare(t.Context(), "t1", base))
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("a setup command wrote %v outside of its tree", left)
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), "made.log")); err != nil {
		t.Error(err)
	}
}
