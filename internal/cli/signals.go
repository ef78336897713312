package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"looprun.dev/looprun/internal/child"
)

// A signalled is the cause of a context that a signal ended.
type signalled struct{ syscall.Signal }

func (s *signalled) Error() string {
	return fmt.Sprintf("stopped by signal %d: %s", s.Signal, s.Signal)
}

// catchSignals returns a context that the first signal cancels: children get
// TERM, and what happened is recorded. The second kills them at once.
func catchSignals() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	killable, kill := child.WithKill(ctx)
	caught := make(chan os.Signal, 2)
	if all := heeded(); len(all) > 0 { // none would mean every signal
		signal.Notify(caught, all...)
	}
	// A reader of our output that goes away must not end us in the middle of a
	// step: with a handler, writing to it is an error like any other.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		if s, ok := <-caught; ok {
			cancel(&signalled{s.(syscall.Signal)})
		}
		if _, ok := <-caught; ok {
			kill()
		}
	}()
	return killable, func() {
		signal.Stop(caught)
		close(caught)
	}
}

// heeded are the signals that end looprun, but for those that whoever started
// it wants ignored, as nohup does.
func heeded() []os.Signal {
	var all []os.Signal
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			all = append(all, s)
		}
	}
	return all
}
