package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

func (a *app) watchCommand() *cobra.Command {
	ifBusy := forBusy()
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Stay up: work off what comes into the inbox, until a signal",
		Long: `watch does what run does, and stays. It wakes when a file comes into tasks/inbox,
when a wait is over, when a pause ends; meanwhile it rests. A loop.yaml that is
changed is taken over between two tasks if it is valid; else the last good one stays.

The first signal ends the step under way and records it, the second kills. Under
systemd (Type=notify) it says when it is ready, that it ends, and where the service
has a WatchdogSec, that it is alive.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.watch(cmd.Context(), ifBusy.word) },
	}
	cmd.Flags().Var(&ifBusy, "if-busy", busyUsage)
	return cmd
}

func (a *app) watch(ctx context.Context, ifBusy string) error {
	file, err := a.configPath()
	if err != nil {
		return err
	}
	cfg, err := a.startable()
	if err != nil {
		return err
	}
	p := a.newProgress()
	defer p.close()
	l, err := a.start(ctx, cfg, ifBusy, p)
	if l == nil {
		return err
	}
	s := supervisedBy(a.getenv, os.Getpid())
	defer s.stopsWith(ctx)()
	w := &watcher{progress: p}
	err = l.Watch(ctx, loop.Watching{
		File: file, Load: w.load, Ready: func() { w.ready(s) }, Alive: s.alive, Ended: w.ended, Left: w.left, Passed: w.passed,
	})
	if errors.Is(err, loop.ErrLockLost) {
		err = withCode(exitNotNow, err)
	}
	return asSignal(ctx, errors.Join(err, l.Close()))
}

// A watcher prints what a watch does.
type watcher struct {
	*progress
	paused bool
}

func (w *watcher) ready(s *supervisor) {
	w.print("watching tasks/inbox")
	s.tell(ready)
}

func (w *watcher) load() (cfg config.Config, ok bool) {
	var err error
	w.live.above(func() { cfg, err = w.startable() })
	if err != nil {
		w.print(fmt.Sprintf("warning: the changed loop.yaml is not used, the one before stays: %v", err))
		return cfg, false
	}
	w.print("loop.yaml was read again")
	return cfg, true
}

func (w *watcher) ended(r record.ResultView) {
	w.live.above(func() { w.printPass(loop.Pass{Ended: []record.ResultView{r}}) })
}

func (w *watcher) left(v record.PassView) {
	w.live.left(v.TaskID)
	w.live.above(func() { w.printPass(loop.Pass{Left: []record.PassView{v}}) })
}

// passed tells once that looprun is paused, and once that it no longer is.
func (w *watcher) passed(p loop.Pass) {
	paused := p.Reason == task.PauseFlag
	switch {
	case paused && !w.paused:
		w.print("paused: looprun resume lets it go on")
	case !paused && w.paused:
		w.print("resumed")
	}
	w.paused = paused
}
