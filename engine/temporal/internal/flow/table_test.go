package flow

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/mock"

	"looprun.dev/looprun/internal/round"
)

var anything = mock.Anything

// A played case is one of the table of evidence scripts, as the core alone
// played it.
type played struct {
	Name   string        `json:"name"`
	Events []round.Event `json:"events"`
}

// table has the core's own tests write what each script comes to.
func table(t *testing.T) (all []played) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.jsonl")
	cmd := exec.Command("go", "test", "-count=1", "-run", "^TestTableOfJournals$", "looprun.dev/looprun/internal/round")
	cmd.Env = append(os.Environ(), "LOOPRUN_TABLE="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go test internal/round: %v\n%s", err, out)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c played
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if len(all) < 30 {
		t.Fatalf("the table has %d cases; want those of all files", len(all))
	}
	return all
}

// needsTargets are cases in which another task shows that a target works again.
// Targets are not shared between tasks here.
var needsTargets = map[string]bool{
	"Once another start has shown that the login works, the next one is the task's own.": true,
}

func TestWorkflowDecidesWhatTheCoreDecides(t *testing.T) {
	for _, c := range table(t) {
		t.Run(c.Name, func(t *testing.T) {
			if needsTargets[c.Name] {
				t.Skip("targets are not shared between tasks on Temporal")
			}
			chain := newTeller(c.Events).play(t, "t1")
			if diff := cmp.Diff(decisions(t, c.Events), decisions(t, eventsOf(chain))); diff != "" {
				t.Errorf("decisions (-core +workflow):\n%s", diff)
			}
			if diffs := round.Replay(eventsOf(chain)); len(diffs) > 0 {
				t.Errorf("Replay of the workflow's journal = %v; want none", diffs)
			}
			if s, want := chain.State(), round.Fold(c.Events); s.Tries != want.Tries || s.Next != want.Next {
				t.Errorf("it came to %s after %d tries; want %s after %d", s.Next, s.Tries, want.Next, want.Tries)
			}
		})
	}
}
