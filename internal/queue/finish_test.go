package queue_test

import (
	"cmp"
	"os"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

func TestFinishBringsTheTaskToItsStageFromWhereverItIs(t *testing.T) {
	ours, other := body("t1"), body("t1", `"title": "another task of the id"`)
	reordered := `{"verify":["unit"],"goal":"something","id":"t1"}`
	withNote := body("t1", `"x-note": {"a":  1}`)
	tests := map[string]struct {
		files map[string]string
		twin  [2]string // a file and a second name of it
		data  string    // the journal's bytes, ours if ""
		want  queue.Finished
		after map[string]string
	}{
		"it is in processing": {
			files: map[string]string{"processing/t1.json": ours},
			want:  queue.Finished{From: task.Processing},
			after: map[string]string{"done/t1.json": ours},
		},
		"it is there already": {
			files: map[string]string{"done/t1.json": ours},
			want:  queue.Finished{From: task.Done},
			after: map[string]string{"done/t1.json": ours},
		},
		"it is there already, written in another way": {
			files: map[string]string{"done/t1.json": reordered},
			want:  queue.Finished{From: task.Done},
			after: map[string]string{"done/t1.json": reordered},
		},
		"it is there already, with a note that the journal wrote more tightly": {
			files: map[string]string{"done/t1.json": withNote},
			data:  `{"id":"t1","goal":"something","verify":["unit"],"x-note":{"a":1}}`,
			want:  queue.Finished{From: task.Done},
			after: map[string]string{"done/t1.json": withNote},
		},
		"a crash left it in both": {
			files: map[string]string{"processing/t1.json": ours},
			twin:  [2]string{"processing/t1.json", "done/t1.json"},
			want:  queue.Finished{From: task.Done},
			after: map[string]string{"done/t1.json": ours},
		},
		"it is nowhere": {
			want:  queue.Finished{Rewritten: true},
			after: map[string]string{"done/t1.json": ours},
		},
		"a power cut left it empty": {
			files: map[string]string{"processing/t1.json": ""},
			want:  queue.Finished{From: task.Processing, Rewritten: true},
			after: map[string]string{"done/t1.json": ours},
		},
		"a person moved it to blocked": {
			files: map[string]string{"blocked/t1.json": ours},
			want:  queue.Finished{From: task.BlockedStage},
			after: map[string]string{"done/t1.json": ours},
		},
		"a person moved it to inbox": {
			files: map[string]string{"inbox/t1.json": ours},
			want:  queue.Finished{From: task.Inbox},
			after: map[string]string{"done/t1.json": ours},
		},
		"another task of the id waits in inbox": {
			files: map[string]string{"processing/t1.json": ours, "inbox/t1.json": other},
			want:  queue.Finished{From: task.Processing},
			after: map[string]string{"done/t1.json": ours, "inbox/t1.json": other},
		},
		"a person put another file in its place": {
			files: map[string]string{"processing/t1.json": ours, "done/t1.json": other},
			want:  queue.Finished{From: task.Processing, SetAside: []string{"t1.dup-1.json"}},
			after: map[string]string{"done/t1.json": ours, "blocked/t1.dup-1.json": other},
		},
		"a person put files everywhere": {
			files: map[string]string{"done/t1.json": other, "blocked/t1.json": other, "needs-input/t1.json": "x"},
			want:  queue.Finished{Rewritten: true, SetAside: []string{"t1.dup-1.json", "t1.dup-2.json", "t1.dup-3.json"}},
			after: map[string]string{"done/t1.json": ours, "blocked/t1.dup-1.json": other, "blocked/t1.dup-2.json": other, "blocked/t1.dup-3.json": "x"},
		},
		"a person put another file in processing after it ended": {
			files: map[string]string{"processing/t1.json": other, "done/t1.json": ours},
			want:  queue.Finished{From: task.Done, SetAside: []string{"t1.dup-1.json"}},
			after: map[string]string{"done/t1.json": ours, "blocked/t1.dup-1.json": other},
		},
		"a person edited it": {
			files: map[string]string{"processing/t1.json": other},
			want:  queue.Finished{From: task.Processing},
			after: map[string]string{"done/t1.json": other},
		},
		"a person copied it": {
			files: map[string]string{"processing/t1.json": ours, "needs-input/t1.json": ours},
			want:  queue.Finished{From: task.Processing, SetAside: []string{"t1.dup-1.json"}},
			after: map[string]string{"done/t1.json": ours, "blocked/t1.dup-1.json": ours},
		},
		"a person linked it": {
			files: map[string]string{"processing/t1.json": ours},
			twin:  [2]string{"processing/t1.json", "blocked/t1.json"},
			want:  queue.Finished{From: task.Processing},
			after: map[string]string{"done/t1.json": ours},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			for name, data := range test.files {
				p.put(name, data)
			}
			if test.twin[0] != "" {
				p.must(os.Link(p.Path(test.twin[0]), p.Path(test.twin[1])))
			}
			q := p.open()
			got, err := q.Finish("t1", task.Done, []byte(cmp.Or(test.data, ours)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("Finish (-want +got):\n%s", diff)
			}
			p.wantContents(test.after)
			again, err := q.Finish("t1", task.Done, []byte(test.after["done/t1.json"]))
			if diff := gocmp.Diff(queue.Finished{From: task.Done}, again); diff != "" || err != nil {
				t.Errorf("Finish again, %v (-want +got):\n%s", err, diff)
			}
			p.wantContents(test.after)
		})
	}
}

func TestFinishWithoutTheBytesTakesAnyFileOfTheName(t *testing.T) {
	for _, at := range []string{"processing", "needs-input", "blocked"} {
		p := newPlace(t)
		p.put(at+"/t1.json", "garbled")
		for range 2 {
			if _, err := p.open().Finish("t1", task.BlockedStage, nil); err != nil {
				t.Fatal(err)
			}
			p.wantContents(map[string]string{"blocked/t1.json": "garbled"})
		}
	}
	p := newPlace(t)
	p.put("inbox/t1.json", body("t1"))
	if f, err := p.open().Finish("t1", task.BlockedStage, nil); err != nil || f.From != "" || f.Rewritten {
		t.Errorf("Finish = %+v, %v; want nothing done", f, err)
	}
	p.wantFiles("inbox/t1.json")
}

func TestFinishAgainWritesNothing(t *testing.T) {
	p := newPlace(t)
	p.put("done/t1.json", body("t1"))
	r := &fsxtest.Recorder{}
	q := p.open(r)
	if _, err := q.Finish("t1", task.Done, []byte(body("t1"))); err != nil || r.Count() != 0 {
		t.Errorf("Finish = %v with %d changes; want none", err, r.Count())
	}
}

func TestRestoreFetchesAClaimedTaskThatAPersonMoved(t *testing.T) {
	ours := body("t1")
	tests := map[string]struct {
		at, data string
		want     task.Stage
		after    string
	}{
		"to inbox":              {"inbox/t1.json", ours, task.Inbox, "processing/t1.json"},
		"to done":               {"done/t1.json", ours, task.Done, "processing/t1.json"},
		"nowhere":               {"processing/t1.json", ours, "", "processing/t1.json"},
		"out of tasks":          {"elsewhere.json", ours, "", "elsewhere.json"},
		"it is another task":    {"inbox/t1.json", body("t1", `"title": "x"`), "", "inbox/t1.json"},
		"it cannot be compared": {"done/t1.json", "{", "", "done/t1.json"},
	}
	t.Run("another has its name", func(t *testing.T) {
		p := newPlace(t)
		p.put("processing/t1.json", ours)
		p.put("done/t1.json", body("t1", `"title": "x"`))
		if from, err := p.open().Restore("t1", []byte(ours)); from != "" || err != nil {
			t.Errorf("Restore = %q, %v; want nothing moved", from, err)
		}
		p.wantFiles("blocked/t1.dup-1.json processing/t1.json")
	})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.put(test.at, test.data)
			got, err := p.open().Restore("t1", []byte(ours))
			if got != test.want || err != nil {
				t.Errorf("Restore = %q, %v; want %q", got, err, test.want)
			}
			p.wantFiles(test.after)
		})
	}
}
