package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// hookTime bounds a hook, and a webhook's answer.
const hookTime = 30 * time.Second

// A notice is what a hook is told on stdin, and a webhook in its body.
type notice struct {
	Event  string `json:"event"` // done, blocked, needs_input, held, breaker_open
	TaskID string `json:"task_id,omitempty"`
	Result any    `json:"result"` // as run --json prints it
}

// notifyEnd tells the hooks of a task that ended. Its end is on record and its
// file is where it belongs, so nothing that a hook does can change its fate.
func (w *worker) notifyEnd(ctx context.Context, v record.ResultView) {
	event := map[task.Decision]string{task.Completed: "done", task.Blocked: "blocked", task.NeedsInput: "needs_input"}[v.Decision]
	w.notify(ctx, notice{Event: event, TaskID: v.TaskID, Result: v})
}

// notify runs the hook of an event and posts it to the webhook. What fails is
// told, and that is all.
func (p *pass) notify(ctx context.Context, n notice) {
	data, err := json.Marshal(n)
	if err != nil {
		p.warn("tell hooks of %s: %v", n.TaskID, err)
		return
	}
	ctx = context.WithoutCancel(ctx) // a pass that is ended has still something to tell
	if argv := p.hook(n.Event); len(argv) > 0 {
		if err := p.runHook(ctx, argv, data); err != nil {
			p.warn("hook %s of %s: %v: the task stands as it ended", n.Event, n.TaskID, err)
		}
	}
	if url := p.cfg.Hooks.Webhook; url != "" {
		if err := post(ctx, url, data); err != nil {
			p.warn("webhook about %s: %v: the task stands as it ended", n.TaskID, err)
		}
	}
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
		Argv: p.cfg.Argv(argv), Dir: p.cfg.Dir, Stdin: stdin, Wall: hookTime, Grace: time.Second, Keep: 4 << 10,
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
		return fmt.Errorf("exited with %d: %s", ran.ExitCode, bytes.TrimSpace(ran.Stderr.Tail))
	}
	return nil
}

func post(ctx context.Context, url string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("answered %s", resp.Status)
	}
	return nil
}
