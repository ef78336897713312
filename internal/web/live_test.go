package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/web"
)

// soon is how long a change may take until an open page is told. On a machine
// that is at rest it takes a fifth of a second.
const soon = 3 * time.Second

// serve answers on a free port until the test ends.
func serve(t *testing.T, p *place) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	s := p.server(t, p.options())
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve = %v; want nil at its end", err)
		}
	})
	return "http://" + l.Addr().String()
}

// An event is what a stream tells.
type event struct{ name, data string }

// listen opens a stream and gives its events one by one.
func listen(t *testing.T, url string) <-chan event {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	must(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	must(t, err)
	if got := answer.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("GET %s is %d, %s", url, answer.StatusCode, got)
	}
	events, over := make(chan event), make(chan struct{})
	go func() {
		defer close(over)
		read(answer.Body, func(e event) bool {
			select {
			case events <- e:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	t.Cleanup(func() {
		stop()
		<-over
		answer.Body.Close()
	})
	return events
}

func read(body io.Reader, tell func(event) bool) {
	var e event
	for lines := bufio.NewScanner(body); lines.Scan(); {
		switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
		case "event":
			e.name = value
		case "data":
			if e.data = value; !tell(e) {
				return
			}
		}
	}
}

// next is the next event of a name, which must come soon.
func next(t *testing.T, events <-chan event, name string) event {
	t.Helper()
	late := time.After(soon)
	for {
		select {
		case e := <-events:
			if e.name == name {
				return e
			}
		case <-late:
			t.Fatalf("no event %q within %s", name, soon)
		}
	}
}

func TestAnOpenPageIsToldOfEveryChange(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("", func(t *testing.T) { // its cleanup ends the server first
		p := newPlace(t)
		p.run(t, "old", "before anybody looked", passes)
		events := listen(t, serve(t, p)+"/events")
		next(t, events, "hello")
		tests := []struct {
			what   string
			change func()
			tasks  []string
		}{
			{"a file in the inbox", func() { p.drop(t, task.Inbox, "new", "x") }, nil},
			{"a task that is worked off", func() { p.run(t, "now", "x", passes) }, []string{"now"}},
			{"a pause", func() { must(t, os.WriteFile(filepath.Join(p.dir, ".loop", "pause"), nil, 0o600)) }, nil},
			{"a file that is gone", func() { must(t, os.Remove(filepath.Join(p.dir, "tasks", "inbox", "new.json"))) }, nil},
		}
		version := 0
		for _, tc := range tests {
			tc.change()
			var c struct {
				Version int
				Tasks   []string
			}
			for len(c.Tasks) < len(tc.tasks) || c.Version == 0 {
				must(t, json.Unmarshal([]byte(next(t, events, "change").data), &c))
				if c.Version != version+1 {
					t.Errorf("%s: version %d follows %d", tc.what, c.Version, version)
				}
				version = c.Version
			}
			if !cmp.Equal(c.Tasks, tc.tasks) {
				t.Errorf("%s is told of %v; want %v", tc.what, c.Tasks, tc.tasks)
			}
			quiet(t, events, &version)
		}
	})
}

// quiet takes the events that are still about the same change.
func quiet(t *testing.T, events <-chan event, version *int) {
	t.Helper()
	for {
		select {
		case e := <-events:
			var c struct{ Version int }
			must(t, json.Unmarshal([]byte(e.data), &c))
			*version = c.Version
		case <-time.After(soon / 6):
			return
		}
	}
}

func TestALogIsFollowedToItsEnd(t *testing.T) {
	p := newPlace(t)
	p.run(t, "slow", "x", limited)
	file := filepath.Join(p.dir, ".loop", "tasks", "slow", "attempts", "round-001", "try-02.stdout")
	must(t, os.WriteFile(file, []byte("first\nhalf"), 0o600))
	events := listen(t, serve(t, p)+"/tasks/slow/follow?file=attempts/round-001/try-02.stdout&from=0")
	got := next(t, events, "lines").data
	if want := `{"text":"first\n","end":6}`; got != want {
		t.Errorf("first came %s; want %s", got, want)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	fmt.Fprint(f, " and <half>\x1b[31m\n")
	must(t, f.Close())
	got = next(t, events, "lines").data
	if want := `{"text":"half and \u003chalf\u003e\n","end":27}`; got != want {
		t.Errorf("then came %s; want %s", got, want)
	}
}

func TestTheLogOfATryThatEndedIsSentWhole(t *testing.T) {
	p := newPlace(t)
	p.run(t, "good", "x", fails, passes)
	events := listen(t, serve(t, p)+"/tasks/good/follow?file=attempts/round-001/try-01.stdout&from=6")
	if got, want := next(t, events, "lines").data, `{"text":"x\nend\n","end":12}`; got != want {
		t.Errorf("it came as %s; want %s", got, want)
	}
	if got, want := next(t, events, "over").data, `{"next":"attempts/round-002/try-02.stdout"}`; got != want {
		t.Errorf("it ended with %s; want %s", got, want)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	p := newPlace(t)
	base := serve(t, p)
	for range 64 {
		listen(t, base+"/events")
	}
	answer, err := http.Get(base + "/events")
	must(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the 65th stream is %d; want 503", answer.StatusCode)
	}
}

func TestServeEndsWithItsListener(t *testing.T) {
	p := newPlace(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err, l.Close())
	if err := p.server(t, p.options()).Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve on a closed listener = %v; want that it is closed", err)
	}
}

func TestAnActionUnderWayIsFinishedBeforeTheEnd(t *testing.T) {
	p := newPlace(t)
	p.begun, p.goOn = make(chan struct{}), make(chan struct{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	s := p.server(t, p.options())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	b := newBrowser(s.Handler())
	form := url.Values{"seal": {b.seal(t, "/")}}
	answered := make(chan int, 1)
	go func() {
		r, _ := http.NewRequest(http.MethodPost, "http://"+l.Addr().String()+"/resume", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+l.Addr().String())
		for _, c := range b.cookies {
			r.AddCookie(c)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			answered <- 0
			return
		}
		answer.Body.Close()
		answered <- answer.StatusCode
	}()
	<-p.begun
	stop()
	close(p.goOn)
	if got := <-answered; got != http.StatusSeeOther {
		t.Errorf("the action is answered with %d; want 303", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v; want nil", err)
	}
}

func TestParseEvents(t *testing.T) {
	line := `{"schema":"looprun.event/1","task_id":"a","seq":2,"kind":"finish","decision":"blocked","reason":"boundary_violation"}` + "\n"
	start := `{"task_id":"b","kind":"start","round":2,"try":3}` + "\n"
	c := web.ParseEvents([]byte(line + "no event\n" + start + start + `{"kind":"start"}` + "\n"))
	if want := []string{"a", "b"}; !cmp.Equal(c.Tasks, want) {
		t.Errorf("the tasks are %v; want %v", c.Tasks, want)
	}
	if want := []string{"a: blocked, boundary violation", "b: round 2, try 3 started", "b: round 2, try 3 started"}; !cmp.Equal(c.What, want) {
		t.Errorf("it says %q; want %q", c.What, want)
	}
}

// Whatever the bytes, a change names each task once and says little.
func FuzzParseEvents(f *testing.F) {
	f.Add([]byte(`{"task_id":"a","kind":"decide","decision":"retry","reason":"x"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := web.ParseEvents(data)
		seen := map[string]bool{}
		for _, id := range c.Tasks {
			if seen[id] || id == "" {
				t.Errorf("%v names %q twice, or nobody", c.Tasks, id)
			}
			seen[id] = true
		}
		if len(c.What) > 5 {
			t.Errorf("it says %d things", len(c.What))
		}
	})
}
