package queue_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/queue"
)

func TestRecoverCompletesWhatADeadProcessBegan(t *testing.T) {
	ours, other := body("t1"), body("t1", `"title": "another"`)
	tests := map[string]struct {
		files map[string]string
		twin  [2]string
		want  queue.Recovered
		after map[string]string
	}{
		"nothing to do": {
			files: map[string]string{"inbox/t1.json": ours, "done/t2.json": body("t2")},
			after: map[string]string{"inbox/t1.json": ours, "done/t2.json": body("t2")},
		},
		"a claim": {
			files: map[string]string{"inbox/t1.json": ours},
			twin:  [2]string{"inbox/t1.json", "processing/t1.json"},
			want:  queue.Recovered{Processing: []string{"t1"}, Completed: []string{"t1.json"}},
			after: map[string]string{"processing/t1.json": ours},
		},
		"a finish": {
			files: map[string]string{"processing/t1.json": ours},
			twin:  [2]string{"processing/t1.json", "needs-input/t1.json"},
			want:  queue.Recovered{Completed: []string{"t1.json"}},
			after: map[string]string{"needs-input/t1.json": ours},
		},
		"a quarantine": {
			files: map[string]string{"inbox/t1.json": "{}", "blocked/t1.reason.json": "{}"},
			twin:  [2]string{"inbox/t1.json", "blocked/t1.json"},
			want:  queue.Recovered{Completed: []string{"t1.json"}},
			after: map[string]string{"blocked/t1.json": "{}"},
		},
		"a quarantine of a duplicate": {
			files: map[string]string{"inbox/t1.json": other, "processing/t1.json": ours},
			twin:  [2]string{"inbox/t1.json", "blocked/t1.dup-1.json"},
			want:  queue.Recovered{Processing: []string{"t1"}, Completed: []string{"t1.json"}},
			after: map[string]string{"blocked/t1.dup-1.json": other, "processing/t1.json": ours},
		},
		"a file set aside": {
			files: map[string]string{"blocked/t1.json": "{}", "inbox/t1.json": ours},
			twin:  [2]string{"blocked/t1.json", "blocked/t1.dup-3.json"},
			want:  queue.Recovered{Completed: []string{"t1.json"}},
			after: map[string]string{"blocked/t1.dup-3.json": "{}", "inbox/t1.json": ours},
		},
		"temporary files": {
			files: map[string]string{"inbox/.tmp-0123456789abcdef": "x", "blocked/.tmp-0123456789abcdef": "", "inbox/.tmp-mine": ""},
			want:  queue.Recovered{Swept: 2},
			after: map[string]string{"inbox/.tmp-mine": ""},
		},
		"a finished task's id in processing": {
			files: map[string]string{"processing/t1.json": other, "done/t1.json": ours},
			want:  queue.Recovered{Processing: []string{"t1"}, Clashes: []string{"t1"}},
			after: map[string]string{"processing/t1.json": other, "done/t1.json": ours},
		},
		"a task whose name has a bad file in quarantine": {
			files: map[string]string{"processing/t1.json": ours, "blocked/t1.json": "{}", "blocked/t1.reason.json": "{}"},
			want:  queue.Recovered{Processing: []string{"t1"}},
			after: map[string]string{"processing/t1.json": ours, "blocked/t1.json": "{}"},
		},
		"an id in two final stages": {
			files: map[string]string{"done/t1.json": ours, "blocked/t1.json": other, "needs-input/t1.json": other},
			want:  queue.Recovered{Clashes: []string{"t1"}},
			after: map[string]string{"done/t1.json": ours, "blocked/t1.json": other, "needs-input/t1.json": other},
		},
		"56 a task without a journal, and what is no task": {
			files: map[string]string{"processing/t1.json": ours, "processing/T2.json": "", "processing/notes.txt": "", "processing/t3.JSON": ""},
			want: queue.Recovered{Processing: []string{"t1"}, Warnings: []queue.Warning{
				{Name: "T2.json", Code: queue.WarnNotRegular, Msg: "no task, left in processing: move it away"},
				{Name: "t3.JSON", Code: queue.WarnNotRegular, Msg: "no task, left in processing: move it away"},
			}},
			after: map[string]string{"processing/t1.json": ours, "processing/T2.json": "", "processing/notes.txt": "", "processing/t3.JSON": ""},
		},
		"a reason whose file a person took": {
			files: map[string]string{"blocked/t1.reason.json": "{}", "inbox/t1.json": ours},
			after: map[string]string{"inbox/t1.json": ours},
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
			got, err := p.open().Recover()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Recover (-want +got):\n%s", diff)
			}
			p.wantContents(test.after)
			p.wantReasonsWithFiles()
		})
	}
}

// wantReasonsWithFiles checks that no reason speaks of a file that is not there.
func (p place) wantReasonsWithFiles() {
	p.t.Helper()
	entries, err := os.ReadDir(p.Path("blocked"))
	p.must(err)
	for _, e := range entries {
		if of, ok := strings.CutSuffix(e.Name(), ".reason.json"); ok {
			if _, err := os.Lstat(p.Path("blocked/" + of + ".json")); err != nil {
				p.t.Errorf("%s has no file: %v", e.Name(), err)
			}
		}
	}
}

// Row 56.
func TestAdoptReadsATaskWithoutAJournal(t *testing.T) {
	p := newPlace(t)
	p.put("processing/t1.json", body("t1"))
	p.put("processing/t2.json", "{}")
	q := p.open()
	if c, err := q.Adopt("t1"); err != nil || c.Task.Goal != "something" {
		t.Errorf("Adopt = %+v, %v; want the task", c, err)
	}
	if _, err := q.Adopt("t2"); err == nil || !strings.Contains(err.Error(), "quarantine") {
		t.Errorf("Adopt of a bad file = %v; want a Rejected", err)
	}
	if _, err := q.Adopt("t3"); err != queue.ErrGone {
		t.Errorf("Adopt of nothing = %v; want ErrGone", err)
	}
	p.put("done/t4.json", body("t4"))
	p.put("processing/t4.json", body("t4", `"title": "came later"`))
	if _, err := q.Adopt("t4"); err == nil || !strings.Contains(err.Error(), "duplicate id") {
		t.Errorf("Adopt of a finished task's id = %v; want a Rejected", err)
	}
	p.wantFiles("blocked/t2.json blocked/t4.dup-1.json done/t4.json processing/t1.json")
}
