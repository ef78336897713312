package loop_test

import (
	"os"
	"path/filepath"
	"testing"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
)

// What a killed looprun leaves in the system's place for temporary files goes
// with the next start. What others have there stays, also under a like name.
func TestTemporaryFoldersOfADeadInstanceGo(t *testing.T) {
	place := fsx.Scratch(t.TempDir())
	t.Setenv("TMPDIR", string(place))
	f := layOut(t, "killed", scenario{
		mode: config.InPlace, tasks: []string{"t1"}, agent: ":",
		check: `test -e "../killed" && exit; touch ../killed; echo "$TMPDIR" >../tmp; touch "$TMPDIR/left"; kill -9 $PPID; sleep 600`,
	})
	scenarios["killed"] = f.scenario
	t.Cleanup(func() { delete(scenarios, "killed") })
	if !f.dies(killed, 1<<30) {
		t.Fatal("the check did not kill looprun")
	}
	tmp, err := os.ReadFile(f.dir + "/tmp")
	f.must(err)
	left := filepath.Dir(string(tmp))
	if _, err := os.Lstat(left); err != nil || filepath.Dir(left) != string(place) {
		t.Fatalf("the killed instance left %q, %v; want a folder in %s", left, err, place)
	}
	name := filepath.Base(left)
	other := name[:len("looprun-check-")] + "0123456789abcdef" + name[len("looprun-check-")+16:]
	f.must(place.MkdirAll(other), place.Symlink(f.dir, name+"1"), place.WriteFile(name+"2", nil))
	f.must(f.passes(nil))
	for path, want := range map[string]bool{name: false, other: true, name + "1": true, name + "2": true} {
		if _, err := os.Lstat(place.Path(path)); (err == nil) != want {
			t.Errorf("%s is there: %v; want %v", path, err == nil, want)
		}
	}
	if _, err := os.Stat(f.dir); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
}
