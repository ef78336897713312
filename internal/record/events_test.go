package record_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// events are the events of a task in events.jsonl, by seq in order.
func events(t *testing.T, where, id string) []record.EventView {
	t.Helper()
	var all []record.EventView
	for _, raw := range lines(readFile(t, where, "events.jsonl")) {
		var v record.EventView
		must(t, json.Unmarshal(raw, &v))
		if v.TaskID == id {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b record.EventView) int { return a.Seq - b.Seq })
	return all
}

func TestEachChangeOfStateIsToldOnceWithItsLine(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	j := runTask(t, s, "t1", unsound, passes)
	told := events(t, where, "t1")
	if len(told) != len(j.Lines()) {
		t.Fatalf("%d events; want %d, one a line", len(told), len(j.Lines()))
	}
	for i, l := range j.Lines() {
		head := j.Head()
		if i+1 < len(j.Lines()) {
			head = j.Lines()[i+1].Prev
		}
		if v := told[i]; v.Seq != l.Seq || v.Kind != l.Kind || v.Line != head || !v.At.Equal(l.At) {
			t.Errorf("event %d = %+v; want that of line %d", i, v, l.Seq)
		}
	}
	last := told[len(told)-1]
	if last.Kind != round.Finish || last.Decision != "completed" || last.Reason != "independent_verification_passed" {
		t.Errorf("the last event = %+v; want the end of the task", last)
	}
}

// A pass may die after a journal was written and before its events are told,
// or in the middle of telling them.
func TestEventsThatACrashTookAreToldAgain(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	must(t, runTask(t, s, "t1", passes).Close(), runTask(t, s, "t2", unsound, passes).Close())
	whole := readFile(t, where, "events.jsonl")
	want := append(events(t, where, "t1"), events(t, where, "t2")...)
	all := lines(whole)
	damages := map[string]string{
		"all of them":             "",
		"the last ones":           string(whole[:len(whole)-len(all[len(all)-1])-len(all[len(all)-2])]),
		"half of the last":        string(whole[:len(whole)-20]),
		"zero bytes at the end":   string(whole[:len(whole)-400]) + strings.Repeat("\x00", 400),
		"a hole in the middle":    strings.Replace(string(whole), string(all[4]), strings.Repeat("\x00", len(all[4])-1)+"\n", 1),
		"nothing":                 string(whole),
		"a line of somebody else": string(whole) + "not ours\n",
		"a line without an end":   string(whole) + strings.Repeat("x", 3<<20),
	}
	for name, data := range damages {
		t.Run(name, func(t *testing.T) {
			writeFile(t, data, where, "events.jsonl")
			again := openStore(t, where)
			if _, err := again.Repair("t1", "t2"); err != nil {
				t.Fatal(err)
			}
			left := readFile(t, where, "events.jsonl")
			if left[len(left)-1] != '\n' {
				t.Errorf("events.jsonl ends in the middle of a line: %q", left[len(left)-20:])
			}
			got := append(readable(t, left, "t1"), readable(t, left, "t2")...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			must(t, again.Close())
		})
	}
}

// readable are the events of a task among lines of which some may be no events.
func readable(t *testing.T, data []byte, id string) []record.EventView {
	t.Helper()
	var all []record.EventView
	for _, raw := range lines(data) {
		var v record.EventView
		if json.Unmarshal(raw, &v) == nil && v.TaskID == id {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b record.EventView) int { return a.Seq - b.Seq })
	return all
}

// Lines of several workers never mix: each is told with one write.
func TestEventsOfOneTaskAreOneWrite(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	j := begin(t, s, "t1")
	before := len(readFile(t, where, "events.jsonl"))
	must(t, j.Append(noon, verdict()...))
	if got := len(readFile(t, where, "events.jsonl")); got != before {
		t.Errorf("%d bytes were told before Tell", got-before)
	}
	must(t, s.Tell(j), s.Tell(j))
	if got := len(events(t, where, "t1")); got != 1+len(verdict()) {
		t.Errorf("%d events; want %d", got, 1+len(verdict()))
	}
}

// An interrupted pass is one that never reached Leave. The next one finds what
// it had open by its notes, and nothing else is looked at.
func TestRecoverLooksAfterTheTasksOfAnInterruptedPass(t *testing.T) {
	where := place(t)
	s := openStore(t, where)
	must(t, runTask(t, s, "quiet", passes).Close(), s.Leave())
	must(t, runTask(t, s, "t1", passes).Close(), begin(t, s, "t2").Close(), s.Close())

	want := contents(t, where)
	for _, name := range []string{"results/t1.json", "tasks/t1/attempts/round-001.json", "tasks/t2/state.json", "results/quiet.json"} {
		writeFile(t, "{}", where, name)
	}
	for _, dir := range []string{"", "tasks", "results", "tasks/t1", "tasks/t2"} {
		writeFile(t, "half a vie", where, dir, ".tmp-0123456789abcdef")
	}
	writeFile(t, "", where, "events.jsonl")

	again := openStore(t, where)
	repaired, err := again.Recover()
	must(t, err)
	var names []string
	for _, r := range repaired {
		name, _ := filepath.Rel(where, r.Path)
		names = append(names, name)
		must(t, fsx.Scratch("").Remove(r.Aside))
	}
	if diff := cmp.Diff([]string{"tasks/t1/attempts/round-001.json", "results/t1.json", "tasks/t2/state.json"}, names); diff != "" {
		t.Errorf("repaired (-want +got):\n%s", diff)
	}
	want["results/quiet.json"] = "{}" // its pass ended: what is wrong now is no crash's work
	got := contents(t, where)
	if told := len(readable(t, []byte(got["events.jsonl"]), "quiet")); told != 0 {
		t.Errorf("%d events of a task that was not open were told again", told)
	}
	delete(want, "events.jsonl")
	delete(got, "events.jsonl")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if got, want := len(events(t, where, "t1"))+len(events(t, where, "t2")), 9; got != want {
		t.Errorf("%d events of the open tasks; want %d", got, want)
	}

	must(t, again.Leave())
	if notes := notesIn(t, where); len(notes) > 0 {
		t.Errorf("after Leave there are still notes: %v", notes)
	}
	before := stamps(t, where)
	if repaired, err := openStore(t, where).Recover(); err != nil || len(repaired) > 0 {
		t.Errorf("a second Recover = %+v, %v; want nothing", repaired, err)
	}
	if diff := cmp.Diff(before, stamps(t, where)); diff != "" {
		t.Errorf("a second Recover changed (-before +after):\n%s", diff)
	}
}

func notesIn(t *testing.T, where string) []string {
	t.Helper()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(stamps(t, where))), func(name string) bool {
		return !strings.HasPrefix(filepath.Base(name), ".open-")
	})
}
