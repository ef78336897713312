//go:build linux || darwin

package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// A tree that was made ready costs a start the one git process that keeps the
// base, and none where the checkout itself is the tree.
func TestATreeThatIsMadeReadyCostsAStartOneGit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		inPlace bool
		want    int
	}{
		"isolated": {false, 1},
		"in place": {true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.opts.InPlace = test.inPlace
			s := f.open()
			mustDo(t, s.Warm(t.Context()))
			f.calls = nil
			base, _, err := s.Base(t.Context())
			mustDo(t, err)
			mustDo(t, s.Prepare(t.Context(), "t1", base))
			if got := len(f.calls); got != test.want {
				t.Errorf("a start took %d git processes %q; want %d", got, f.calls, test.want)
			}
			if snap, err := s.Snapshot(t.Context()); err != nil || len(snap.Changes) > 0 {
				t.Errorf("the tree that was made ready differs from its base: %v, %v", snap.Changes, err)
			}
		})
	}
}

func TestMakingReadyTakesNoTreeFromATask(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open()
	base, _, err := s.Base(t.Context())
	mustDo(t, err)
	mustDo(t, s.Prepare(t.Context(), "t1", base))
	made := filepath.Join(s.Dir(), "README.md")
	writeFile(t, made, "half done\n")

	mustDo(t, s.Warm(t.Context()))
	if data, err := os.ReadFile(made); err != nil || string(data) != "half done\n" {
		t.Errorf("README.md of a task under way = %q, %v; want what its generator wrote", data, err)
	}
	mustDo(t, s.Release("t1"))
	mustDo(t, s.Warm(t.Context()))
	if data, err := os.ReadFile(made); err != nil || string(data) == "half done\n" {
		t.Errorf("README.md after the task = %q, %v; want that of the base", data, err)
	}
}
