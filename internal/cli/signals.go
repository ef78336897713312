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

func (s *signalled) Error() string { return fmt.Sprintf("stopped by %s", s.Signal) }

// catchSignals returns a context that the first signal cancels: children get
// TERM, and what happened is recorded. The second kills them at once.
func catchSignals() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	killable, kill := child.WithKill(ctx)
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
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
