package loop_test

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// A tale is a calm run with what was said on the way, for power cuts: what was
// said before one must hold after it.
type tale struct {
	field
	before  fsxtest.Disk      // of repo/, tasks and records only
	ops     []fsx.Op          // all of them
	said    []said            // in order
	dropped map[string]string // what was put into inbox, by name
	journal map[string]string // of each task, at the end
}

// A said is what was told after so many changes: that a task has so many lines
// on record, or where a file has come to rest.
type said struct {
	after int
	name  string // of the file in inbox
	lines int
	stage task.Stage
}

// owned are the folders below repo/ that nothing may be lost from.
var owned = []string{loop.TasksDir, loop.LoopDir}

func (f field) repo() string { return f.dir + "/repo" }

// tell runs the scenario and notes what it says. before, if there is one, is
// called before each change with the number of those that were made.
func tell(t *testing.T, name string, before func(f field, made int)) tale {
	t.Helper()
	s := tale{field: lay(t, name), dropped: map[string]string{}, journal: map[string]string{}}
	disk, err := fsxtest.ReadDisk(s.repo())
	s.must(err)
	s.before = disk.Only(owned...)
	for _, path := range s.before.Names() {
		if data, ok := s.before.File(path); ok && filepath.Dir(path) == "tasks/inbox" {
			s.dropped[filepath.Base(path)] = data
		}
	}
	seam := &fsxtest.Recorder{}
	seam.Break = func(n int, _ fsx.Op) error {
		if before != nil {
			before(s.field, n-1)
		}
		return nil
	}
	s.must(s.play(playing{seam: seam, observer: &teller{tale: &s, seam: seam}}))
	s.ops = seam.Ops()
	s.sayEnds()
	after, err := fsxtest.ReadDisk(s.repo())
	s.must(err)
	for _, id := range s.tasks {
		s.journal[id], _ = after.File(".loop/tasks/" + id + "/journal.jsonl")
	}
	return s
}

// sayEnds adds what a watch says as soon as it has moved the file of a task to
// where it rests: the fsync of the folder that it was in is the last of it.
func (s *tale) sayEnds() {
	moving := said{}
	for i, op := range s.ops {
		stage := task.Stage(filepath.Base(filepath.Dir(op.To)))
		switch {
		case op.Kind == fsx.OpLink && s.isOwned(op.Path) && stage != task.Processing && stage != task.Inbox:
			moving = said{name: filepath.Base(op.Path), stage: stage}
		case op.Kind == fsx.OpUnlink && filepath.Base(op.Path) == moving.name:
			moving.after = i + 2
			s.said = append(s.said, moving)
			moving = said{}
		}
	}
	slices.SortStableFunc(s.said, func(a, b said) int { return cmp.Compare(a.after, b.after) })
}

// A teller notes what a loop says.
type teller struct {
	listener
	*tale
	seam *fsxtest.Recorder
}

func (o *teller) Recorded(s round.State, _ round.Event) {
	name, lines := s.Task.ID+".json", 1
	for _, before := range o.said {
		if before.name == name && before.lines > 0 {
			lines++
		}
	}
	o.said = append(o.said, said{after: o.seam.Count(), name: name, lines: lines})
}

func (o *teller) Quarantined(name, _ string, _ []string) {
	o.said = append(o.said, said{after: o.seam.Count(), name: name, stage: task.BlockedStage})
}

// durable is the tale with only those changes of tasks and records that are
// meant to last. Views can be rendered again, and that the notes beside them
// and the last fsync of all let none be forgotten is proved where they are
// written.
func (s tale) durable() tale {
	views := map[string]bool{} // temporary names that are never made durable
	for _, op := range s.ops {
		switch {
		case op.Kind == fsx.OpCreate && fsx.IsTemp(filepath.Base(op.Path)):
			views[op.Path] = true
		case op.Kind == fsx.OpSync:
			delete(views, op.Path)
		}
	}
	lasting := s
	lasting.ops, lasting.said = nil, nil
	rest := s.said
	for i, op := range s.ops {
		for ; len(rest) > 0 && rest[0].after <= i; rest = rest[1:] {
			lasting.said = append(lasting.said, rest[0].moved(len(lasting.ops)))
		}
		if s.isOwned(op.Path) && !views[op.Path] && !strings.HasPrefix(filepath.Base(op.Path), ".open-") {
			lasting.ops = append(lasting.ops, op)
		}
	}
	for _, last := range rest {
		lasting.said = append(lasting.said, last.moved(len(lasting.ops)))
	}
	return lasting
}

func (a said) moved(after int) said { a.after = after; return a }

// isOwned tells what belongs to tasks or records, repo/ itself included: the
// folders stand there.
func (s tale) isOwned(path string) bool {
	name, err := filepath.Rel(s.repo(), path)
	top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return err == nil && (name == "." || slices.Contains(owned, top))
}

// without takes the ith fsync away; ok is false if there are fewer.
func (s tale) without(i int) (_ tale, gone fsx.Op, ok bool) {
	ops, at, ok := fsxtest.WithoutSync(s.ops, i)
	if !ok {
		return s, fsx.Op{}, false
	}
	gone = s.ops[at]
	s.ops, s.said = ops, slices.Clone(s.said)
	for i := range s.said {
		if s.said[i].after > at {
			s.said[i].after--
		}
	}
	return s, gone, true
}

// broken is the first way in which a power cut breaks what was said, and how
// many trees were looked at.
func (s tale) broken() (trees int, err error) {
	for after, disk := range s.before.PowerCuts(s.repo(), s.ops) {
		trees++
		if err := s.holds(after, disk); err != nil {
			return trees, fmt.Errorf("after %d of %d changes: %w", after, len(s.ops), err)
		}
	}
	return trees, nil
}

// holds compares a tree with what had been said by then.
func (s tale) holds(after int, disk fsxtest.Disk) error {
	lines, stage := map[string]int{}, map[string]task.Stage{}
	for _, a := range s.said {
		if a.after <= after {
			lines[a.name] = max(lines[a.name], a.lines)
			stage[a.name] = cmp.Or(a.stage, stage[a.name])
		}
	}
	for name, data := range s.dropped {
		id := strings.TrimSuffix(name, ".json")
		journal, _ := disk.File(".loop/tasks/" + id + "/journal.jsonl")
		err := s.inOnePlace(disk, data, lines[name] > 0, stage[name], !s.isTask(id) || journal == s.journal[id])
		if s.isTask(id) {
			err = errors.Join(err, goesOn(journal, s.journal[id], lines[name]))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// inOnePlace wants a file under one name, or in the middle of a move under two,
// in the stage that was said or no earlier than that, and at rest only with all
// of its record.
func (s tale) inOnePlace(disk fsxtest.Disk, data string, claimed bool, rest task.Stage, whole bool) error {
	first := ""
	for _, name := range disk.Names() {
		if there, isFile := disk.File(name); !isFile || there != data {
			continue
		}
		stage := task.Stage(filepath.Base(filepath.Dir(name)))
		atRest := stage != task.Inbox && stage != task.Processing
		switch {
		case first != "" && !disk.SameFile(first, name):
			return fmt.Errorf("%s and %s are two files", first, name)
		case claimed && stage == task.Inbox, rest != "" && stage != rest:
			return fmt.Errorf("in %s, although it was said to be claimed, or in %q", name, rest)
		case atRest && !whole:
			return fmt.Errorf("in %s without a whole record", name)
		case stage == task.BlockedStage && strings.Contains(name, ".dup-"):
			reason, _ := disk.File(strings.TrimSuffix(name, ".json") + ".reason.json")
			if !strings.HasPrefix(reason, "{") || !strings.HasSuffix(reason, "}\n") {
				return fmt.Errorf("%s has the reason %q", name, reason)
			}
		}
		first = name
	}
	if first == "" {
		return errors.New("lost")
	}
	return nil
}

// goesOn wants a journal that has the lines that were said, and nothing but the
// beginning of what it became. What stands after the last end of a line is a
// torn one, which is cut.
func goesOn(got, whole string, lines int) error {
	kept := got[:strings.LastIndexByte(got, '\n')+1]
	if n := strings.Count(kept, "\n"); n < lines {
		return fmt.Errorf("its journal has %d lines; %d were said", n, lines)
	}
	if !strings.HasPrefix(whole, kept) {
		return errors.New("its journal is another one")
	}
	return nil
}
