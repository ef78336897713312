package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
)

const (
	// leftoverGrace is for what a command that ended by itself has left behind:
	// nobody waits for its work, it may only clean up.
	leftoverGrace = time.Second
	// killWait is how long a process may take to die of KILL. One that takes
	// longer hangs in the kernel or belongs to somebody else.
	killWait = 10 * time.Second
	// pace is the longest time between two looks at limits and at orphans.
	pace = time.Second
)

// Run runs a command to its end. When it returns no process of the run is
// alive and its output stands in the logs. A command that fails is a Result; an
// error means that something could not be found out or made sure. If only the
// output could not be written, or a process could not be ended, the Result
// beside the error is complete.
func Run(ctx context.Context, c Cmd) (res Result, err error) {
	if ctx.Err() != nil {
		return Result{Ended: Interrupted, ExitCode: -1, Started: time.Now()}, nil
	}
	p, missing, err := c.program()
	if err != nil || missing != 0 {
		return notFound(missing), err
	}
	r := &run{Cmd: c, program: p, family: newFamily(c), exited: make(chan struct{})}
	defer func() { err = errors.Join(err, r.family.close()) }()
	if err := r.open(); err != nil {
		return Result{}, fmt.Errorf("run %q: %w", c.Argv[0], err)
	}
	if err := r.start(); err != nil {
		r.discard()
		if missing := p.startFault(err); missing != 0 {
			return notFound(missing), nil
		}
		return Result{}, fmt.Errorf("start %q: %w", c.Argv[0], err)
	}
	r.await(ctx)
	err = r.end(ctx)
	return r.result(), errors.Join(err, r.out.close(), r.err.close())
}

// notFound is the result of a command that could not be started.
func notFound(code int) Result {
	return Result{Ended: Exit, ExitCode: code, NotFound: code != 0, Started: time.Now()}
}

// A run is one command on its way.
type run struct {
	Cmd
	*program
	family   *family
	in       *feeder
	out, err *capture
	begun    time.Time
	exited   chan struct{}    // closed when the command was waited for
	state    *os.ProcessState // set before that
	took     time.Duration    // set before that
	ended    string           // why looprun ended it, "" if it did not
	leftover int
}

// open makes logs and pipes.
func (r *run) open() (err error) {
	red := redactionOf(r.Redact)
	if r.out, err = newCapture(r.Stdout, r.maxOutput(), r.Keep, red); err != nil {
		return err
	}
	if r.err, err = newCapture(r.Stderr, r.maxOutput(), r.Keep, red); err != nil {
		r.out.discard()
		return err
	}
	if r.in, err = newFeeder(r.Stdin); err != nil {
		r.out.discard()
		r.err.discard()
		return err
	}
	r.attr.Files = []*os.File{r.in.theirs, r.out.theirs, r.err.theirs}
	return nil
}

// discard closes what open made, when nothing was started.
func (r *run) discard() {
	r.in.discard()
	r.out.discard()
	r.err.discard()
}

// start returns when the command runs. The thread that starts it waits for it
// too: the kernel ends the command with the thread that made it, and so with
// looprun, should that be killed.
func (r *run) start() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(r.exited)
		err := r.family.start(r.program)
		r.begun = time.Now()
		started <- err
		if err == nil {
			r.state = r.family.wait()
			r.took = time.Since(r.begun)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	r.in.begin()
	r.out.begin()
	r.err.begin()
	if r.Started != nil {
		r.Started(r.family.proc())
	}
	return nil
}

// await returns when the command has ended, or is to be ended for the reason
// in r.ended.
func (r *run) await(ctx context.Context) {
	l := limits{wall: r.Wall, silence: r.Silence, active: r.Active, since: r.begun}
	last := r.begun
	timer := time.NewTimer(l.next())
	defer timer.Stop()
	for r.ended == "" {
		select {
		case <-r.exited:
			return
		case <-ctx.Done():
			r.ended = Interrupted
		case <-timer.C:
			now := time.Now()
			r.ended = l.spend(now.Sub(last), r.out.total.Load()+r.err.total.Load())
			last = now
			r.family.reap()
			timer.Reset(l.next())
		}
	}
	select {
	case <-r.exited: // it was faster than its limit
		r.ended = ""
	default:
	}
}

// end ends all processes of the run, then the reading of their output.
func (r *run) end(ctx context.Context) (err error) {
	grace := r.grace()
	if r.ended == "" {
		grace = min(grace, leftoverGrace)
	}
	r.leftover, err = r.family.end(grace, atOnce(ctx).Done())
	r.in.stop()
	if err == nil {
		<-r.exited
	} else { // what cannot be ended cannot be waited for
		err = fmt.Errorf("end %q: %w", r.Argv[0], err)
	}
	r.out.stop()
	r.err.stop()
	return err
}

// result puts together what is known when the run is over.
func (r *run) result() Result {
	res := Result{
		Ended: r.ended, ExitCode: -1, Started: r.begun,
		Stdout: r.out.stream(), Stderr: r.err.stream(),
		ProcessesEnded: r.leftover, Level: r.family.level,
	}
	select {
	case <-r.exited:
		res.Duration = r.took
		res.conclude(r.state)
	default:
		res.Duration = time.Since(r.begun)
	}
	res.NotFound = len(r.Wrap) > 0 && refused(res)
	return res
}

// conclude adds what the system says of the end of the command.
func (res *Result) conclude(state *os.ProcessState) {
	if state == nil {
		return
	}
	res.ExitCode, res.Signal = state.ExitCode(), signalOf(state)
	switch {
	case res.Ended != "":
	case res.Signal != "":
		res.Ended = Signal
	default:
		res.Ended = Exit
	}
}
