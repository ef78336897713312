package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/web"
)

// many is a place with n tasks that are done, the first one first. Their
// journals are no journals: whoever reads one for a list fails.
func many(t testing.TB, n int) *place {
	t.Helper()
	p := newPlace(t)
	p.run(t, "real", "a real one", fails, passes)
	result, err := os.ReadFile(filepath.Join(p.dir, ".loop", "results", "real.json"))
	must(t, err)
	for i := range n {
		id := fmt.Sprintf("t%05d", i)
		p.drop(t, task.Done, id, "one of many")
		done := filepath.Join(p.dir, "tasks", "done", id+".json")
		at := noon.Add(time.Duration(i) * time.Second)
		records := filepath.Join(p.dir, ".loop", "tasks", id)
		must(t, os.Chtimes(done, at, at), os.MkdirAll(records, 0o700),
			os.WriteFile(filepath.Join(records, "journal.jsonl"), []byte("no journal\n"), 0o600),
			os.WriteFile(filepath.Join(p.dir, ".loop", "results", id+".json"), []byte(strings.ReplaceAll(string(result), `"real"`, `"`+id+`"`)), 0o600))
	}
	must(t, os.Chtimes(filepath.Join(p.dir, "tasks", "done", "real.json"), noon.Add(-time.Hour), noon.Add(-time.Hour)))
	return p
}

func TestTheListHasPagesAndReadsNoJournal(t *testing.T) {
	p := many(t, 120)
	h := p.server(t, p.options()).Handler()
	tests := map[string]struct {
		query       string
		first, last string
		n           int
	}{
		"the one that ended last comes first": {"", "t00119", "t00070", 50},
		"the second page":                     {"&page=2", "t00069", "t00020", 50},
		"the last page":                       {"&page=3", "t00019", "real", 21},
		"a page behind the last":              {"&page=9", "t00019", "real", 21},
		"those whose id holds a text":         {"&q=t0010", "t00109", "t00100", 10},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			body := get(t, h, "/tasks?stage=done"+tc.query).Body.String()
			var ids []string
			for _, part := range strings.Split(body, `data-step href="/tasks/`)[1:] {
				id, _, _ := strings.Cut(part, `"`)
				ids = append(ids, id)
			}
			if len(ids) != tc.n || ids[0] != tc.first || ids[len(ids)-1] != tc.last {
				t.Errorf("GET /tasks%s has %d, %v; want %d from %s to %s", tc.query, len(ids), ids, tc.n, tc.first, tc.last)
			}
			if strings.Count(body, "independent verification passed") != tc.n {
				t.Error("not every line says why its task ended")
			}
		})
	}
	if body := get(t, h, "/").Body.String(); strings.Count(body, `class="card`) != 12 || !strings.Contains(body, "All 121") {
		t.Error("the board does not show the last twelve of 121")
	}
}

func TestTheListSeesEveryChange(t *testing.T) {
	p := newPlace(t)
	h := p.server(t, p.options()).Handler()
	for i := range 20 {
		id := fmt.Sprintf("t%d", i)
		p.drop(t, task.Inbox, id, "new")
		if !strings.Contains(get(t, h, "/tasks?stage=inbox").Body.String(), id+`"`) {
			t.Fatalf("task %s is not listed at once", id)
		}
	}
	must(t, os.Remove(filepath.Join(p.dir, "tasks", "inbox", "t3.json")))
	if strings.Contains(get(t, h, "/tasks?stage=inbox").Body.String(), `t3"`) {
		t.Error("a task that is gone is listed")
	}
}

func TestATaskThatWasAnsweredNamesWhatFollows(t *testing.T) {
	p := newPlace(t)
	p.run(t, "stuck", "one", fails, fails)
	p.run(t, "stuck-2", "no follow-up of it", fails, fails)
	file := filepath.Join(p.dir, "tasks", "inbox", "stuck-3.json")
	must(t, os.WriteFile(file, []byte(`{"id": "stuck-3", "goal": "g", "verify": ["unit"], "refs": ["stuck"]}`), 0o600))
	h := p.server(t, p.options()).Handler()
	if body := get(t, h, "/tasks/stuck").Body.String(); !strings.Contains(body, `goes on as <a href="/tasks/stuck-3">`) {
		t.Error("the task does not name what follows it")
	}
	if body := get(t, h, "/tasks/stuck-2").Body.String(); strings.Contains(body, "goes on as") {
		t.Error("a task that only has such an id is taken for a part of the line")
	}
	rep, err := web.NewReport(p, p.options(), web.Period{Since: noon.Add(-time.Hour), Until: noon.Add(time.Hour)})
	must(t, err)
	var waits []string
	for _, e := range rep.Waiting {
		waits = append(waits, e.ID)
	}
	if want := []string{"stuck-2"}; !cmp.Equal(waits, want) {
		t.Errorf("%v wait for a person; want %v", waits, want)
	}
}

func TestAround(t *testing.T) {
	tests := map[string]struct {
		page, pages int
		want        []int
	}{
		"one page":         {1, 1, []int{1}},
		"the first of few": {1, 3, []int{1, 2, 3}},
		"the middle":       {50, 200, []int{1, 0, 48, 49, 50, 51, 52, 0, 200}},
		"the last":         {200, 200, []int{1, 0, 198, 199, 200}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := web.Around(tc.page, tc.pages); !cmp.Equal(got, tc.want) {
				t.Errorf("Around(%d, %d) = %v; want %v", tc.page, tc.pages, got, tc.want)
			}
		})
	}
}
