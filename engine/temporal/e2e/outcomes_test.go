//go:build unix

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestThirtyTasksAreEachDoneOnce(t *testing.T) {
	r := newRig(t, 3, 2, "30s")
	var ids, want []string
	for n := range 30 {
		kind := "plain"
		if n%5 == 0 {
			kind = "again"
		}
		ids = append(ids, fmt.Sprintf("%s-%02d", kind, n))
		want = append(want, fmt.Sprintf("done/%s-%02d.json", kind, n))
	}
	r.start(ids...)
	r.run("looprun-temporal", "start") // bears repeating
	for _, id := range ids {
		v := r.end(id, 2*time.Minute)
		commit := r.git(filepath.Join(r.dir, "remote.git"), "rev-parse", "refs/looprun/"+id+"/accepted", "refs/heads/looprun/"+id)
		if want := v.Commit + "\n" + v.Commit; v.Decision != "completed" || commit != want {
			t.Errorf("%s = %s %s at %q; want it completed at %q", id, v.Decision, v.Reason, commit, want)
		}
		if starts, h := len(r.started(id)), r.history(id); starts != h.State.Tries || starts != h.State.Round {
			t.Errorf("%s: %d starts, %d on record in %d rounds; want one a round", id, starts, h.State.Tries, h.State.Round)
		}
		r.run("looprun", "replay", id)
	}
	slices.Sort(want)
	if !within(10*time.Second, func() bool { return slices.Equal(want, r.stages()) }) {
		t.Errorf("files (-want +got):\n%s", cmp.Diff(want, r.stages()))
	}
	if refs := r.git(filepath.Join(r.dir, "remote.git"), "for-each-ref", "--format=%(refname)", "refs/looprun"); strings.Contains(refs, "/r1/") || strings.Contains(refs, "/base") {
		t.Errorf("refs of dead tries are left in the remote:\n%s", refs)
	}
}

// The same tasks come to the same ends by files alone.
func TestOutcomesAreThoseOfTheFileHost(t *testing.T) {
	r := newRig(t, 2, 2, "30s")
	ids := []string{"plain-1", "again-1", "never-1", "ask-1", "reach-1", "idle-1", "crash-1"}
	byFiles := r.byFiles(ids)
	r.start(ids...)
	for _, id := range ids {
		v := r.end(id, time.Minute)
		got := fmt.Sprintf("%s %s round %d, %d starts", v.Decision, v.Reason, v.Round, r.history(id).State.Tries)
		if got != byFiles[id] {
			t.Errorf("%s = %s; want %s, as with files", id, got, byFiles[id])
		}
		r.run("looprun", "replay", id)
		if out, err := r.try("looprun", "explain", id); err != nil {
			t.Errorf("explain %s: %v\n%s", id, err, out)
		}
	}
	r.try("looprun-temporal", "answer", "ask-1", "--text", "the second")
	if v := r.end("ask-1-2", time.Minute); v.Decision != "needs_input" || r.history("ask-1-2").State.Claimed.FollowUp.Answer != "the second" {
		t.Errorf("the follow-up = %s %s; want it to ask again with the answer at hand", v.Decision, v.Reason)
	}
}

// byFiles plays tasks with looprun run in a copy of the control repository.
func (r *rig) byFiles(ids []string) map[string]string {
	r.t.Helper()
	if out, err := exec.Command("cp", "-a", r.control, r.control+"-files").CombinedOutput(); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	f := &rig{t: r.t, dir: r.dir, control: r.control + "-files"}
	for _, id := range ids {
		f.write(filepath.Join("control-files/tasks/inbox", id+".json"), fmt.Sprintf(`{"id":%q,"goal":"fix it","verify":["unit"]}`, id))
	}
	out, _ := f.try("looprun", "run") // its exit code tells of tasks that did not pass
	r.t.Logf("by files:\n%s", out)
	ends := map[string]string{}
	for _, id := range ids {
		v := f.end(id, time.Second)
		ends[id] = fmt.Sprintf("%s %s round %d, %d starts", v.Decision, v.Reason, v.Round, f.history(id).State.Tries)
	}
	return ends
}
