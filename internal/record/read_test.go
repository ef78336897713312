package record_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/record"
)

func TestAReaderChangesNothing(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	runTask(t, s, "t1", unsound, passes)
	begin(t, s, "t2")
	writeFile(t, string(readFile(t, where, journalPath("t2")))+`{"seq":2,"pr`, where, journalPath("t2"))
	before := stamps(t, where)
	r, err := record.NewReader(where)
	must(t, err)
	h, err := r.Task("t1")
	must(t, err)
	result, err := r.Result("t1")
	must(t, err)
	if result.ChainHead != h.Head || result.Decision != "completed" || h.Torn {
		t.Errorf("result %+v of a journal with head %s, torn %v", result, h.Head, h.Torn)
	}
	state, err := r.State("t2")
	must(t, err)
	torn, err := r.Task("t2")
	if err != nil || !torn.Torn || torn.Head != state.ChainHead {
		t.Errorf("Task of a torn journal = %s, torn %v, %v; want head %s, torn", torn.Head, torn.Torn, err, state.ChainHead)
	}
	_, _, err = r.Owner()
	must(t, err)
	_, _, err = r.Paused()
	must(t, err, r.Close())
	if diff := cmp.Diff(before, stamps(t, where)); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}

func TestAReaderOfNothingSaysSo(t *testing.T) {
	where := place(t)
	if _, err := record.NewReader(where); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("NewReader = %v; want fs.ErrNotExist", err)
	}
	must(t, openStore(t, where).Close())
	r, err := record.NewReader(where)
	must(t, err)
	defer r.Close()
	for _, id := range []string{"t1", "..", "../results", ""} {
		if _, err := r.Task(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Task(%q) = %v; want fs.ErrNotExist", id, err)
		}
	}
	if _, err := r.Result("t1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Result = %v; want fs.ErrNotExist", err)
	}
}

func TestAReaderTellsOfADamagedView(t *testing.T) {
	where := place(t)
	runTask(t, openStore(t, where), "t1", passes)
	writeFile(t, `{"schema"`, where, "results/t1.json")
	r, err := record.NewReader(where)
	must(t, err)
	defer r.Close()
	if v, err := r.Result("t1"); err == nil {
		t.Errorf("Result = %+v; want an error", v)
	}
	writeFile(t, "", where, journalPath("t1"))
	if _, err := r.Task("t1"); !errors.Is(err, record.ErrDamaged) {
		t.Errorf("Task of an empty journal = %v; want ErrDamaged", err)
	}
	if _, err := r.Task(filepath.Join("..", "..", "etc")); err == nil {
		t.Error("Task outside of .loop = nil; want an error")
	}
}
