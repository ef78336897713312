package loop_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/loop"
)

// In every tree that a power cut may leave everything holds that was said
// before it.
func TestCampaignOfPowerCuts(t *testing.T) {
	all := 0
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		t.Run(name, func(t *testing.T) {
			s := tell(t, name, nil).durable()
			trees, err := s.broken()
			if err != nil {
				t.Error(err)
			}
			if n := s.before.Unsynced(s.repo(), s.ops); n > 6 {
				t.Errorf("%d changes are left to chance at once; want at most 6", n)
			}
			all += trees
		})
	}
	fsxtest.Figure(t, all, "crash states, none with anything lost")
}

// redundant lists the fsyncs of tasks and records that no promise of this tale
// needs, each with the reason; "" for all others. before is the change that
// came before.
func (s tale) redundant(op, before fsx.Op) string {
	made, err := filepath.Rel(s.repo(), before.Path)
	switch {
	case op.Kind == fsx.OpSyncAll:
		return "makes views durable"
	case before.Kind == fsx.OpMkdir && err == nil && filepath.Dir(made) == loop.TasksDir:
		return "a stage's folder: the fsync of tasks/ at the start of the pass does it again"
	case op.Path == s.repo()+"/"+loop.TasksDir:
		return "at the start of a pass, for folders that a dead process made"
	case before.Kind == fsx.OpMkdir && (made == ".loop/tasks" || made == ".loop/results"):
		return "two folders of .loop, made one after the other: either fsync does"
	case before.Kind == fsx.OpMkdir && made == ".loop/breakers":
		return "a folder of what is made again from the journals"
	case op.Path == s.repo()+"/.loop/tasks" && before.Kind != fsx.OpMkdir:
		return "for the notes beside views"
	}
	return ""
}

// An fsync that nothing depends on would be waste, and a campaign that does not
// miss one would prove nothing.
func TestCampaignOfMissingFsyncs(t *testing.T) {
	needed, listed, elsewhere := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		t.Run(name, func(t *testing.T) {
			whole := tell(t, name, nil)
			s := whole.durable()
			for i := 0; ; i++ {
				cut, gone, ok := s.without(i)
				if !ok {
					break
				}
				reason := s.redundant(gone, s.opBefore(i))
				_, broken := cut.broken()
				switch {
				case broken == nil && reason == "":
					t.Errorf("without fsync %d (%s) nothing breaks", i, told(gone))
				case broken != nil && reason != "":
					t.Errorf("fsync %d (%s) is on the list of redundant ones, but without it %v", i, told(gone), broken)
				case reason != "":
					listed++
				default:
					needed++
				}
			}
			for _, op := range whole.ops {
				if isSync(op) && !whole.isOwned(op.Path) {
					elsewhere++
				}
			}
		})
	}
	fsxtest.Figure(t, needed, "fsyncs, each proved needed")
	t.Logf("fsyncs: %d needed, %d on the list of redundant ones, %d of trees, which are made again", needed, listed, elsewhere)
}

// opBefore is the change before the ith fsync.
func (s tale) opBefore(i int) fsx.Op {
	_, at, ok := fsxtest.WithoutSync(s.ops, i)
	if !ok || at == 0 {
		return fsx.Op{}
	}
	return s.ops[at-1]
}

// From trees that a power cut may leave, with the repository and the work trees
// as they were at that time, looprun goes on to the same end.
func TestCampaignOfRecoveriesFromPowerCuts(t *testing.T) {
	moments, trees, all := 6, 2, 0
	if atLeast("short") {
		moments, trees = 16, 3
	}
	if atLeast("long") {
		moments, trees = 40, 6
	}
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		t.Run(name, func(t *testing.T) {
			c := calmRun(t, name)
			kept := map[int]string{}
			step := max(1, len(c.ops)/moments)
			if scenarios[name].slow {
				step *= 4
			}
			s := tell(t, name, func(f field, made int) {
				if made%step == 0 {
					kept[made] = f.copied()
				}
			})
			for _, made := range slices.Sorted(maps.Keys(kept)) {
				disks := s.before.PowerCut(s.repo(), s.ownedUntil(made))
				for i := range min(trees, len(disks)) {
					t.Run(fmt.Sprintf("%d-%d", made, i), func(t *testing.T) {
						f := s.field
						f.t, f.torn = t, true
						f.restore(kept[made], disks[i*len(disks)/trees%len(disks)])
						f.goOn("power cut after change "+strconv.Itoa(made), c, 1)
					})
					all++
				}
			}
		})
	}
	fsxtest.Figure(t, all, "crash states that were recovered from")
}

func (s tale) ownedUntil(made int) []fsx.Op {
	var ops []fsx.Op
	for _, op := range s.ops[:made] {
		if s.isOwned(op.Path) {
			ops = append(ops, op)
		}
	}
	return ops
}

// copied is a copy of the whole field as it is now.
func (f field) copied() string {
	dir := fsxtest.TempDir(f.t)
	f.must(os.CopyFS(dir, os.DirFS(f.dir)))
	return dir
}

// restore makes the field what it was, but for its tasks and records.
func (f field) restore(copied string, disk fsxtest.Disk) {
	f.t.Helper()
	s := fsx.Scratch(f.dir)
	for _, name := range []string{"repo", "state", "starts"} {
		f.must(s.RemoveAll(name))
	}
	f.must(os.CopyFS(f.dir, os.DirFS(copied)))
	for _, name := range owned {
		f.must(s.RemoveAll(filepath.Join("repo", name)))
	}
	f.must(disk.WriteTo(f.repo()))
}
