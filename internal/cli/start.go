package cli

import (
	"context"
	"errors"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
)

// What --if-busy may say.
const (
	busyFail = "fail"
	busySkip = "skip"
	busyWait = "wait"
)

// forBusy is the flag --if-busy, as it is unless it is given.
func forBusy() choice { return choice{busyFail, []string{busyFail, busySkip, busyWait}} }

const busyUsage = "while another instance runs: `fail` (75), skip (0) or wait"

// startable is loop.yaml, if every command that it names is there.
func (a *app) startable() (config.Config, error) {
	cfg, err := a.load()
	if err != nil {
		return cfg, err
	}
	if faults := cfg.CheckCommands(a.getenv("PATH")); len(faults) > 0 {
		a.faults(faults)
		return cfg, withCode(exitConfig, errors.New("a command of loop.yaml can't be started: nothing was claimed"))
	}
	return cfg, nil
}

// start opens the loop and takes its lock. Where another instance has it and
// that is to be passed over, it returns neither a loop nor an error.
func (a *app) start(ctx context.Context, cfg config.Config, ifBusy string, o loop.Observer) (*loop.Loop, error) {
	opts := loop.Options{Config: cfg, Environ: a.environ, Version: version(), Observer: o, Now: a.now}
	if ifBusy == busyWait {
		opts.Patience = time.Duration(1<<63 - 1)
	}
	l, err := loop.Open(ctx, opts)
	switch {
	case errors.Is(err, record.ErrBusy) && ifBusy == busySkip:
		return nil, nil
	case err != nil:
		return nil, asSignal(ctx, err)
	}
	return l, nil
}
