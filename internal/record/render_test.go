package record_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
)

func TestViewsAppearAsTheTaskGoesOn(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	j := begin(t, s, "t1")
	seen := map[int][]string{}
	known := map[string]bool{}
	p := &player{store: s, journal: j, tries: []string{unsound, passes}, now: noon}
	note := func() {
		for _, name := range slices.Sorted(maps.Keys(contents(t, where))) {
			if !known[name] {
				known[name] = true
				seen[len(j.Lines())] = append(seen[len(j.Lines())], name)
			}
		}
	}
	note()
	p.acked = note // of the record before: this one is not rendered yet
	must(t, p.play())
	note()
	want := map[int][]string{
		1: {"events.jsonl", "tasks/t1/journal.jsonl", "tasks/t1/state.json", "tasks/t1/task.json"},
		7: {"tasks/t1/attempts/round-001.json", "tasks/t1/plan-round-002.json"},
		// The last attempt and the result come after the finish, so that they say
		// where the candidate landed.
		12: {"results/t1.json", "tasks/t1/attempts/round-002.json"},
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("files by the number of recorded lines (-want +got):\n%s", diff)
	}
}

// What is over is never rendered anew, also not by a version of looprun that
// would render it in another way.
func TestAnAttemptPlanOrResultIsNeverReplaced(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	j := runTask(t, s, "t1", unsound, passes)
	kept := []string{
		"tasks/t1/task.json", "tasks/t1/plan-round-002.json", "tasks/t1/attempts/round-001.json",
		"tasks/t1/attempts/round-002.json", "results/t1.json",
	}
	for _, name := range kept {
		writeFile(t, "as an older looprun wrote it", where, name)
	}
	before := stamps(t, where)
	must(t, s.Render(j), s.Complete(j))
	after := stamps(t, where)
	for _, name := range kept {
		if before[name] != after[name] {
			t.Errorf("%s was replaced", name)
		}
	}
}

func TestMissingViewsAreCompleted(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	j := runTask(t, s, "t1", unsound, passes)
	want := contents(t, where)
	for _, name := range views(want) {
		must(t, os.Remove(filepath.Join(where, name)))
	}
	must(t, fsx.Scratch(where).RemoveAll("tasks/t1/attempts"))
	must(t, s.Complete(j))
	if diff := cmp.Diff(want, contents(t, where)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	before := stamps(t, where)
	must(t, s.Complete(j))
	if diff := cmp.Diff(before, stamps(t, where)); diff != "" {
		t.Errorf("nothing was missing, and files changed (-before +after):\n%s", diff)
	}
}

// views are the names of the files that are rendered.
func views(all map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return path.Ext(name) != ".json" })
}

func TestRepairPutsEveryDamagedViewAsideAndRendersItAgain(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	must(t, runTask(t, s, "t1", unsound, passes).Close())
	want := contents(t, where)
	damages := map[string]func(string) string{
		"cut to nothing":  func(string) string { return "" },
		"cut in half":     func(data string) string { return data[:len(data)/2] },
		"zero bytes":      func(data string) string { return strings.Repeat("\x00", len(data)) },
		"another content": func(data string) string { return strings.Replace(data, `"t1"`, `"t2"`, 1) },
	}
	for name, damage := range damages {
		for _, file := range views(want) {
			t.Run(name+" "+file, func(t *testing.T) {
				writeFile(t, damage(want[file]), where, file)
				repaired, err := s.Repair("t1")
				must(t, err)
				if len(repaired) != 1 || repaired[0].Path != filepath.Join(where, file) || repaired[0].TaskID != "t1" {
					t.Fatalf("Repair = %+v; want %s alone", repaired, file)
				}
				if got := string(readFile(t, repaired[0].Aside)); got != damage(want[file]) {
					t.Errorf("set aside: %q; want what was there", got)
				}
				must(t, os.Remove(repaired[0].Aside))
				if diff := cmp.Diff(want, contents(t, where)); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestRepairOfWholeViewsChangesNothing(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	for i, tries := range [][]string{{unsound, passes}, {fails, fails}, {idle}, {limited, passes}, {outside}} {
		must(t, runTask(t, s, fmt.Sprintf("t%d", i), tries...).Close())
	}
	must(t, s.Leave())
	again := openStore(t, where)
	before := stamps(t, where)
	repaired, err := again.Repair("t0", "t1", "t2", "t3", "t4", "never-claimed")
	if err != nil || len(repaired) > 0 {
		t.Errorf("Repair = %+v, %v; want nothing to repair", repaired, err)
	}
	if diff := cmp.Diff(before, stamps(t, where)); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}

// A pass that died between two steps left a state.json that was right once.
// That is no damage, so nothing is set aside.
func TestAnOlderStateIsRenderedAgainWithoutACopy(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	j := begin(t, s, "t1")
	older := string(readFile(t, where, "tasks/t1/state.json"))
	must(t, (&player{store: s, journal: j, tries: []string{passes}, now: noon}).play())
	want := contents(t, where)
	writeFile(t, older, where, "tasks/t1/state.json")
	repaired, err := s.Repair("t1")
	if err != nil || len(repaired) != 1 || repaired[0].Aside != "" {
		t.Errorf("Repair = %+v, %v; want state.json and no copy of it", repaired, err)
	}
	if diff := cmp.Diff(want, contents(t, where)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// What stands in the way of a view and is no file is a fault that is told: it
// is neither followed nor deleted.
func TestALinkInPlaceOfAViewIsNotFollowed(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	must(t, runTask(t, s, "t1", passes).Close())
	secret := filepath.Join(t.TempDir(), "secret")
	writeFile(t, "precious", secret)
	file := filepath.Join(where, "results/t1.json")
	must(t, os.Remove(file), fsx.Scratch("").Symlink(secret, file))
	if _, err := s.Repair("t1"); !errors.Is(err, fsx.ErrNotRegular) {
		t.Errorf("Repair = %v; want ErrNotRegular", err)
	}
	if got := string(readFile(t, secret)); got != "precious" {
		t.Errorf("the file that the link names holds %q", got)
	}
}

// Journals and views are only ever replaced by the same, so a reader at any
// instant sees a whole file. In a recorded run no change touches a kept view a
// second time.
func TestARunWritesEachKeptViewOnce(t *testing.T) {
	seam := &fsxtest.Recorder{}
	where := place(t)
	s := openStore(t, where, seam)
	runTask(t, s, "t1", unsound, passes)
	times := map[string]int{}
	for _, op := range seam.Ops() {
		if op.Kind == fsx.OpRename {
			times[filepath.Base(op.To)]++
		}
	}
	for _, name := range []string{"task.json", "plan-round-002.json", "round-001.json", "round-002.json", "t1.json"} {
		if times[name] != 1 {
			t.Errorf("%s was written %d times; want once", name, times[name])
		}
	}
}

func TestFilesOfARoundAreNumberedInOrder(t *testing.T) {
	if got, want := record.AttemptFile(12), "attempts/round-012.json"; got != want {
		t.Errorf("AttemptFile = %s; want %s", got, want)
	}
	if got, want := record.PlanFile(2), "plan-round-002.json"; got != want {
		t.Errorf("PlanFile = %s; want %s", got, want)
	}
}
