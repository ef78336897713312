package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
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
