package round

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the transcripts with what is decided now")

// A told case is a paragraph of a transcript file: what happens, then after
// ---- what is decided.
type told struct{ given, want string }

func readCases(t *testing.T, path string) []told {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []told
	for _, part := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		given, want, _ := strings.Cut(part+"\n", "----\n")
		cases = append(cases, told{given: given, want: want})
	}
	return cases
}

func play(t *testing.T, given string) (State, *script) {
	t.Helper()
	p, h, err := parse(strings.Split(given, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	claim := claimEvent(p)
	h.journal = []Event{claim}
	s, err := h.run(State{}.Apply(claim))
	if err != nil {
		t.Fatalf("%s\n%v", given, err)
	}
	return s, h
}

func TestTranscripts(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) == 0 {
		t.Fatal("no transcripts")
	}
	for _, path := range files {
		var all []string
		for _, c := range readCases(t, path) {
			name := strings.TrimPrefix(strings.SplitN(c.given, "\n", 2)[0], "# ")
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) {
				_, h := play(t, c.given)
				got := transcript(h.journal)
				if diff := cmp.Diff(c.want, got); diff != "" && !*update {
					t.Errorf("decisions (-want +got):\n%s", diff)
				}
				all = append(all, c.given+"----\n"+got)
			})
		}
		if *update {
			if err := os.WriteFile(path, []byte(strings.Join(all, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Stopped after any event and built anew from the journal, a task comes to the
// same end by the same decisions. Only a start whose outcome was not recorded
// yet is a try more: it ended interrupted.
func TestStoppedAnywhereComesToTheSameEnd(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, path := range files {
		for _, c := range readCases(t, path) {
			_, whole := play(t, c.given)
			for stop := 1; stop < len(whole.journal); stop++ {
				rebuilt := Fold(whole.journal[:stop])
				if rebuilt.Next == Generate {
					continue // that start is burnt: see TestStartWithoutOutcomeIsATryMore
				}
				_, h, _ := parse(strings.Split(c.given, "\n"))
				h.journal = append([]Event(nil), whole.journal[:stop]...)
				h.now = rebuilt.Now
				for _, e := range h.journal {
					switch {
					case e.Kind == Decide:
						h.decided++
					case e.Kind == Land && e.Landed.Reason != "":
						h.refuses--
					}
				}
				if _, err := h.run(rebuilt); err != nil {
					t.Fatalf("%sstopped after %d events: %v", c.given, stop, err)
				}
				if diff := cmp.Diff(transcript(whole.journal), transcript(h.journal)); diff != "" {
					t.Errorf("%sstopped after %d events (-whole +stopped):\n%s", c.given, stop, diff)
				}
			}
		}
	}
}

func TestReplayDerivesEveryDecisionAnew(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, path := range files {
		for _, c := range readCases(t, path) {
			_, h := play(t, c.given)
			if diffs := Replay(h.journal); len(diffs) > 0 {
				t.Errorf("%sReplay = %v; want none", c.given, diffs)
			}
		}
	}
}
