package loop_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// An end is all that counts of how a scenario ended.
type end struct {
	Stages  map[string]string // of each task: where its file is, and why
	Rounds  map[string]int
	Differs []string // decisions that a replay derives otherwise, views that had to be repaired
}

// look reads the end from disk.
func (f field) look() end {
	f.t.Helper()
	e := end{Stages: map[string]string{}, Rounds: map[string]int{}}
	for id, stages := range f.where() {
		e.Stages[id] = strings.Join(stages, " and ")
	}
	r, err := record.NewReader(f.dir + "/repo/.loop")
	f.must(err)
	defer r.Close()
	for _, id := range f.tasks {
		h, err := r.Task(id)
		f.must(err)
		result, err := r.Result(id)
		f.must(err)
		e.Stages[id] += " " + string(result.Reason)
		e.Rounds[id] = result.Round
		var events []round.Event
		for _, l := range h.Lines {
			events = append(events, l.Event)
		}
		e.Differs = append(e.Differs, round.Replay(events)...)
	}
	e.Differs = append(e.Differs, f.repaired()...)
	return e
}

// repaired are the views that are not as their journals say.
func (f field) repaired() []string {
	s, err := record.Open(f.dir + "/repo/.loop")
	f.must(err)
	defer s.Close()
	all, err := s.Repair(f.tasks...)
	f.must(err)
	var names []string
	for _, r := range all {
		names = append(names, r.Path)
	}
	return names
}

// where lists the stages that have a file of each task.
func (f field) where() map[string][]string {
	found := map[string][]string{}
	for _, stage := range task.Stages {
		names, err := filepath.Glob(f.dir + "/repo/tasks/" + string(stage) + "/*")
		f.must(err)
		for _, name := range names {
			id := strings.TrimSuffix(filepath.Base(name), ".json")
			found[id] = append(found[id], string(stage))
		}
	}
	return found
}

// starts counts how often the generator was started.
func (f field) starts() int {
	data, err := os.ReadFile(f.dir + "/starts")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

// kept are the records of what is over, with what they hold.
func (f field) kept() map[string]string {
	all := map[string]string{}
	for _, pattern := range []string{"tasks/*/attempts/round-*.json", "tasks/*/plan-*.json", "tasks/*/task.json", "results/*.json"} {
		names, err := filepath.Glob(f.dir + "/repo/.loop/" + pattern)
		f.must(err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			f.must(err)
			all[name] = string(data)
		}
	}
	return all
}

// A calm run of a scenario is what all others are held against.
type calm struct {
	end    end
	starts int
	ops    []fsx.Op
}

var calms = map[string]calm{} // made once; the tests that make them come one after another

func calmRun(t *testing.T, name string) calm {
	t.Helper()
	if c, made := calms[name]; made {
		return c
	}
	f := lay(t, name)
	seam := &fsxtest.Recorder{}
	f.must(f.passes(seam))
	c := calm{f.look(), f.starts(), seam.Ops()}
	if diff := cmp.Diff(f.stages, c.end.Stages); diff != "" || len(c.end.Differs) > 0 {
		t.Fatalf("undisturbed (-want +got):\n%s%v", diff, c.end.Differs)
	}
	calms[name] = c
	return c
}

// goOn lets looprun start again after something happened to it, and holds its
// end against the calm one, with so many starts more at most.
func (f field) goOn(what string, c calm, more int) {
	f.t.Helper()
	for id, stages := range f.where() {
		if f.isTask(id) && len(stages) != 1 && !(len(stages) == 2 && f.oneFile(id, stages)) {
			f.t.Errorf("%s: %s is in %v", what, id, stages)
		}
	}
	kept := f.kept()
	f.clean()
	if err := f.play(playing{ahead: 3 * time.Hour}); err != nil {
		f.t.Errorf("%s: the next run: %v", what, err)
		return
	}
	if diff := cmp.Diff(c.end, f.look()); diff != "" {
		f.t.Errorf("%s: another end (-calm +got):\n%s", what, diff)
	}
	if got := f.starts(); got > c.starts+more {
		f.t.Errorf("%s: %d starts; want at most %d", what, got, c.starts+more)
	}
	after := f.kept()
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if after[name] != kept[name] && !f.torn {
			f.t.Errorf("%s: %s was replaced by another: %s", what, name, cmp.Diff(kept[name], after[name]))
		}
	}
	before := f.stamps()
	if err := f.play(playing{ahead: 6 * time.Hour}); err != nil {
		f.t.Errorf("%s: one run more: %v", what, err)
	}
	if diff := cmp.Diff(before, f.stamps()); diff != "" {
		f.t.Errorf("%s: one run more changes something (-before +after):\n%s", what, diff)
	}
}

// stamps are the sizes and times of all tasks and records.
func (f field) stamps() map[string]string {
	all := map[string]string{}
	for _, root := range []string{"/repo/tasks", "/repo/.loop"} {
		f.must(filepath.WalkDir(f.dir+root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if d.Name() != "owner.json" && path != f.dir+"/repo/.loop" { // each instance writes its name there
				all[path] = fmt.Sprint(info.Size(), " ", info.ModTime())
			}
			return err
		}))
	}
	return all
}

// oneFile tells whether two stages have one and the same file: a move is
// half-way, and no name is lost.
func (f field) oneFile(id string, stages []string) bool {
	a, err1 := os.Stat(f.dir + "/repo/tasks/" + stages[0] + "/" + id + ".json")
	b, err2 := os.Stat(f.dir + "/repo/tasks/" + stages[1] + "/" + id + ".json")
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// clean does what a person does in a checkout in which looprun died.
func (f field) clean() {
	if f.mode != config.InPlace || f.agent == ":" {
		return
	}
	cmd := exec.Command("sh", "-c", "git checkout -q . && git clean -fdq")
	cmd.Dir = f.dir + "/repo"
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("clean: %v\n%s", err, out)
	}
}
