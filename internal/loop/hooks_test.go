//go:build unix

package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
)

// A noticed is what a hook or a webhook was told.
type noticed struct {
	Schema, Event string
	TaskID        string `json:"task_id"`
	Result        struct {
		Decision, Reason, Detail, State string
		ChainHead                       string `json:"chain_head"`
	}
}

func (n noticed) String() string {
	return fmt.Sprintf("%s %s: %s %s%s", n.Event, n.TaskID, n.Result.Decision, n.Result.Reason, n.Result.State)
}

// A listening is a webhook's other end.
type listening struct {
	mu     sync.Mutex
	told   []string
	answer int
}

func (l *listening) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	var n noticed
	if err = errors.Join(err, json.Unmarshal(body, &n)); err != nil || r.Method != http.MethodPost || n.Schema != "looprun.notice/1" {
		l.told = append(l.told, fmt.Sprintf("%s %q: %v", r.Method, body, err))
	} else {
		l.told = append(l.told, n.String())
	}
	w.Header().Set("Location", "/elsewhere")
	w.WriteHeader(l.answer)
}

// Each end, each hold and each breaker that opens is told to its hook and to
// the webhook, once, from what is on record.
func TestHooksAreToldWhatIsOnRecord(t *testing.T) {
	tests := map[string]struct {
		agent, check string
		want         []string
	}{
		"done":    {agent: "echo good >answer", want: []string{"done t1: completed independent_verification_passed"}},
		"blocked": {agent: "echo good >answer; echo x >elsewhere", want: []string{"blocked t1: blocked boundary_violation"}},
		"asks":    {agent: "echo bad >answer", want: []string{"needs_input t1: needs_input same_failure_limit_reached"}},
		"held, and the target with it": {
			agent: `echo '{"status": "failed", "error": {"code": "auth"}}' >"$LOOPRUN_REPORT"; exit 1`,
			want:  []string{"breaker_open :  authopen", "held t1: held auth"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := &listening{answer: http.StatusNoContent}
			told := hooked(t, server, test.agent, `cat >>"$D/hooked"; echo >>"$D/hooked"`)
			if got, want := strings.Join(server.told, "\n"), strings.Join(test.want, "\n"); got != want {
				t.Errorf("the webhook was told:\n%s\nwant:\n%s", got, want)
			}
			var seen []string
			for line := range strings.Lines(told.read("hooked")) {
				var n noticed
				if err := json.Unmarshal([]byte(line), &n); err != nil {
					t.Errorf("a hook got %q: %v", line, err)
				}
				seen = append(seen, n.String())
				if n.TaskID != "" && !strings.Contains(told.read("repo/.loop/tasks/t1/state.json")+told.read("repo/.loop/results/t1.json"), n.Result.ChainHead) {
					t.Errorf("the head %q that a hook was told is on no record", n.Result.ChainHead)
				}
			}
			if got, want := strings.Join(seen, "\n"), strings.Join(test.want, "\n"); got != want {
				t.Errorf("hooks were told:\n%s\nwant:\n%s", got, want)
			}
			if told.warned != "" {
				t.Errorf("warned: %s", told.warned)
			}
		})
	}
}

// Whatever a hook or the other end does, the task stands as it ended.
func TestAHookThatFailsChangesNothing(t *testing.T) {
	tests := map[string]struct {
		hook   string
		answer int
		warned string
	}{
		"it exits with 3":       {"cat >/dev/null; echo no >&2; exit 3", 204, "exited with 3: no"},
		"it never ends":         {"exec sleep 600", 204, "ended by timeout"},
		"it does not read":      {"exit 0", 204, ""},
		"it removes the record": {`mkdir -p "$D/repo/tasks/done/t1.json" 2>/dev/null; exit 0`, 204, ""},
		"the other end fails":   {"exit 0", 500, "answered 500 Internal Server Error"},
		"it wants us elsewhere": {"exit 0", 302, "answered 302 Found"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &listening{answer: test.answer}
			told := hooked(t, server, "echo good >answer", test.hook)
			if _, err := os.Stat(filepath.Join(told.dir, "repo/tasks/done/t1.json")); err != nil || told.decision != "completed" {
				t.Errorf("the task ended %q, %v; want completed, and its file in done", told.decision, err)
			}
			if !strings.Contains(told.warned, test.warned) || test.warned == "" && told.warned != "" {
				t.Errorf("warned %q; want %q", told.warned, test.warned)
			}
			if strings.Contains(told.warned, "secret-of-the-hook") {
				t.Errorf("the address of the webhook is told: %q", told.warned)
			}
			if len(server.told) != 1 {
				t.Errorf("the webhook was told %q; want one notice", server.told)
			}
		})
	}
}

// An aftermath is what came of a pass with hooks.
type aftermath struct {
	field
	warned, decision string
}

func (o aftermath) read(name string) string {
	data, err := os.ReadFile(filepath.Join(o.dir, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		o.t.Fatal(err)
	}
	return string(data)
}

// hooked makes a pass over one task with the same hook for all events.
func hooked(t *testing.T, server http.Handler, agent, hook string) aftermath {
	t.Helper()
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	argv, err := json.Marshal([]string{"sh", "-c", hook})
	if err != nil {
		t.Fatal(err)
	}
	f := layOut(t, "hooked", scenario{
		mode: config.Isolated, tasks: []string{"t1"}, agent: agent,
		more: fmt.Sprintf("hooks: {done: %[1]s, blocked: %[1]s, needs_input: %[1]s, held: %[1]s, breaker_open: %[1]s, webhook: %[2]q}", argv, s.URL+"/secret-of-the-hook"),
	})
	cfg, _, err := config.Load(filepath.Join(f.dir, "repo", config.FileName))
	f.must(err)
	heard := &listener{}
	ctx := context.Background()
	l, err := loop.Open(ctx, loop.Options{Config: cfg, Observer: heard, HookTime: 2 * time.Second, Environ: []string{"PATH=" + os.Getenv("PATH"), "D=" + f.dir}})
	f.must(err)
	p, err := l.Run(ctx, loop.Limits{})
	f.must(err, l.Close())
	o := aftermath{field: f}
	for _, text := range heard.text {
		if strings.Contains(text, "hook") {
			o.warned += text + "\n"
		}
	}
	if len(p.Ended) > 0 {
		o.decision = string(p.Ended[0].Decision)
	}
	return o
}
