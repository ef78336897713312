package record_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/record"
)

// A journal that is cut anywhere in its last lines goes on from the whole
// ones. What was cut is kept beside it.
func TestATornTailIsSetAsideAndTakenOff(t *testing.T) {
	path := place(t)
	runTask(t, openStore(t, path), "t1", passes)
	whole := readFile(t, path, journalPath("t1"))
	all := lines(whole)
	from := len(whole) - len(all[len(all)-1]) - len(all[len(all)-2])
	tails := map[string]func(cut int) string{
		"nothing":       func(int) string { return "" },
		"zero bytes":    func(cut int) string { return strings.Repeat("\x00", len(whole)-cut) },
		"zeros and end": func(cut int) string { return strings.Repeat("\x00", max(0, len(whole)-cut-1)) + "\n" },
		"one zero":      func(int) string { return "\x00" },
		"a whole block": func(int) string { return strings.Repeat("\x00", 4096) },
	}
	for name, tail := range tails {
		t.Run(name, func(t *testing.T) {
			for cut := from; cut < len(whole); cut++ {
				left := string(whole[:cut]) + tail(cut)
				if !strings.ContainsAny(left[from:], "\x00") && strings.HasSuffix(left, "\n") && tail(cut) != "" {
					continue // the end of the line is all that is there: nothing is torn
				}
				torn(t, path, left, cut)
			}
		})
	}
}

// torn puts a journal there that ends in the middle, opens it, and appends.
func torn(t *testing.T, path, left string, cut int) {
	t.Helper()
	dir := filepath.Join(path, "tasks", "t1")
	for _, aside := range asideOf(t, dir) {
		must(t, os.Remove(aside))
	}
	writeFile(t, left, dir, "journal.jsonl")
	keep := 0
	for _, l := range lines([]byte(left)) {
		if bytes.IndexByte(l, 0) < 0 {
			keep += len(l)
		}
	}
	s := openStore(t, path)
	j, err := s.Task("t1")
	if err != nil {
		t.Fatalf("cut at byte %d: %v", cut, err)
	}
	if got := readFile(t, dir, "journal.jsonl"); string(got) != left[:keep] {
		t.Errorf("cut at byte %d: %d bytes are left; want %d", cut, len(got), keep)
	}
	var kept string
	for _, aside := range asideOf(t, dir) {
		kept += string(readFile(t, aside))
	}
	if kept != left[keep:] {
		t.Errorf("cut at byte %d: %q was set aside; want %q", cut, kept, left[keep:])
	}
	must(t, j.Append(noon, verdict()[0]), j.Close(), s.Close())
	h, err := historyOf(path, "t1")
	if err != nil || h.Torn {
		t.Errorf("cut at byte %d: after the next line: %v, torn %v", cut, err, h.Torn)
	}
}

func asideOf(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.torn*"))
	must(t, err)
	return names
}

func historyOf(path, id string) (record.History, error) {
	r, err := record.NewReader(path)
	if err != nil {
		return record.History{}, err
	}
	defer r.Close()
	return r.Task(id)
}

func TestAnotherTornTailIsKeptBesideTheFirst(t *testing.T) {
	path := place(t)
	s := openStore(t, path)
	must(t, begin(t, s, "t1").Close())
	dir := filepath.Join(path, "tasks", "t1")
	for _, tail := range []string{"{\"seq\": 2, one", "{\"seq\": 2, two"} {
		writeFile(t, string(readFile(t, dir, "journal.jsonl"))+tail, dir, "journal.jsonl")
		must(t, openTask(t, s, "t1").Close())
	}
	got := []string{string(readFile(t, dir, "journal.jsonl.torn")), string(readFile(t, dir, "journal.jsonl.torn-2"))}
	if want := []string{"{\"seq\": 2, one", "{\"seq\": 2, two"}; !slices.Equal(got, want) {
		t.Errorf("set aside: %q; want %q", got, want)
	}
}
