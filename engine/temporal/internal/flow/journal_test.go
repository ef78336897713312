package flow

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/round"
)

// The generator of the tasks that the file host plays: their ids say what
// becomes of them.
const generator = `case $LOOPRUN_TASK_ID in
again*) if [ "$LOOPRUN_ROUND" = 1 ]; then echo wrong >a.txt; exit; fi ;;
never*) echo wrong >a.txt; exit ;;
idle*) exit ;;
ask*) echo '{"status":"needs_input","question":"which?"}' >"$LOOPRUN_REPORT"; exit ;;
reach*) echo x >loop.yaml; exit ;;
busy*) if [ "$LOOPRUN_TRY" -lt 3 ]; then echo '{"status":"failed","error":{"code":"overloaded","message":"busy"}}' >"$LOOPRUN_REPORT"; exit 1; fi ;;
esac
echo fixed >a.txt
`

const loopYAML = `version: 1
sandbox: off
generator: {command: ["sh", "agent.sh"]}
verification: {canary: false, profiles: {unit: [{run: ["grep", "-q", "fixed", "a.txt"]}]}}
recovery: {inline_wait: 10s, backoff: {base: 10ms, jitter: equal}, chains: {overloaded: {steps: [{strategy: retry, max: 3, base: 10ms, factor: 2, cap: 1s}]}}}
`

// byFiles has the file host play tasks, and returns their journals.
func byFiles(t *testing.T, ids ...string) map[string][]round.Event {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"loop.yaml": loopYAML, "agent.sh": generator, "a.txt": "broken\n", ".gitignore": "tasks/\n.loop/\n"}
	for _, id := range ids {
		files["tasks/inbox/"+id+".json"] = `{"id":"` + id + `","goal":"fix it","verify":["unit"]}`
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-qm", "base"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	cfg, faults, err := config.Load(filepath.Join(dir, "loop.yaml"))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	cfg.Generator.Command = []string{"sh", filepath.Join(dir, "agent.sh")}
	l, err := loop.Open(t.Context(), loop.Options{Config: cfg, Environ: append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Run(t.Context(), loop.Limits{}); err != nil {
		t.Fatal(err)
	}
	reader, err := l.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	journals := map[string][]round.Event{}
	for _, id := range ids {
		h, err := reader.Task(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range h.Lines {
			journals[id] = append(journals[id], line.Event)
		}
	}
	return journals
}

// What the file host recorded, times and random draws included, is decided the
// same way by the workflow, byte for byte.
func TestJournalsOfTheFileHostReplayThroughTheWorkflow(t *testing.T) {
	for id, events := range byFiles(t, "plain", "again", "never", "idle", "ask", "reach", "busy") {
		t.Run(id, func(t *testing.T) {
			if round.Fold(events).Next != round.End {
				t.Fatal("the file host did not end it")
			}
			chain := newTeller(events).play(t, id)
			if diff := cmp.Diff(decisions(t, events), decisions(t, eventsOf(chain))); diff != "" {
				t.Errorf("decisions (-files +workflow):\n%s", diff)
			}
			if diffs := round.Replay(eventsOf(chain)); len(diffs) > 0 {
				t.Errorf("Replay = %v; want none", diffs)
			}
		})
	}
}
