//go:build linux || darwin

package child

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOutput(t *testing.T) {
	all := bytes.Repeat([]byte("\x00\xff AKIAIOSFODNN7ABCDEFG\n"), 20000)
	c := shell("cat; echo token ghp_0123456789abcdef0123456789abcdef0123 >&2; exit 3")
	c.Stdin = all
	out, res, err := Output(t.Context(), c)
	if err != nil || !bytes.Equal(out, all) {
		t.Errorf("Output = %d bytes, %v; want the %d bytes as they are", len(out), err, len(all))
	}
	if res.Ended != Exit || res.ExitCode != 3 || res.Level != Group || res.Stdout.Total != int64(len(all)) {
		t.Errorf("Result = %+v; want exit 3", res)
	}
	if got := string(res.Stderr.Tail); got != "token [redacted]\n" {
		t.Errorf("stderr = %q; want it redacted", got)
	}
}

func TestOutputIsBounded(t *testing.T) {
	c := shell("cat /dev/zero")
	c.MaxOutput = 1 << 20
	out, res, err := Output(t.Context(), c)
	if !errors.Is(err, ErrTooMuch) || !res.Stdout.Truncated || len(out) > 1<<20 {
		t.Errorf("Output = %d bytes, %v; want ErrTooMuch", len(out), err)
	}
	c = shell("i=0; while [ $i -lt 2000 ]; do echo $i >&2; i=$((i+1)); done")
	c.Keep = 10
	if _, res, err := Output(t.Context(), c); err != nil || string(res.Stderr.Tail) != "1998\n1999\n" {
		t.Errorf("stderr = %q, %v; want the last 10 bytes", res.Stderr.Tail, err)
	}
}

func TestOutputIsEnded(t *testing.T) {
	soon := func(parent context.Context) (context.Context, func()) {
		return context.WithTimeout(parent, 100*time.Millisecond)
	}
	for name, tt := range map[string]struct {
		script      string
		wall, grace time.Duration
		ctx         func(context.Context) (context.Context, func())
		ended, said string
	}{
		"by its limit":                  {"trap 'echo bye; exit' TERM; sleep 60 & wait", 100 * time.Millisecond, 0, nil, Timeout, "bye\n"},
		"by its limit if it ignores it": {"trap '' TERM; sleep 60", 50 * time.Millisecond, 50 * time.Millisecond, nil, Timeout, ""},
		"by a context":                  {"trap 'echo bye; exit' TERM; sleep 60 & wait", 0, 0, soon, Interrupted, "bye\n"},
		"at once":                       {"trap 'echo bye; exit' TERM; sleep 60 & wait", 0, 0, killSoon, Interrupted, ""},
		"with its group":                {"sleep 60 & sleep 60", 50 * time.Millisecond, 0, nil, Timeout, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := shell(tt.script)
			c.Wall, c.Grace = tt.wall, tt.grace
			ctx := t.Context()
			if tt.ctx != nil {
				var cancel func()
				ctx, cancel = tt.ctx(ctx)
				defer cancel()
			}
			out, res, err := Output(ctx, c)
			if err != nil || res.Ended != tt.ended || string(out) != tt.said || res.Duration > 5*time.Second {
				t.Errorf("Output = %q, %s, %v after %v; want %q, %s", out, res.Ended, err, res.Duration, tt.said, tt.ended)
			}
		})
	}
}

func killSoon(parent context.Context) (context.Context, func()) {
	ctx, kill := WithKill(parent)
	timer := time.AfterFunc(100*time.Millisecond, kill)
	return ctx, func() {
		timer.Stop()
		kill()
	}
}

// A process in the background holds the pipe; the tool itself has ended.
func TestOutputDoesNotWaitForTheBackground(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "alive")
	c := shell("(sleep 0.4; echo > " + mark + ") & echo done")
	out, res, err := Output(t.Context(), c)
	if string(out) != "done\n" || res.ExitCode != 0 || err != nil || res.Duration > 300*time.Millisecond {
		t.Errorf("Output = %q, %d, %v after %v; want done", out, res.ExitCode, err, res.Duration)
	}
	if _, _, err := Output(t.Context(), shell("sleep 0.5")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the background went on; want it ended with its group")
	}
}

func TestOutputBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, res, err := Output(ctx, shell("true")); res.Ended != Interrupted || err != nil {
		t.Errorf("Output = %+v, %v; want interrupted", res, err)
	}
	if _, _, err := Output(t.Context(), Cmd{Argv: []string{"true"}, Dir: "/no/such/dir"}); err == nil || !strings.Contains(err.Error(), "working directory") {
		t.Errorf("Output in a missing directory: %v; want an error", err)
	}
}
