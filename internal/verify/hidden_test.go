package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/round"
)

// hiddenJob has a visible check, and a hidden one that reads a file which only
// its own folder holds.
func hiddenJob(t *testing.T, visible, verdict string, files map[string]string) Job {
	t.Helper()
	hidden := fake(t, "file", "acceptance/verdict.txt")
	hidden.Hidden = "hidden"
	j := jobOf(t, files, hidden, fake(t, "exit", visible))
	writeTree(t, filepath.Join(j.Home, "hidden"), map[string]string{"acceptance/verdict.txt": verdict, "src/a.txt": "over\n"})
	return j
}

// snapshot reads all of a tree.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		switch {
		case e.Type()&os.ModeSymlink != 0:
			m[rel], err = os.Readlink(path)
		case e.IsDir():
			m[rel] = "folder"
		default:
			var data []byte
			data, err = os.ReadFile(path)
			m[rel] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRunKeepsHiddenChecksHidden(t *testing.T) {
	tests := map[string]struct {
		visible, verdict string
		files            map[string]string
		checks           int
		hidden           bool
	}{
		"both pass":                          {"0", "0\n", nil, 2, false},
		"the hidden one fails":               {"0", "1\nerror: the secret reason\n", nil, 2, true},
		"it is not asked when others fail":   {"1", "1\nerror: the secret reason\n", nil, 1, false},
		"files of the tree are only covered": {"0", "0\n", map[string]string{"acceptance/verdict.txt": "1\n", "src/a.txt": "under\n"}, 2, false},
		"a file in the place of a folder":    {"0", "0\n", map[string]string{"acceptance": "planted"}, 2, true},
		"a folder in the place of a file":    {"0", "0\n", map[string]string{"acceptance/verdict.txt/x": "planted"}, 2, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := hiddenJob(t, tt.visible, tt.verdict, tt.files)
			before := snapshot(t, j.Dir)
			ev := verified(t, j)
			if len(ev.Checks) != tt.checks || ev.Hidden != tt.hidden || ev.Infra {
				t.Errorf("evidence has %d checks, hidden %v, infra %v; want %d, %v", len(ev.Checks), ev.Hidden, ev.Infra, tt.checks, tt.hidden)
			}
			if all, _ := json.Marshal(ev); strings.Contains(string(all), "secret reason") {
				t.Errorf("the evidence tells what the hidden check saw: %s", all)
			}
			if diff := cmp.Diff(before, snapshot(t, j.Dir)); diff != "" {
				t.Errorf("the tree is not what it was (-before +after):\n%s", diff)
			}
		})
	}
}

// What the candidate linked is not written through, and is back afterwards.
func TestRunLaysHiddenFilesOverALink(t *testing.T) {
	j := hiddenJob(t, "0", "0\n", map[string]string{"src/b.txt": "b\n"})
	if err := os.Symlink("b.txt", filepath.Join(j.Dir, "src", "a.txt")); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, j.Dir)
	if ev := verified(t, j); ev.Hidden || len(ev.Checks) != 2 {
		t.Errorf("evidence = %+v; want a pass", ev)
	}
	if diff := cmp.Diff(before, snapshot(t, j.Dir)); diff != "" {
		t.Errorf("the tree is not what it was (-before +after):\n%s", diff)
	}
}

func TestRunWithoutTheHiddenFolderIsTheEnvironment(t *testing.T) {
	j := hiddenJob(t, "0", "0\n", nil)
	j.Home = t.TempDir()
	if ev := verified(t, j); !ev.Infra || ev.Hidden {
		t.Errorf("infra %v, hidden %v; want a fault of the environment", ev.Infra, ev.Hidden)
	}
}

func TestHiddenResultHoldsNothingButItsVerdict(t *testing.T) {
	ev := verified(t, hiddenJob(t, "0", "7\nerror: x\n", nil))
	got := ev.Checks[1]
	want := round.CheckResult{Profile: "unit", Hidden: true, DurationMS: got.DurationMS, Stdout: round.File{Missing: "hidden"}, Stderr: round.File{Missing: "hidden"}}
	want.Argv, want.ExitCode, want.PathTaken = got.Argv, 1, "hidden"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hidden result differs (-want +got):\n%s", diff)
	}
}
