package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

// An ack is what the queue said had happened, and after how many changes: the
// file of a task is in a stage under a name, and nowhere before it.
type ack struct {
	after    int
	id       string
	was, now string
}

// A story is a run of the queue with the acks it gave.
type story struct {
	before fsxtest.Disk
	root   string
	ops    []fsx.Op
	acks   []ack
}

// tell drops a file for every way through the queue and notes what it says.
func tell(t *testing.T) story {
	t.Helper()
	p := newPlace(t)
	p.put("inbox/good.json", body("good"))
	p.put("inbox/bad.json", "{}")
	p.put("inbox/dup.json", body("dup", `"title": "the second"`))
	p.put("done/dup.json", body("dup"))
	before, err := fsxtest.ReadDisk(string(p.Scratch))
	p.must(err)
	s := story{before: before, root: string(p.Scratch)}
	r := &fsxtest.Recorder{}
	q := p.open(r)
	note := func(id, was, now string, err error) {
		t.Helper()
		var rejected *queue.Rejected
		if err != nil && !errors.As(err, &rejected) {
			t.Fatal(err)
		}
		s.acks = append(s.acks, ack{r.Count(), id, was, now})
	}
	note("added", "", "inbox/added.json", q.Add([]byte(body("added")), "added"))
	l := scan(t, q, noon)
	_, err = q.Quarantine("bad.json", l.Bad[0].Faults)
	note("bad", "inbox/bad.json", "blocked/bad.json", err)
	_, err = q.Claim("dup.json")
	note("dup", "inbox/dup.json", "blocked/dup.dup-1.json", err)
	for _, id := range []string{"good", "added"} {
		_, err = q.Claim(id + ".json")
		note(id, "inbox/"+id+".json", "processing/"+id+".json", err)
		_, err = q.Finish(id, task.Done, []byte(body(id)))
		note(id, "processing/"+id+".json", "done/"+id+".json", err)
	}
	s.ops = r.Ops()
	return s
}

var storyBytes = map[string]string{"good": body("good"), "added": body("added"), "bad": "{}", "dup": body("dup", `"title": "the second"`)}

// places is where the files of the story may be, in the order they get there.
func places(id string) []string {
	return []string{"inbox/" + id + ".json", "processing/" + id + ".json", "done/" + id + ".json", "blocked/" + id + ".json", "blocked/" + id + ".dup-1.json"}
}

// check holds a disk against what had been said after so many changes.
func (s story) check(after int, d fsxtest.Disk) error {
	said := map[string]ack{}
	for _, a := range s.acks {
		if a.after <= after {
			said[a.id] = a
		}
	}
	for id, data := range storyBytes {
		if id == "added" && said[id].now == "" {
			continue // nobody was told of it yet
		}
		if err := checkTask(d, id, data, said[id]); err != nil {
			return fmt.Errorf("after %d changes: %s: %w", after, id, err)
		}
	}
	return nil
}

func checkTask(d fsxtest.Disk, id, data string, said ack) error {
	first := ""
	for _, name := range places(id) {
		there, ok := d.File(name)
		if !ok || name == "done/dup.json" {
			continue
		}
		switch {
		case there != data:
			return fmt.Errorf("%s holds %q", name, there)
		case first == "":
			first = name
		case !d.SameFile(first, name):
			return fmt.Errorf("%s and %s are two files", first, name)
		}
	}
	if first == "" {
		return errors.New("lost")
	}
	if said.was != "" {
		if _, back := d.File(said.was); back {
			return fmt.Errorf("back in %s", said.was)
		}
	}
	if rank(first) < rank(said.now) {
		return fmt.Errorf("in %s again, although it was said to be in %s", first, said.now)
	}
	return checkReasons(d)
}

// rank is how far a file has come by its name.
func rank(name string) int {
	switch stage, _, _ := strings.Cut(name, "/"); task.Stage(stage) {
	case "":
		return 0
	case task.Inbox:
		return 1
	case task.Processing:
		return 2
	}
	return 3
}

// checkReasons wants the reason as durable as the move to quarantine.
func checkReasons(d fsxtest.Disk) error {
	for _, name := range []string{"blocked/bad.json", "blocked/dup.dup-1.json"} {
		if _, there := d.File(name); !there {
			continue
		}
		if reason, ok := d.File(strings.TrimSuffix(name, ".json") + ".reason.json"); !ok || reason == "" || reason[0] != '{' {
			return fmt.Errorf("%s has the reason %q", name, reason)
		}
	}
	return nil
}

func (s story) broken(ops []fsx.Op) error {
	for after, disk := range s.before.PowerCuts(s.root, ops) {
		if err := s.check(after, disk); err != nil {
			return err
		}
	}
	return nil
}

func TestAPowerCutUndoesNothingThatWasSaid(t *testing.T) {
	s := tell(t)
	if err := s.broken(s.ops); err != nil {
		t.Error(err)
	}
	n := 0
	for range s.before.PowerCuts(s.root, s.ops) {
		n++
	}
	fsxtest.Figure(t, n, "crash states, none with anything lost")
	if n := s.before.Unsynced(s.root, s.ops); n > 6 {
		t.Errorf("%d changes are left to chance at once; want at most 6", n)
	}
}

// Every tree that a power cut may leave is recovered, twice, to the same end.
func TestAfterAPowerCutTheWorkGoesOn(t *testing.T) {
	p := newPlace(t)
	fillScene(p)
	before, err := fsxtest.ReadDisk(string(p.Scratch))
	p.must(err)
	r := &fsxtest.Recorder{}
	if _, err := attempt(p, r, false); err != nil {
		t.Fatal(err)
	}
	n := 0
	for after, disk := range before.PowerCuts(string(p.Scratch), r.Ops()) {
		left := place{t, fsx.Scratch(fsxtest.TempDir(t))}
		p.must(disk.WriteTo(string(left.Scratch)))
		left.recoverAndCheck(fmt.Sprintf("power cut after %d changes", after))
		n++
	}
	fsxtest.Figure(t, n, "crash states that were recovered from")
}

func TestEveryFsyncOfTheQueueIsNeeded(t *testing.T) {
	s := tell(t)
	for i := 0; ; i++ {
		rest, at, ok := fsxtest.WithoutSync(s.ops, i)
		if !ok {
			fsxtest.Figure(t, i, "fsyncs, each proved needed")
			return
		}
		cut := s
		cut.acks = nil
		for _, a := range s.acks {
			if a.after > at {
				a.after--
			}
			cut.acks = append(cut.acks, a)
		}
		if err := cut.broken(rest); err == nil {
			t.Errorf("without fsync %d (%s %s) nothing breaks", i, s.ops[at].Kind, s.ops[at].Path)
		}
	}
}
