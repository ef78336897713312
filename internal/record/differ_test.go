package record_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"looprun.dev/looprun/internal/record"
)

func TestViewsThatDifferAreTold(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	runTask(t, s, "t1", unsound, passes)
	r, err := record.NewReader(where)
	must(t, err)
	defer r.Close()
	differing := func(want ...string) {
		t.Helper()
		got, err := r.Differing("t1")
		slices.Sort(got)
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("Differing = %q, %v; want %q", got, err, want)
		}
	}
	differing()
	before := contents(t, where)

	writeFile(t, "{}", where, "results", "t1.json")
	must(t, os.Remove(filepath.Join(where, "tasks/t1/state.json")))
	differing("results/t1.json", "tasks/t1/state.json")

	// It only looks: what differs is as it was.
	after := contents(t, where)
	if _, there := after["tasks/t1/state.json"]; there || len(after) != len(before)-1 {
		t.Errorf("looking changed %d files to %d", len(before)-1, len(after))
	}
	if ids, err := r.Tasks(); !slices.Equal(ids, []string{"t1"}) || err != nil {
		t.Errorf("Tasks = %q, %v; want t1", ids, err)
	}

	writeFile(t, "not a line\n", where, "tasks/t1/journal.jsonl")
	if _, err := r.Differing("t1"); !errors.Is(err, record.ErrDamaged) {
		t.Errorf("Differing = %v; want %v", err, record.ErrDamaged)
	}
}
