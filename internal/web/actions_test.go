package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/web"
)

func TestActionsAreTheCommands(t *testing.T) {
	made := web.Said{Out: []byte(`{"id":"stuck-2","stage":"inbox"}` + "\n")}
	tests := map[string]struct {
		path     string
		form     url.Values
		ans      web.Said
		did      string
		location string
	}{
		"an answer leads to what follows":  {"/tasks/stuck/answer", url.Values{"text": {"a\r\nb"}}, made, "answer stuck a\nb false\n", "/tasks/stuck-2"},
		"an approval is one":               {"/tasks/stuck/answer", url.Values{"approve": {"yes"}}, made, "answer stuck  true\n", "/tasks/stuck-2"},
		"a retry raises budgets":           {"/tasks/stuck/retry", url.Values{"rounds": {"2"}, "cost": {"1.50"}}, made, "retry stuck 2 1.50\n", "/tasks/stuck-2"},
		"a retry of no number is none":     {"/tasks/stuck/retry", url.Values{"rounds": {"two"}}, made, "", "/tasks/stuck"},
		"a cancel stays":                   {"/tasks/slow/cancel", nil, web.Said{}, "cancel slow\n", "/tasks/slow"},
		"a pause may end":                  {"/pause", url.Values{"reason": {"lunch"}, "until": {"2h"}}, web.Said{}, "pause lunch 2h\n", "/"},
		"a resume":                         {"/resume", nil, web.Said{}, "resume\n", "/"},
		"a task by its fields":             {"/add", url.Values{"id": {"t"}, "goal": {"do"}, "verify": {"a, b"}}, web.Said{Out: []byte(`{"id":"t"}`)}, "add {\n  \"id\": \"t\",\n  \"goal\": \"do\",\n  \"verify\": [\n    \"a\",\n    \"b\"\n  ]\n}\n", "/tasks/t"},
		"a task by its text":               {"/add", url.Values{"text": {`{"id":"t"}`}}, web.Said{Out: []byte(`{"id":"t"}`)}, "add {\"id\":\"t\"}\n", "/tasks/t"},
		"a refusal leads back to the task": {"/tasks/stuck/answer", url.Values{"text": {"a"}}, web.Said{Kind: web.Refused, Faults: []byte("looprun: no\n")}, "answer stuck a false\n", "/tasks/stuck"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := full(t)
			p.ans = tc.ans
			b := newBrowser(p.server(t, p.options()).Handler())
			form := url.Values{"seal": {b.seal(t, "/")}}
			for k, v := range tc.form {
				form[k] = v
			}
			w := b.post(tc.path, form, nil)
			if got := strings.Join(p.did, ""); got != tc.did {
				t.Errorf("POST %s did %q; want %q", tc.path, got, tc.did)
			}
			if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != tc.location {
				t.Errorf("POST %s = %d to %q; want 303 to %q", tc.path, w.Code, got, tc.location)
			}
		})
	}
}

func TestARefusalIsToldOnceAndKeepsWhatWasTyped(t *testing.T) {
	p := full(t)
	p.ans = web.Said{Kind: web.Refused, Faults: []byte("looprun: loop.yaml is not valid: <b>\x1b[31m\n")}
	b := newBrowser(p.server(t, p.options()).Handler())
	b.post("/tasks/stuck/answer", url.Values{"seal": {b.seal(t, "/")}, "text": {"my <answer>"}}, nil)
	body := b.get("/tasks/stuck").Body.String()
	for _, want := range []string{`role="alert">loop.yaml is not valid: &lt;b&gt;<`, ">my &lt;answer&gt;</textarea>"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(b.get("/tasks/stuck").Body.String(), "not valid") {
		t.Error("the refusal is told a second time")
	}
}

func TestACancelTellsWhoEndsTheTask(t *testing.T) {
	tests := map[string]struct{ out, want string }{
		"it was ended here":       {`{"decision":"blocked"}`, "Cancelled: slow ends"},
		"a running one was asked": {`{"task_id":"slow","cancelled":"asked"}`, "was asked to end slow"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := full(t)
			p.ans = web.Said{Out: []byte(tc.out)}
			b := newBrowser(p.server(t, p.options()).Handler())
			b.post("/tasks/slow/cancel", url.Values{"seal": {b.seal(t, "/")}}, nil)
			if !strings.Contains(b.get("/tasks/slow").Body.String(), tc.want) {
				t.Errorf("the page lacks %q", tc.want)
			}
		})
	}
}

func TestATaskThatIsRefusedKeepsItsForm(t *testing.T) {
	p := newPlace(t)
	p.ans = web.Said{Kind: web.Refused, Faults: []byte("standard input:1:8: bad_id\nlooprun: the task was not added\n")}
	b := newBrowser(p.server(t, p.options()).Handler())
	w := b.post("/add", url.Values{"seal": {b.seal(t, "/add")}, "id": {"Bad <Id>"}, "goal": {"do <it>"}}, nil)
	for _, want := range []string{"bad_id", `value="Bad &lt;Id&gt;"`, "do &lt;it&gt;</textarea>"} {
		if !strings.Contains(w.Body.String(), want) || w.Code != http.StatusUnprocessableEntity {
			t.Errorf("POST /add = %d, lacks %q", w.Code, want)
		}
	}
}

func TestALargeFormIsRefused(t *testing.T) {
	p := full(t)
	b := newBrowser(p.server(t, p.options()).Handler())
	w := b.post("/tasks/stuck/answer", url.Values{"seal": {b.seal(t, "/")}, "text": {strings.Repeat("a", 3<<20)}}, nil)
	if w.Code != http.StatusBadRequest || len(p.did) > 0 {
		t.Errorf("POST of 3 MiB = %d, did %d actions; want 400", w.Code, len(p.did))
	}
}
