package child

import (
	"context"
	"errors"
)

// ErrKill as the cause of a cancelled context ends a command without a grace
// period.
var ErrKill = errors.New("kill at once")

type killKey struct{}

// WithKill returns a context whose commands can be stopped in two steps: when
// ctx is cancelled they get TERM and their grace period, and kill, before or
// after that, ends them at once.
func WithKill(ctx context.Context) (_ context.Context, kill func()) {
	now, stop := context.WithCancel(context.Background())
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, killKey{}, now))
	return ctx, func() {
		cancel(ErrKill)
		stop()
	}
}

// atOnce is done when the commands of ctx have no grace period any more.
func atOnce(ctx context.Context) context.Context {
	if errors.Is(context.Cause(ctx), ErrKill) {
		return ctx
	}
	if now, ok := ctx.Value(killKey{}).(context.Context); ok {
		return now
	}
	return context.Background()
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
