package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/task"
)

// full is a place with a task of every kind, each full of hostile text.
func full(t testing.TB) *place {
	t.Helper()
	p := newPlace(t)
	p.run(t, "good", evil, fails, passes)
	p.run(t, "stuck", evil, fails, fails)
	p.run(t, "slow", evil, limited)
	p.run(t, "red", evil, many20, passes)
	p.drop(t, task.Inbox, "waiting", evil)
	for _, name := range []string{evilName, evilName + ".reason.json"} {
		must(t, os.WriteFile(filepath.Join(p.dir, "tasks", "blocked", name), []byte(evil), 0o600))
	}
	return p
}

const evilName = `"><img src=x onerror=alert(3)>?#%41.json`

// everything is a path to each kind of page of full.
var everything = []string{
	"/", "/tasks", "/tasks?stage=done", "/tasks?q=%3Cscript%3Ealert(1)%3C/script%3E", "/tasks/good", "/tasks/stuck", "/tasks/slow", "/tasks/waiting",
	"/tasks/good/rounds/1/diff", "/tasks/stuck/compare", "/tasks/good/log", "/tasks/good/log?file=attempts/round-001/try-01.stdout&q=%3Cscript%3E",
	"/quarantine/%22%3E%3Cimg%20src=x%20onerror=alert(3)%3E%3F%23%2541.json", "/breakers", "/report?since=24h", "/add",
}

// markup is what hostile text would be if a page took it for more than text, and
// what the policy forbids: scripts, styles and handlers in the page itself.
var markup = regexp.MustCompile(`(?i)<script>|<script [^>]*>[^<]|<img|<style|\sstyle=|<[^>]*\son[a-z]+=|javascript:|\x{202e}|\x1b`)

func TestTextIsNeverMarkup(t *testing.T) {
	p := full(t)
	h := p.server(t, p.options()).Handler()
	for _, path := range everything {
		w := get(t, h, path)
		if w.Code != http.StatusOK {
			t.Errorf("GET %s = %d; want 200:\n%s", path, w.Code, w.Body)
		}
		if found := markup.FindString(w.Body.String()); found != "" {
			t.Errorf("GET %s has %q", path, found)
		}
	}
}

func TestPagesSay(t *testing.T) {
	p := full(t)
	h := p.server(t, p.options()).Handler()
	tests := map[string]struct {
		path string
		want []string
	}{
		"where each task stands": {"/", []string{"good", "stuck", "waiting", "deferred", "quarantined", "&lt;script&gt;alert(1)"}},
		"what a round was told and by what": {"/tasks/good", []string{
			"What round 1 showed", "So the plan of round 2", "Test0", "strategy <strong>replan</strong>", "independent verification passed", "$0.25", "1 min 1 s", "rule <code>success</code>"}},
		"that two rounds failed alike": {"/tasks/stuck", []string{"The same failure as round 1: side by side", "2 in a row", "It needs you", `name="seal"`}},
		"both sides of it":             {"/tasks/stuck/compare", []string{"the same failure", "equal byte for byte"}},
		"the first of many failures":   {"/tasks/red", []string{"Test11", "8 failures more", "Test19"}},
		"how long a task waits":        {"/tasks/slow", []string{"deferred", "waits for time", "2025-06-02"}},
		"what changed, line by line":   {"/tasks/good/rounds/2/diff", []string{`<tr class="added">`, `<tr class="deleted">`, "old", "new &lt;/pre&gt;"}},
		"the lines that were searched": {"/tasks/good/log?file=attempts/round-001/try-01.stdout&q=END", []string{"<mark>end</mark>", "1 line with"}},
		"why a file is none":           {everything[12], []string{"This file is no task"}},
		"how tasks ended":              {"/report?since=24h", []string{"3 tasks ended: 2 done, 1 need input, 0 blocked.", "overloaded", "Waits for a person now"}},
		"the patch as git takes it":    {"/tasks/good/rounds/2/patch", []string{"+new </pre>"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			body := get(t, h, tc.path).Body.String()
			for _, want := range tc.want {
				if !strings.Contains(body, want) {
					t.Errorf("GET %s lacks %q:\n%s", tc.path, want, body)
				}
			}
		})
	}
}

func TestWhatIsNotThere(t *testing.T) {
	p := full(t)
	h := p.server(t, p.options()).Handler()
	outside := filepath.Join(p.dir, ".loop", "tasks", "good", "attempts", "round-001", "link.stdout")
	must(t, os.Symlink("/etc/passwd", outside))
	tests := map[string]string{
		"a page":                           "/nothing",
		"a task":                           "/tasks/nobody",
		"no id at all":                     "/tasks/..%2fgood",
		"a round":                          "/tasks/good/rounds/9/diff",
		"a stage":                          "/tasks?stage=.loop",
		"two rounds to compare":            "/tasks/slow/compare",
		"a log":                            "/tasks/good/log?file=attempts/round-001/none.stdout",
		"a file above the attempts":        "/tasks/good/log?file=attempts/../journal.jsonl",
		"a file beside the attempts":       "/tasks/good/raw?file=journal.jsonl",
		"an absolute file":                 "/tasks/good/raw?file=/etc/passwd",
		"a link out of the records":        "/tasks/good/raw?file=attempts/round-001/link.stdout",
		"a folder":                         "/tasks/good/raw?file=attempts/round-001",
		"a file of quarantine by its path": "/quarantine/..%2f..%2floop.yaml",
		"a file of the program":            "/static/..%2fpages%2ftask.html",
		"a task of the API":                "/api/v1/tasks/nobody",
	}
	for name, path := range tests {
		t.Run(name, func(t *testing.T) {
			if got := get(t, h, path).Code; got != http.StatusNotFound {
				t.Errorf("GET %s = %d; want 404", path, got)
			}
		})
	}
}

func TestAPlaceWhereLooprunNeverRanHasPages(t *testing.T) {
	p := newPlace(t)
	o := p.options()
	o.Loop, o.Tasks = filepath.Join(p.dir, "none"), filepath.Join(p.dir, "none")
	h := p.server(t, o).Handler()
	for _, path := range []string{"/", "/tasks", "/breakers", "/report"} {
		if w := get(t, h, path); w.Code != http.StatusOK {
			t.Errorf("GET %s = %d; want 200", path, w.Code)
		}
	}
	if w := get(t, h, "/"); !strings.Contains(w.Body.String(), "No task yet") {
		t.Error("the board does not say how to begin")
	}
}

func TestADamagedJournalIsShownUpToThere(t *testing.T) {
	p := newPlace(t)
	p.run(t, "good", "a title", fails, passes)
	journal := filepath.Join(p.dir, ".loop", "tasks", "good", "journal.jsonl")
	data, err := os.ReadFile(journal)
	must(t, err)
	lines := strings.SplitAfter(string(data), "\n")
	lines[4] = strings.Replace(lines[4], `"prev":"`, `"prev":"0`, 1)
	must(t, os.WriteFile(journal, []byte(strings.Join(lines, "")), 0o600))
	w := get(t, p.server(t, p.options()).Handler(), "/tasks/good")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "journal damaged") {
		t.Errorf("GET /tasks/good = %d without a word of the damage", w.Code)
	}
}

func TestTheAPISendsWhatCommandsPrint(t *testing.T) {
	p := newPlace(t)
	h := p.server(t, p.options()).Handler()
	tests := map[string]struct{ path, want string }{
		"status": {"/api/v1/state", string(p.Status().Out)},
		"show":   {"/api/v1/tasks/a", string(p.Show("a").Out)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := get(t, h, tc.path)
			if got := w.Body.String(); got != tc.want || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("GET %s = %q, %s; want %q", tc.path, got, w.Header().Get("Content-Type"), tc.want)
			}
		})
	}
}
