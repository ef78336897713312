package queue_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

var noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)

// A place is a tasks directory under test.
type place struct {
	t testing.TB
	fsx.Scratch
}

func newPlace(t testing.TB) place {
	t.Helper()
	p := place{t, fsx.Scratch(fsxtest.TempDir(t)) + "/tasks"}
	if err := queue.Make(string(p.Scratch)); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p place) open(seam ...fsx.Seam) *queue.Queue {
	p.t.Helper()
	q, err := queue.Open(string(p.Scratch), seam...)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { q.Close() })
	return q
}

// put writes a file, "inbox/t1.json" and the like.
func (p place) put(name, data string) {
	p.t.Helper()
	if err := p.WriteFile(name, []byte(data)); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) must(errs ...error) {
	p.t.Helper()
	if err := errors.Join(errs...); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) data(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.Path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// files is every name under the stages but reasons, sorted, in one line.
func (p place) files() string {
	p.t.Helper()
	var names []string
	err := filepath.WalkDir(string(p.Scratch), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".reason.json") {
			return err
		}
		name, err := filepath.Rel(string(p.Scratch), path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (p place) wantFiles(want string) {
	p.t.Helper()
	if got := p.files(); got != want {
		p.t.Errorf("files = %q; want %q", got, want)
	}
}

// body is a good task file; members are added to it, as `"priority": 5`.
func body(id string, members ...string) string {
	all := append([]string{fmt.Sprintf(`"id": %q, "goal": "something", "verify": ["unit"]`, id)}, members...)
	return "{" + strings.Join(all, ", ") + "}\n"
}

func scan(t testing.TB, q *queue.Queue, now time.Time) queue.Listing {
	t.Helper()
	l, err := q.Scan(nil, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// show is a listing in one line.
func show(l queue.Listing) string {
	var parts []string
	for _, i := range l.Ready {
		parts = append(parts, "ready "+i.ID())
	}
	for _, w := range l.Waiting {
		parts = append(parts, strings.TrimSpace(w.Why+" "+w.Name+" "+strings.Join(w.For, ",")))
	}
	for _, b := range l.Bad {
		parts = append(parts, b.Faults[0].Code+" "+b.Name)
	}
	for _, w := range l.Warnings {
		parts = append(parts, w.Code+" "+w.Name)
	}
	return strings.TrimSpace(strings.Join(parts, "; "))
}

func wantScan(t testing.TB, q *queue.Queue, now time.Time, want string) {
	t.Helper()
	if got := show(scan(t, q, now)); got != want {
		t.Errorf("Scan = %s; want %s", got, want)
	}
}

func claim(t testing.TB, q *queue.Queue, id string) queue.Claimed {
	t.Helper()
	c, err := q.Claim(id + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOpenSaysWhatToDoAboutAnUnfitInbox(t *testing.T) {
	tests := map[string]struct {
		spoil func(p place)
		want  string
	}{
		"no tasks directory":   {func(p place) { p.must(p.RemoveAll("")) }, "run looprun init"},
		"no inbox":             {func(p place) { p.must(p.RemoveAll("inbox")) }, "make it with looprun init"},
		"a file":               {func(p place) { p.must(p.RemoveAll("inbox")); p.put("inbox", "") }, "move it away"},
		"a link":               {func(p place) { p.must(p.RemoveAll("inbox"), p.Symlink("done", "inbox")) }, "put a directory there"},
		"a dangling link":      {func(p place) { p.must(p.RemoveAll("inbox"), p.Symlink("none", "inbox")) }, "put a directory there"},
		"done is a file":       {func(p place) { p.must(p.RemoveAll("done")); p.put("done", "") }, "move it away"},
		"processing is a link": {func(p place) { p.must(p.RemoveAll("processing"), p.Symlink("done", "processing")) }, "put a directory there"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			test.spoil(p)
			_, err := queue.Open(string(p.Scratch))
			if !errors.Is(err, queue.ErrUnfit) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open = %v; want ErrUnfit and %q", err, test.want)
			}
		})
	}
}

func TestOpenMakesTheOtherStages(t *testing.T) {
	p := newPlace(t)
	for _, stage := range task.Stages[1:] {
		p.must(p.RemoveAll(string(stage)))
	}
	p.open()
	for _, stage := range task.Stages {
		if info, err := os.Lstat(p.Path(string(stage))); err != nil || !info.IsDir() {
			t.Errorf("%s was not made: %v", stage, err)
		}
	}
}

func TestAnInboxThatGoesAwayIsToldOnceAndLookedForAgain(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	wantScan(t, q, noon, "")
	p.must(p.Rename("inbox", "elsewhere"))
	wantScan(t, q, noon, "inbox_unfit")
	wantScan(t, q, noon, "")
	if _, err := q.Claim("t1.json"); !errors.Is(err, queue.ErrGone) {
		t.Errorf("Claim without inbox = %v; want ErrGone", err)
	}
	if err := q.Add([]byte(body("t1")), "t1"); !errors.Is(err, queue.ErrUnfit) {
		t.Errorf("Add without inbox = %v; want ErrUnfit", err)
	}
	p.must(p.MkdirAll("inbox"))
	p.put("inbox/t1.json", body("t1"))
	wantScan(t, q, noon, "ready t1")
	claim(t, q, "t1")
	p.must(p.RemoveAll("inbox"))
	p.put("inbox", "a file")
	wantScan(t, q, noon, "inbox_unfit")
}

// A child that removes everything takes no task with it.
func TestStagesThatWereRemovedAreMadeAgain(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	p.put("inbox/t1.json", body("t1"))
	wantScan(t, q, noon, "ready t1")
	c := claim(t, q, "t1")
	p.must(p.RemoveAll(""))
	if f, err := q.Finish("t1", task.Done, c.Data); err != nil || !f.Rewritten {
		t.Fatalf("Finish = %+v, %v; want the file written anew", f, err)
	}
	p.wantFiles("done/t1.json")
	wantScan(t, q, noon, "inbox_unfit")
}

// contents is every file under the stages but reasons.
func (p place) contents() map[string]string {
	p.t.Helper()
	found := map[string]string{}
	for _, name := range strings.Fields(p.files()) {
		found[name] = p.data(name)
	}
	return found
}

func (p place) wantContents(want map[string]string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.contents()); diff != "" {
		p.t.Errorf("files (-want +got):\n%s", diff)
	}
}
