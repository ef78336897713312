package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
	"looprun.dev/looprun/internal/web"
)

// noon is long ago: a file that is written now is younger than what it tells of.
var noon = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// evil is text that would be seen if any page took it for markup.
const evil = `</pre></code><script>alert(1)</script><img src=x onerror=alert(2)> "'&` + "\u202e\x1b[31m"

// A place is a workspace: stages, records, and a desk that looks at both.
type place struct {
	dir   string
	store *record.Store
	now   time.Time

	did []string // the actions that were asked for
	ans web.Said // what they say

	begun, goOn chan struct{} // an action tells that it began, and waits; nil: it does not
}

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{dir: t.TempDir(), now: noon.Add(time.Hour)}
	for _, stage := range task.Stages {
		must(t, os.MkdirAll(filepath.Join(p.dir, "tasks", string(stage)), 0o755))
	}
	var err error
	p.store, err = record.Open(filepath.Join(p.dir, ".loop"))
	must(t, err)
	t.Cleanup(func() { _ = p.store.Close() })
	return p
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func (p *place) options() web.Options {
	return web.Options{
		Loop: filepath.Join(p.dir, ".loop"), Tasks: filepath.Join(p.dir, "tasks"), Name: "shop <b>", Write: true,
		Now: func() time.Time { return p.now },
	}
}

func (p *place) server(t testing.TB, o web.Options) *web.Server {
	t.Helper()
	s, err := web.New(p, o)
	must(t, err)
	return s
}

// get asks for a page as a browser on this machine does.
func get(t testing.TB, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = "127.0.0.1:7717"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// drop puts a task's file into a stage.
func (p *place) drop(t testing.TB, stage task.Stage, id, title string) {
	t.Helper()
	text := fmt.Sprintf(`{"id": %q, "title": %q, "goal": "make it so", "verify": ["unit"]}`, id, title)
	must(t, os.WriteFile(filepath.Join(p.dir, "tasks", string(stage), id+".json"), []byte(text), 0o600))
}

// run plays a task whose tries are given by a word each, and moves its file to
// where it belongs.
func (p *place) run(t testing.TB, id, title string, tries ...string) {
	t.Helper()
	cfg, _ := config.Parse("/repo/loop.yaml", []byte(`{"verification": {"profiles": {"unit": [{"run": ["go", "test"]}]}, "baseline": false}, "generator": {"command": ["agent"]}}`))
	one := task.Task{ID: id, Title: title, Goal: "make it so " + title, Verify: []string{"unit"}}
	j, err := p.store.Begin(id, noon, round.Claimed{Task: one, Policy: cfg.Policy(one), PolicySHA: strings.Repeat("a", 64), At: noon})
	must(t, err)
	h := &host{store: p.store, journal: j, tries: tries, now: noon, title: title}
	s := j.State()
	for s.Next != round.End && s.Tries <= len(tries) && s.Next != round.Wait {
		s, err = round.Play(struct{}{}, s, h)
		must(t, err)
	}
	p.drop(t, s.Stage(), id, title)
	must(t, j.Close())
}

// A host plays tries that are written down.
type host struct {
	store   *record.Store
	journal *record.Journal
	tries   []string
	now     time.Time
	title   string
}

// What a try may be.
const (
	passes  = "passes"
	fails   = "fails"   // always in the same way
	fewer   = "fewer"   // with one failure less each round
	many20  = "many20"  // with twenty failures
	limited = "limited" // the model has no capacity for an hour
)

func (h *host) Facts(_ struct{}, s round.State) (round.Facts, error) {
	h.now = h.now.Add(time.Second)
	return round.Facts{Now: h.now, Draw: 0.5}, nil
}

func (h *host) Preflight(struct{}, round.State) (round.PreflightResult, error) {
	return round.PreflightResult{}, nil
}

func (h *host) Generate(_ struct{}, s round.State) (round.Try, error) {
	dir := fmt.Sprintf("attempts/round-%03d", s.Round)
	cost := unit.Money(250_000)
	t := round.Try{
		N: s.Tries, Started: h.now, DurationMS: 61_000, Ended: "exit", Status: "candidate_ready", Summary: h.title, Model: "large",
		Usage: &round.Usage{Input: 1000, Output: 200}, Cost: &cost, Failure: recovery.Failure{Category: recovery.None},
		Candidate: round.Candidate{
			Tree: fmt.Sprintf("%040d", s.Tries), Commit: fmt.Sprintf("%040d", s.Tries), Lines: 2,
			Changed: []round.Change{{Path: "src/" + h.title, Status: "M", Added: 1, Deleted: 1}},
			Patch:   round.File{Path: dir + "/candidate.patch", Bytes: 1},
		},
		Stdout: round.File{Path: fmt.Sprintf("%s/try-%02d.stdout", dir, s.Tries), Bytes: 1},
	}
	if h.tries[s.Tries-1] == limited {
		wait := time.Hour
		t.Failure = recovery.Failure{Category: recovery.Overloaded, Class: recovery.Capacity, Rule: "overloaded", Retryable: true, RetryAfter: &wait, Detail: h.title}
		t.Candidate, t.ExitCode = round.Candidate{Tree: "base"}, 1
	}
	root := h.journal.Dir()
	patch := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new " + h.title + "\n"
	return t, errors.Join(os.MkdirAll(filepath.Join(root, dir), 0o700),
		os.WriteFile(filepath.Join(root, t.Stdout.Path), []byte("begin\n"+h.title+"\nend\n"), 0o600),
		os.WriteFile(filepath.Join(root, dir, "candidate.patch"), []byte(patch), 0o600))
}

func (h *host) Verify(_ struct{}, s round.State) (round.Evidence, error) {
	c := round.CheckResult{Check: signature.Check{Argv: []string{"go", "test", h.title}}, Profile: "unit", DurationMS: 900, Passed: true}
	n := map[string]int{fails: 1, fewer: 5 - s.Round, many20: 20}[h.tries[s.Tries-1]]
	for i := range n {
		c.Passed, c.ExitCode = false, 1
		c.Failures = append(c.Failures, signature.Failure{ID: fmt.Sprint("Test", i), Class: "assertion", Detail: h.title})
	}
	return round.Evidence{Checks: []round.CheckResult{c}, DurationMS: 900}, nil
}

func (h *host) Wait(struct{}, round.State) (bool, error) { return false, nil }

var errNotPlayed = errors.New("not played here")

func (h *host) Consult(struct{}, round.State) (round.Consulted, error) {
	return round.Consulted{}, errNotPlayed
}
func (h *host) Observe(struct{}, round.State) (round.Observed, error) {
	return round.Observed{}, errNotPlayed
}
func (h *host) Compensate(struct{}, round.State) (round.Observed, error) {
	return round.Observed{}, errNotPlayed
}
func (h *host) Land(_ struct{}, s round.State) (round.Landed, error) {
	return round.Landed{Mode: "branch", Branch: "looprun/" + s.Task.ID, Commit: s.Try.Candidate.Commit}, nil
}
func (h *host) Finish(struct{}, round.State) (round.Finished, error) {
	return round.Finished{Workspace: "reset"}, nil
}
func (h *host) Record(_ struct{}, events ...round.Event) error {
	return errors.Join(h.journal.Append(h.now, events...), h.store.Render(h.journal), h.store.Tell(h.journal))
}

// The place is its own desk.

func (p *place) Files(stage task.Stage) ([]web.File, error) {
	entries, err := os.ReadDir(filepath.Join(p.dir, "tasks", string(stage)))
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	var files []web.File
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && !strings.HasSuffix(id, ".reason") {
			files = append(files, web.File{Name: e.Name(), ID: id, Quarantined: names[id+".json.reason.json"]})
		}
	}
	return files, err
}

func (p *place) Moved(stage task.Stage, name string) int64 {
	info, err := os.Lstat(filepath.Join(p.dir, "tasks", string(stage), name))
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

func (p *place) Read(stage task.Stage, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(p.dir, "tasks", string(stage), name))
}

func (p *place) Faults(string) ([]task.Fault, string, error) {
	return []task.Fault{{File: evil, Field: evil, Msg: evil, Line: 1, Col: 2}}, evil, nil
}

func (p *place) Status() web.Said { return web.Said{Out: []byte("{\"html\":\"<b>\"}\n")} }

func (p *place) Show(id string) web.Said {
	if !slices.Contains([]string{"a", "b"}, id) {
		return web.Said{Kind: web.Missing, Faults: []byte("looprun: no such task\n")}
	}
	return web.Said{Out: []byte("{\"state\":\"" + id + "\"}\n")}
}

func (p *place) act(words ...any) web.Said {
	p.did = append(p.did, fmt.Sprintln(words...))
	if p.begun != nil {
		close(p.begun)
		<-p.goOn
	}
	return p.ans
}

func (p *place) Add(data []byte) web.Said { return p.act("add", string(data)) }
func (p *place) Answer(id, text string, approve bool) web.Said {
	return p.act("answer", id, text, approve)
}
func (p *place) Retry(id string, rounds int, cost string) web.Said {
	return p.act("retry", id, rounds, cost)
}
func (p *place) Cancel(_ context.Context, id string) web.Said { return p.act("cancel", id) }
func (p *place) Pause(reason, until string) web.Said          { return p.act("pause", reason, until) }
func (p *place) Resume() web.Said                             { return p.act("resume") }
