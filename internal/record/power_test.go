package record_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// An ack is what a journal had said was recorded, after so many changes.
type ack struct {
	after int
	id    string
	lines int
	head  string
}

// A story is two passes over two tasks: the first is left in the middle of t1,
// the second ends it and takes up t2.
type story struct {
	before fsxtest.Disk
	root   string
	ops    []fsx.Op
	acks   []ack
	views  bool // ops have what is done to those that are compared
}

func tell(t *testing.T) story {
	t.Helper()
	where := place(t)
	must(t, openStore(t, where).Close())
	before, err := fsxtest.ReadDisk(where)
	must(t, err)
	s := story{before: before, root: where}
	seam := &fsxtest.Recorder{}
	note := func(j *record.Journal) func() {
		return func() { s.acks = append(s.acks, ack{seam.Count(), j.ID, len(j.Lines()), j.Head()}) }
	}
	play := func(store *record.Store, j *record.Journal, try string) { // up to a start, or to the end
		p := &player{store: store, journal: j, tries: []string{try}, now: noon, bare: true, acked: note(j)}
		_, err := round.Play(struct{}{}, j.State(), p)
		must(t, err)
	}
	first := openStore(t, where, seam)
	j, err := first.Begin("t1", noon, small("t1"))
	must(t, err)
	note(j)()
	must(t, first.Render(j), first.Tell(j))
	play(first, j, "")
	must(t, j.Close(), first.Leave(), first.Close())

	second := openStore(t, where, seam)
	_, err = second.Recover()
	must(t, err)
	play(second, openTask(t, second, "t1"), passes)
	j, err = second.Begin("t2", noon, small("t2"))
	must(t, err)
	note(j)()
	must(t, second.Render(j), second.Tell(j))
	play(second, j, idle)
	play(second, j, idle)
	must(t, second.Leave())
	s.ops = seam.Ops()
	return s
}

// small is a claim with a short policy: a campaign goes through its bytes many
// thousand times.
func small(id string) round.Claimed {
	return round.Claimed{
		Task: task.Task{ID: id, Goal: "g", Verify: []string{"unit"}}, At: noon,
		Policy: round.Policy{
			Land: "branch", Baseline: true, MaxRounds: 3, SameFailure: 2, MaxTries: 8, MaxTokens: 1e6, Cost: 5e6, DailyCost: 5e6,
			WallClock: unit.Duration(time.Hour), Deadline: unit.Duration(24 * time.Hour), TryTimeout: unit.Duration(time.Hour),
		},
	}
}

// without leaves out what is done to some of the views: there are so many that
// not all combinations could be gone through.
func (s story) without(skip func(name string) bool) story {
	temps, cut := map[string]string{}, s
	for _, op := range s.ops {
		if op.Kind == fsx.OpRename {
			temps[op.Path] = path.Base(op.To)
		}
	}
	cut.ops, cut.acks, cut.views = nil, nil, !skip(compared[0])
	acks := s.acks
	for i, op := range s.ops {
		for ; len(acks) > 0 && acks[0].after <= i; acks = acks[1:] {
			cut.acks = append(cut.acks, ack{len(cut.ops), acks[0].id, acks[0].lines, acks[0].head})
		}
		if to := temps[op.Path]; to == "" || !skip(to) {
			cut.ops = append(cut.ops, op)
		}
	}
	return cut
}

// The notes are among what is kept.
func allViews(name string) bool { return !strings.HasPrefix(name, ".open-") }
func fewViews(name string) bool { return allViews(name) && !slices.Contains(compared, name) }

// compared are the views that the first pass writes, and those of the second.
var compared = []string{"task.json", "t1.json", "t2.json"}

// broken is the first way in which a power cut breaks what was promised.
func (s story) broken(t *testing.T) error {
	t.Helper()
	for after, disk := range s.before.PowerCuts(s.root, s.ops) {
		if err := s.journals(after, disk); err != nil {
			return fmt.Errorf("after %d changes: %w", after, err)
		}
		if err := viewsFollow(t, disk); s.views && err != nil {
			return fmt.Errorf("after %d changes: %w", after, err)
		}
	}
	return nil
}

// journals wants every acknowledged line, and nothing that reads as damage.
func (s story) journals(after int, disk fsxtest.Disk) error {
	for _, a := range s.acks {
		if a.after > after {
			continue
		}
		data, _ := disk.File("tasks/" + a.id + "/journal.jsonl")
		all, head, err := parseOnce(data)
		if err != nil {
			return fmt.Errorf("%s: %w", a.id, err)
		}
		if len(all) < a.lines || len(all) == a.lines && head != a.head {
			return fmt.Errorf("%s has %d lines, head %.8s; it had said %d, %.8s", a.id, len(all), head, a.lines, a.head)
		}
		if len(all) > a.lines && all[a.lines].Prev != a.head {
			return fmt.Errorf("%s: line %d is not the one that was said", a.id, a.lines)
		}
	}
	return nil
}

// A parsed is what a journal says.
type parsed struct {
	lines []record.Line
	head  string
	err   error
}

var parsedOf = map[string]parsed{} // thousands of trees have the same few journals

func parseOnce(data string) ([]record.Line, string, error) {
	p, ok := parsedOf[data]
	if !ok {
		p.lines, p.head, _, p.err = record.Parse([]byte(data))
		parsedOf[data] = p
	}
	return p.lines, p.head, p.err
}

// viewsFollow wants a note beside every task whose views are not as its journal
// says: only then are they looked at.
func viewsFollow(t *testing.T, disk fsxtest.Disk) error {
	t.Helper()
	for _, id := range []string{"t1", "t2"} {
		data, there := disk.File("tasks/" + id + "/journal.jsonl")
		if _, noted := disk.File("tasks/.open-" + id); noted || !there || data == "" {
			continue
		}
		if err := viewsOf(t, disk, id, data); err != nil {
			return fmt.Errorf("%s has no note, and %w", id, err)
		}
	}
	return nil
}

var rendered = map[string]map[string]string{} // journal: views

// viewsOf compares the views on a disk with those of a journal.
func viewsOf(t *testing.T, disk fsxtest.Disk, id, journal string) error {
	t.Helper()
	if rendered[journal] == nil {
		where := place(t)
		s := openStore(t, where)
		must(t, fsx.Scratch(where).MkdirAll(path.Join("tasks", id)))
		writeFile(t, journal, where, journalPath(id))
		must(t, s.Complete(openTask(t, s, id)))
		rendered[journal] = contents(t, where)
	}
	for name, want := range rendered[journal] {
		if !slices.Contains(compared, path.Base(name)) {
			continue
		}
		if got, there := disk.File(name); !there || got != want {
			return fmt.Errorf("%s is there: %v, with %d of %d bytes", name, there, len(got), len(want))
		}
	}
	return nil
}

func TestAPowerCutTakesNoLineBack(t *testing.T) {
	s := tell(t).without(fewViews)
	if err := s.broken(t); err != nil {
		t.Error(err)
	}
	n := 0
	for range s.before.PowerCuts(s.root, s.ops) {
		n++
	}
	fsxtest.Figure(t, n, "crash states, none with anything lost")
}

// redundant lists the fsyncs that a power cut does not need, with the reason.
// In a run of the loop they do not happen: the folder is there for its logs.
func redundant(ops []fsx.Op, at int) bool {
	return at > 0 && ops[at-1].Kind == fsx.OpMkdir && path.Base(ops[at-1].Path) == "attempts"
}

func TestEveryFsyncOfARecordIsNeeded(t *testing.T) {
	all := tell(t)
	journals, views := all.without(allViews), all.without(fewViews)
	for i, needed := 0, 0; ; i++ {
		rest, ok := journals.withoutSync(i)
		if !ok {
			fsxtest.Figure(t, needed, "fsyncs, each proved needed")
			return
		}
		broken := rest.broken(t)
		_, at, _ := fsxtest.WithoutSync(views.ops, i)
		if broken == nil && !redundant(views.ops, at) {
			rest, _ = views.withoutSync(i)
			broken = rest.broken(t)
		}
		if broken != nil {
			needed++
		}
		if (broken == nil) != redundant(views.ops, at) {
			t.Errorf("without fsync %d (%s %s): %v; want something to break", i, views.ops[at].Kind, strings.TrimPrefix(views.ops[at].Path, all.root), broken)
		}
	}
}

// withoutSync takes the ith fsync away; ok is false if there are fewer.
func (s story) withoutSync(i int) (_ story, ok bool) {
	rest, at, ok := fsxtest.WithoutSync(s.ops, i)
	acks := slices.Clone(s.acks)
	for i := range acks {
		if acks[i].after > at {
			acks[i].after--
		}
	}
	s.ops, s.acks = rest, acks
	return s, ok
}

// Whatever a power cut leaves is recovered, and the tasks go on to their end.
func TestAfterAPowerCutTheTasksGoOn(t *testing.T) {
	s := tell(t)
	n := 0
	for after, disk := range s.before.PowerCuts(s.root, s.ops) {
		if n++; n%41 != 0 {
			continue
		}
		where := place(t)
		must(t, fsx.Scratch(where).MkdirAll("tasks"), disk.WriteTo(where))
		store := openStore(t, where)
		_, err := store.Recover()
		must(t, err)
		for id, tries := range map[string][]string{"t1": {passes}, "t2": {idle}} {
			j, err := store.Task(id)
			if err != nil || len(j.Lines()) == 0 {
				j = begin(t, store, id)
			}
			p := &player{store: store, journal: j, tries: tries, now: noon}
			must(t, p.playOn(), store.Complete(j), j.Close())
		}
		must(t, store.Leave())
		if repaired, err := store.Repair("t1", "t2"); err != nil || len(repaired) > 0 {
			t.Errorf("power cut after %d changes: at the end Repair = %+v, %v; want nothing", after, repaired, err)
		}
		must(t, store.Close())
	}
	fsxtest.Figure(t, n/41, "crash states that were recovered from")
}
