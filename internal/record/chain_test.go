package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// chained is the journal of a task after its claim, and after one start.
func chained(t *testing.T) (claimed, started Chain) {
	t.Helper()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	claim := round.Claimed{Task: task.Task{ID: "t1", Goal: "g", Verify: []string{"unit"}}, At: at}
	claimed, err := Chain{}.Append(at, round.Event{Kind: round.Claim, Claimed: &claim})
	if err != nil {
		t.Fatal(err)
	}
	started, err = claimed.Append(at, round.Event{Kind: round.Start, Facts: &round.Facts{Now: at}})
	if err != nil {
		t.Fatal(err)
	}
	return claimed, started
}

func opened(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), ".loop"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestChainIsReadAsItWasWritten(t *testing.T) {
	_, started := chained(t)
	again, err := ParseChain(started.Text())
	if err != nil || again.Head() != started.Head() || again.State().Tries != 1 {
		t.Errorf("ParseChain = head %s, %d tries, %v; want head %s, 1 try", again.Head(), again.State().Tries, err, started.Head())
	}
	if _, err := ParseChain(started.Text()[:len(started.Text())-1]); !errors.Is(err, ErrDamaged) {
		t.Errorf("ParseChain of a torn journal = %v; want %v", err, ErrDamaged)
	}
}

func TestJournalIsExtendedByTheLinesOfAnotherHost(t *testing.T) {
	claimed, started := chained(t)
	s := opened(t)
	for _, text := range [][]byte{claimed.Text(), started.Text(), started.Text()} {
		j, err := s.Extend("t1", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Render(j), s.Tell(j), j.Close()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(s.TaskDir("t1"), "journal.jsonl"))
	if diff := cmp.Diff(string(started.Text()), string(got)); err != nil || diff != "" {
		t.Errorf("journal (-want +got, %v):\n%s", err, diff)
	}
	events, err := os.ReadFile(filepath.Join(s.Path(), "events.jsonl"))
	if lines := bytes.Count(events, []byte("\n")); err != nil || lines != 2 {
		t.Errorf("events = %d lines, %v; want each event told once, 2", lines, err)
	}
	if _, err := s.Extend("t1", claimed.Text()); !errors.Is(err, ErrDamaged) {
		t.Errorf("Extend by fewer lines = %v; want %v", err, ErrDamaged)
	}
}

func TestMirrorFollowsTheTruthAndSetsAsideWhatWentAnotherWay(t *testing.T) {
	claimed, started := chained(t)
	s := opened(t)
	for _, text := range [][]byte{started.Text(), claimed.Text(), started.Text()} {
		j, err := s.Mirror("t1", text)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := ParseChain(text)
		if j.Head() != want.Head() || j.State().Tries != want.State().Tries {
			t.Errorf("Mirror = head %s; want %s", j.Head(), want.Head())
		}
		j.Close()
	}
	aside, err := os.ReadFile(filepath.Join(s.TaskDir("t1"), "journal.jsonl.other"))
	if err != nil || string(aside) != string(started.Text()) {
		t.Errorf("set aside = %q, %v; want the copy that was longer", aside, err)
	}
}

func TestTaskThatIsGivenAwayIsMarkedUntilItComesBack(t *testing.T) {
	s := opened(t)
	if err := s.Give("t1", "temporal"); err != nil {
		t.Fatal(err)
	}
	given, err := s.Given()
	if diff := cmp.Diff([]string{"t1"}, given); err != nil || diff != "" || s.Known("t1") {
		t.Errorf("Given (-want +got, %v): %s; known %v, want it marked and without journal", err, diff, s.Known("t1"))
	}
	if err := errors.Join(s.TakeBack("t1"), s.TakeBack("t1"), s.TakeBack("never-there")); err != nil {
		t.Error(err)
	}
	if s.GivenAway("t1") {
		t.Error("GivenAway after TakeBack = true; want false")
	}
}

func FuzzParseChain(f *testing.F) {
	f.Add([]byte(`{"seq":1,"prev":"","at":"2026-03-01T12:00:00Z","kind":"claim","claimed":{"task":{"id":"t1","goal":"g"},"policy":{},"at":"2026-03-01T12:00:00Z"}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseChain(text)
		if err == nil && len(c.Lines()) > 0 && c.Head() == "" {
			t.Error("a chain with lines has no head")
		}
	})
}
