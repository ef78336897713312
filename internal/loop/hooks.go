package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// hookTime bounds a hook, and a webhook's answer.
const hookTime = 30 * time.Second

// A notice is what a hook is told on stdin, and a webhook in its body. It says
// only what is on record: whoever gets it may act on it.
type notice struct {
	Schema string `json:"schema"`
	Event  string `json:"event"` // done, blocked, needs_input, held, breaker_open
	TaskID string `json:"task_id,omitempty"`
	Result any    `json:"result"` // as run --json prints it; of breaker_open the breaker
}

// notifyEnd tells the hooks of a task that ended. Its end is on record and its
// file is where it belongs, so nothing that a hook does can change its fate.
func (w *worker) notifyEnd(ctx context.Context, v record.ResultView) {
	event := map[task.Decision]string{task.Completed: "done", task.Blocked: "blocked", task.NeedsInput: "needs_input"}[v.Decision]
	w.notify(ctx, notice{Event: event, TaskID: v.TaskID, Result: v})
}

// notifyHeld tells the hooks of a task that waits for something to be mended. A
// hold that goes on for the same reason is told once.
func (h *host) notifyHeld(ctx context.Context, before, s round.State) {
	was, is := before.Decision, s.Decision
	if is.Kind != task.Held || was.Kind == task.Held && was.Reason == is.Reason {
		return
	}
	v := h.unended(s, is.Reason)
	v.Decision, v.Advice, v.Detail = is.Kind, is.Advice, is.Detail
	if !is.NotBefore.IsZero() {
		v.NotBefore = is.NotBefore.UTC().Format(time.RFC3339)
	}
	h.notify(ctx, notice{Event: "held", TaskID: v.TaskID, Result: v})
}

// notify runs the hook of an event and posts it to the webhook. What fails is
// told, and that is all.
func (p *pass) notify(ctx context.Context, n notice) {
	n.Schema = "looprun.notice/1"
	data, err := json.Marshal(n)
	if err != nil {
		p.warn("tell hooks of %s: %v", n.TaskID, err)
		return
	}
	ctx = context.WithoutCancel(ctx) // a pass that is ended has still something to tell
	if argv := p.hook(n.Event); len(argv) > 0 {
		if err := p.runHook(ctx, argv, data); err != nil {
			p.warn("hook %s%s: %v: nothing else changes by that", n.Event, n.about(), err)
		}
	}
	if address := p.cfg.Hooks.Webhook; address != "" {
		if err := p.post(ctx, address, data); err != nil {
			p.warn("webhook %s%s: %v: nothing else changes by that", n.Event, n.about(), err)
		}
	}
}

func (n notice) about() string {
	if n.TaskID == "" {
		return ""
	}
	return " of " + n.TaskID
}

func (p *pass) hook(event string) []string {
	h := p.cfg.Hooks
	switch event {
	case "done":
		return h.Done
	case "blocked":
		return h.Blocked
	case "needs_input":
		return h.NeedsInput
	case "held":
		return h.Held
	case "breaker_open":
		return h.BreakerOpen
	}
	return nil
}

func (p *pass) runHook(ctx context.Context, argv []string, stdin []byte) error {
	ran, err := child.Run(ctx, child.Cmd{
		Argv: p.cfg.Argv(argv), Dir: p.cfg.Dir, Stdin: stdin, Wall: p.opts.HookTime, Grace: time.Second, Keep: 4 << 10,
		Env: p.environ(p.cfg.Generator.Env), RunID: "hook-" + randomHex(), Redact: p.secretValues(),
	})
	switch {
	case err != nil:
		return err
	case ran.NotFound:
		return fmt.Errorf("%q was not found", argv[0])
	case ran.Ended != child.Exit:
		return fmt.Errorf("ended by %s after %s", ran.Ended, ran.Duration.Round(time.Millisecond))
	case ran.ExitCode != 0:
		return fmt.Errorf("exited with %d: %s", ran.ExitCode, bytes.TrimSpace(append(ran.Stderr.Head, ran.Stderr.Tail...)))
	}
	return nil
}

// post sends a notice and wants a 2xx. It follows no redirect, which would turn
// the notice into a request without one, and its errors leave the address out:
// that may be all it takes to post there.
func (p *pass) post(ctx context.Context, address string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, p.opts.HookTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("hooks.webhook is no address to post to")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "looprun")
	resp, err := webhooks.Do(req)
	var about *url.Error
	switch {
	case errors.As(err, &about):
		return about.Err
	case err != nil:
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return fmt.Errorf("answered %s", resp.Status)
	}
	return nil
}

var webhooks = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
