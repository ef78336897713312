package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// journalPath is where the journal of a task stands below .loop.
func journalPath(id string) string { return filepath.Join("tasks", id, "journal.jsonl") }

func TestEachLineNamesTheOneBeforeIt(t *testing.T) {
	path := place(t)
	j := runTask(t, openStore(t, path), "t1", unsound, passes)
	prev := ""
	for i, raw := range lines(readFile(t, path, journalPath("t1"))) {
		var l struct {
			Seq  int
			Prev string
			Kind round.Kind
		}
		must(t, json.Unmarshal(raw, &l))
		if l.Seq != i+1 || l.Prev != prev {
			t.Errorf("line %d has seq %d and prev %q; want prev %q", i+1, l.Seq, l.Prev, prev)
		}
		prev = record.Digest(bytes.TrimSuffix(raw, []byte("\n")))
	}
	if j.Head() != prev {
		t.Errorf("Head = %q; want the digest of the last line %q", j.Head(), prev)
	}
}

// What is in memory and what a reader of the file gets are the same, or a
// crash would change what was decided.
func TestAJournalIsReadAsItWasWritten(t *testing.T) {
	for name, tries := range map[string][]string{
		"done in two rounds": {unsound, passes}, "no change": {idle}, "needs input": {fails, fails},
		"blocked": {outside}, "a question": {question}, "a wait": {limited, passes},
	} {
		t.Run(name, func(t *testing.T) {
			path := place(t)
			j := runTask(t, openStore(t, path), "t1", tries...)
			again := openTask(t, openStore(t, path), "t1")
			if got, want := asJSON(t, again.Lines()), asJSON(t, j.Lines()); got != want {
				t.Errorf("lines: %s", cmp.Diff(want, got))
			}
			if diff := cmp.Diff(asJSON(t, j.State()), asJSON(t, again.State())); diff != "" {
				t.Errorf("state (-memory +file):\n%s", diff)
			}
			if again.Head() != j.Head() {
				t.Errorf("head = %s; want %s", again.Head(), j.Head())
			}
		})
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	must(t, err)
	return string(data)
}

// Whoever has only the journal can tell that the policy in it is the one that
// its hash names.
func TestThePolicyInAJournalHasItsHash(t *testing.T) {
	path := place(t)
	begin(t, openStore(t, path), "t1")
	claimed := openTask(t, openStore(t, path), "t1").State().Claimed
	data, err := json.Marshal(claimed.Policy)
	must(t, err)
	if got := record.Digest(data); got != claimed.PolicySHA {
		t.Errorf("digest of the policy = %s; want %s", got, claimed.PolicySHA)
	}
}

func TestABatchIsOneWriteAndOneFsync(t *testing.T) {
	seam := &fsxtest.Recorder{}
	j := begin(t, openStore(t, place(t), seam), "t1")
	seam.Reset()
	must(t, j.Append(noon, verdict()...))
	var kinds []string
	for _, op := range seam.Ops() {
		kinds = append(kinds, op.Kind)
		if op.Kind == fsx.OpWrite && bytes.Count(op.Data, []byte("\n")) != len(verdict()) {
			t.Errorf("the write has %d lines; want %d", bytes.Count(op.Data, []byte("\n")), len(verdict()))
		}
	}
	if want := []string{fsx.OpWrite, fsx.OpSync}; !slices.Equal(kinds, want) {
		t.Errorf("changes = %v; want %v", kinds, want)
	}
}

// verdict is a start with its try and a verdict with its decision, as far as
// the fold goes.
func verdict() []round.Event {
	return []round.Event{
		{Kind: round.Start, Facts: &round.Facts{Now: noon}},
		{Kind: round.Generate, Try: &round.Try{N: 1, Ended: "exit", Candidate: round.Candidate{Tree: "x", Changed: []round.Change{{Path: "a", Status: "M"}}}}},
		{Kind: round.Verify, Evidence: &round.Evidence{Tree: "x"}},
	}
}

// After a failed write nothing more is written: only a reader that starts
// afresh can tell what reached the file.
func TestAfterAFailedAppendTheJournalIsReadAnew(t *testing.T) {
	for _, size := range []int{0, 1, 100, 700, 1 << 20} {
		path, seam := place(t), &fsxtest.Recorder{}
		s := openStore(t, path, seam)
		j := begin(t, s, "t1")
		before := j.State()
		seam.Reset()
		seam.Break = fsxtest.ShortAt(1, size, syscall.ENOSPC).Break
		for range 2 {
			if err := j.Append(noon, verdict()...); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("Append with %d bytes of room = %v; want ENOSPC", size, err)
			}
		}
		if len(j.Lines()) != 1 || j.State().Next != before.Next {
			t.Errorf("after a failed append the journal has %d lines, next %s", len(j.Lines()), j.State().Next)
		}
		again := openTask(t, openStore(t, path), "t1")
		if got := len(again.Lines()); got > 1+len(verdict()) || size < 100 && got != 1 {
			t.Errorf("after %d bytes of a batch the journal has %d lines", size, got)
		}
		must(t, again.Append(noon, verdict()[0]))
	}
}

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

func TestAClaimThatDiedBeforeItsFirstLineIsBegunAgain(t *testing.T) {
	for name, left := range map[string]string{"an empty journal": "", "half a line": `{"seq":1,"prev":"","at"`, "zero bytes": "\x00\x00\x00"} {
		t.Run(name, func(t *testing.T) {
			path := place(t)
			s := openStore(t, path)
			must(t, fsx.Scratch(path).MkdirAll("tasks/t1"))
			writeFile(t, left, path, journalPath("t1"))
			if got := len(begin(t, s, "t1").Lines()); got != 1 {
				t.Errorf("the journal has %d lines; want 1", got)
			}
		})
	}
}

// A line that was changed, taken out or moved is not repaired: the journal is
// left as it is, byte for byte, and every attempt to write to it is refused.
func TestADamagedJournalIsNeverWrittenTo(t *testing.T) {
	path := place(t)
	s := openStore(t, path)
	must(t, runTask(t, s, "t1", unsound, passes).Close())
	whole := lines(readFile(t, path, journalPath("t1")))
	join := func(l ...[]byte) string { return string(bytes.Join(l, nil)) }
	without := func(i int) string { return join(slices.Delete(slices.Clone(whole), i, i+1)...) }
	for name, data := range map[string]string{
		"another byte in a middle line":     strings.Replace(join(whole...), `"kind":"start"`, `"kind":"Start"`, 1),
		"another number that still decodes": strings.Replace(join(whole...), `"draw":0.25`, `"draw":0.26`, 1),
		"the first line gone":               without(0),
		"a middle line gone":                without(2),
		"a line twice":                      join(slices.Insert(slices.Clone(whole), 2, whole[2])...),
		"two lines swapped":                 join(append([][]byte{whole[0], whole[2], whole[1]}, whole[3:]...)...),
		"an empty line":                     join(slices.Insert(slices.Clone(whole), 2, []byte("\n"))...),
		"zero bytes in a middle line":       strings.Replace(join(whole...), `"kind":"start"`, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 1),
		"no JSON at the end":                join(whole...) + "}\n",
		"an unknown kind":                   chained(t, whole, `"kind":"dance"`),
		"a kind without its contents":       chained(t, whole, `"kind":"verify"`),
		"a second claim":                    chained(t, whole, `"kind":"claim","claimed":{}`),
		"no claim first":                    `{"seq":1,"prev":"","at":"2026-12-01T12:00:00Z","kind":"start","facts":{"now":"2026-12-01T12:00:00Z","draw":0}}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			writeFile(t, data, path, journalPath("t1"))
			before := stamps(t, path)
			if _, err := s.Task("t1"); !errors.Is(err, record.ErrDamaged) {
				t.Errorf("Task = %v; want ErrDamaged", err)
			}
			if _, err := s.Repair("t1"); err != nil {
				t.Errorf("Repair = %v", err)
			}
			if _, err := historyOf(path, "t1"); !errors.Is(err, record.ErrDamaged) {
				t.Errorf("Reader.Task = %v; want ErrDamaged", err)
			}
			if diff := cmp.Diff(before, stamps(t, path)); diff != "" {
				t.Errorf("files changed (-before +after):\n%s", diff)
			}
			if _, err := s.Begin("t1", noon, claim(t, "t1")); !errors.Is(err, record.ErrDamaged) {
				t.Errorf("Begin = %v; want ErrDamaged", err)
			}
			if got := string(readFile(t, path, journalPath("t1"))); got != data {
				t.Error("the journal was written to")
			}
		})
	}
}

// chained is a journal with one more line that follows by its number and hash.
func chained(t *testing.T, all [][]byte, member string) string {
	t.Helper()
	data := bytes.Join(all, nil)
	head := record.Digest(bytes.TrimSuffix(all[len(all)-1], []byte("\n")))
	return fmt.Sprintf("%s{\"seq\":%d,\"prev\":%q,\"at\":\"2026-12-01T12:00:00Z\",%s}\n", data, len(all)+1, head, member)
}

// The lines before the damage are still there to be looked at.
func TestAReaderGivesTheLinesBeforeTheDamage(t *testing.T) {
	path := place(t)
	runTask(t, openStore(t, path), "t1", passes)
	all := lines(readFile(t, path, journalPath("t1")))
	writeFile(t, string(all[0])+string(all[1])+"nonsense\n", path, journalPath("t1"))
	h, err := historyOf(path, "t1")
	if !errors.Is(err, record.ErrDamaged) || len(h.Lines) != 2 || h.State.Next != round.Start {
		t.Errorf("Task = %d lines, next %s, %v; want 2 lines, next start, ErrDamaged", len(h.Lines), h.State.Next, err)
	}
	if !strings.Contains(err.Error(), "line 3") {
		t.Errorf("Task = %v; want the number of the line", err)
	}
}

func TestATaskIsBegunOnce(t *testing.T) {
	s := openStore(t, place(t))
	begin(t, s, "t1")
	if _, err := s.Begin("t1", noon, claim(t, "t1")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Begin = %v; want fs.ErrExist", err)
	}
	if _, err := s.Task("t2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Task of an unknown task = %v; want fs.ErrNotExist", err)
	}
	if s.Known("t2") || !s.Known("t1") {
		t.Error("Known: want t1 alone")
	}
}

func TestAHistoryContainsEveryHeadItHad(t *testing.T) {
	path := place(t)
	j := runTask(t, openStore(t, path), "t1", passes)
	h, err := historyOf(path, "t1")
	must(t, err)
	heads := []string{j.Head()}
	for _, l := range j.Lines()[1:] {
		heads = append(heads, l.Prev)
	}
	for _, head := range heads {
		if !h.Contains(head) {
			t.Errorf("Contains(%s) = false; want true", head)
		}
	}
	all := lines(readFile(t, path, journalPath("t1")))
	writeFile(t, string(bytes.Join(all[:len(all)-1], nil)), path, journalPath("t1"))
	cut, err := historyOf(path, "t1")
	must(t, err)
	for _, head := range []string{j.Head(), "", strings.Repeat("0", 64)} {
		if cut.Contains(head) {
			t.Errorf("after the last line was cut off Contains(%q) = true; want false", head)
		}
	}
}
