//go:build linux || darwin

package child

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestLimitsEndARun(t *testing.T) {
	const trap = "trap 'exit 0' TERM; "
	now := func() time.Time { return time.Now() }
	for name, tt := range map[string]struct {
		cmd    Cmd
		script string
		ended  string
		code   int
	}{
		"time":                           {Cmd{Wall: 100 * time.Millisecond}, "sleep 60", Timeout, -1},
		"time, although it exits with 0": {Cmd{Wall: 100 * time.Millisecond}, trap + "sleep 60 & wait", Timeout, 0},
		"time, although it ignores TERM": {Cmd{Wall: 100 * time.Millisecond, Grace: 50 * time.Millisecond}, "trap '' TERM; sleep 60", Timeout, -1},
		"time, without a grace period":   {Cmd{Wall: 100 * time.Millisecond, Grace: -1}, trap + "sleep 60 & wait", Timeout, -1},
		"silence":                        {Cmd{Silence: 100 * time.Millisecond}, "sleep 60", Silence, -1},
		"silence after some words":       {Cmd{Silence: 150 * time.Millisecond}, "echo a; sleep 0.1; echo b >&2; sleep 60", Silence, -1},
		"not silence while it talks":     {Cmd{Silence: 400 * time.Millisecond}, "for i in 1 2 3 4 5 6; do echo; sleep 0.1; done", Exit, 0},
		"not silence while it works":     {Cmd{Silence: 100 * time.Millisecond, Active: now}, "sleep 0.3", Exit, 0},
		"time, whatever signs it gives":  {Cmd{Wall: 200 * time.Millisecond, Silence: 100 * time.Millisecond, Active: now}, "sleep 60", Timeout, -1},
		"not the time that was not used": {Cmd{Wall: time.Minute, Silence: time.Minute}, "true", Exit, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := shell(tt.script)
			c.Wall, c.Silence, c.Active, c.Grace = tt.cmd.Wall, tt.cmd.Silence, tt.cmd.Active, tt.cmd.Grace
			c.RunID = unique(t)
			res := mustRun(t, c)
			if res.Ended != tt.ended || res.ExitCode != tt.code {
				t.Errorf("Ended, ExitCode = %s, %d; want %s, %d", res.Ended, res.ExitCode, tt.ended, tt.code)
			}
			if res.Duration > 5*time.Second {
				t.Errorf("Duration = %v", res.Duration)
			}
		})
	}
}

// readies a command that ends in its own time when it is told to.
const slow = "trap 'sleep 60' TERM; echo ready; sleep 60"

func TestCancel(t *testing.T) {
	t.Run("before the start starts nothing", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c := Cmd{Argv: []string{"touch", logIn(t)}}
		res, err := Run(ctx, c)
		if _, statErr := os.Stat(c.Argv[1]); res.Ended != Interrupted || err != nil || statErr == nil {
			t.Errorf("Run = %s, %v; file: %v", res.Ended, err, statErr)
		}
	})
	t.Run("gives a grace period", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := shell("trap 'echo bye; exit 3' TERM; sleep 60 & wait")
		c.RunID, c.Started = unique(t), func(Proc) { time.AfterFunc(100*time.Millisecond, cancel) }
		res, err := Run(ctx, c)
		if res.Ended != Interrupted || res.ExitCode != 3 || string(res.Stdout.Head) != "bye\n" || err != nil {
			t.Errorf("Run = %s, %d, %q, %v; want interrupted, 3, bye", res.Ended, res.ExitCode, res.Stdout.Head, err)
		}
		if res.ProcessesEnded != 1 {
			t.Errorf("ProcessesEnded = %d; want 1", res.ProcessesEnded)
		}
	})
	for name, stop := range map[string]func(cancel, kill func()){
		"and kill ends it in its grace period": func(cancel, kill func()) {
			cancel()
			time.AfterFunc(100*time.Millisecond, kill)
		},
		"by kill gives none": func(_, kill func()) { kill() },
	} {
		t.Run(name, func(t *testing.T) {
			outer, cancel := context.WithCancel(t.Context())
			ctx, kill := WithKill(outer)
			c := shell(slow)
			c.RunID, c.Started = unique(t), func(Proc) { time.AfterFunc(100*time.Millisecond, func() { stop(cancel, kill) }) }
			begun := time.Now()
			res, err := Run(ctx, c)
			if took := time.Since(begun); res.Ended != Interrupted || res.Signal != "SIGKILL" || err != nil || took > 5*time.Second {
				t.Errorf("Run = %s, %s, %v after %v; want interrupted, SIGKILL", res.Ended, res.Signal, err, took)
			}
		})
	}
	t.Run("with the cause ErrKill gives none", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := shell(slow)
		c.RunID, c.Started = unique(t), func(Proc) { time.AfterFunc(50*time.Millisecond, func() { cancel(ErrKill) }) }
		if res, err := Run(ctx, c); res.Signal != "SIGKILL" || err != nil {
			t.Errorf("Run = %s, %s, %v; want SIGKILL", res.Ended, res.Signal, err)
		}
	})
}
