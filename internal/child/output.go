package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// defaultKeep is how much of stderr Output keeps.
const defaultKeep = 8 << 10

// ErrTooMuch is the error of Output for more bytes than MaxOutput.
var ErrTooMuch = errors.New("too much output")

// Output runs one of looprun's own tools and returns its whole stdout, byte by
// byte as it is. It is made for many short commands that are trusted not to
// hide processes: it looks after the process group only. Of Cmd it takes
// neither logs, RunID, Silence nor Active. The end of stderr, redacted, is in
// the Result: 8 KiB, or Keep. A tool that exits with another code than 0 is a
// Result; more than MaxOutput (0 is 64 MiB) ends it and is ErrTooMuch.
func Output(ctx context.Context, c Cmd) ([]byte, Result, error) {
	if ctx.Err() != nil {
		return nil, Result{Ended: Interrupted, ExitCode: -1, Started: time.Now()}, nil
	}
	p, missing, err := c.program()
	if err != nil || missing != 0 {
		return nil, notFound(missing), err
	}
	t := newTool(c, p)
	if err := t.start(c.Stdin); err != nil {
		if missing := p.startFault(err); missing != 0 {
			return nil, notFound(missing), nil
		}
		return nil, Result{}, fmt.Errorf("start %q: %w", c.Argv[0], err)
	}
	res := t.wait(ctx, c.Wall)
	if res.Stdout.Truncated {
		err = fmt.Errorf("run %q: %w: more than %d bytes", c.Argv[0], ErrTooMuch, t.limit)
	}
	return t.stdout.Bytes(), res, err
}

// A tool is a command under Output.
type tool struct {
	*program
	grace    time.Duration
	limit    int64
	in       *feeder
	out, err *pipe
	begun    time.Time
	proc     *started

	stdout  bytes.Buffer
	stderr  ring
	red     redactor // of stderr
	streams [2]Stream

	mu     sync.Mutex
	ended  string // why looprun ended it
	exited bool   // its pid may belong to another process
	force  *time.Timer
}

func newTool(c Cmd, p *program) *tool {
	t := &tool{program: p, grace: c.grace(), limit: c.maxOutput(), stderr: ring{limit: c.Keep}}
	if c.Keep <= 0 {
		t.stderr.limit = defaultKeep
	}
	t.red = newRedactor(redactionOf(c.Redact), t.stderr.write)
	return t
}

// start starts the tool in a session of its own, so that no question of it
// reaches a terminal.
func (t *tool) start(stdin []byte) (err error) {
	if t.in, err = newFeeder(stdin); err != nil {
		return err
	}
	if t.out, err = newPipe(); err != nil {
		t.in.discard()
		return err
	}
	if t.err, err = newPipe(); err != nil {
		t.in.discard()
		t.out.discard()
		return err
	}
	t.attr.Files = []*os.File{t.in.theirs, t.out.theirs, t.err.theirs}
	t.attr.Sys = toolAttributes()
	t.begun = time.Now()
	if t.proc, err = children.start(t.program, ""); err != nil {
		t.in.discard()
		t.out.discard()
		t.err.discard()
		return err
	}
	t.in.begin()
	t.out.begin(t.take)
	t.err.begin(t.hear)
	return nil
}

// wait returns when the tool has ended and all its output is read.
func (t *tool) wait(ctx context.Context, wall time.Duration) Result {
	defer context.AfterFunc(ctx, func() { t.end(Interrupted, atOnce(ctx).Err() != nil) })()
	defer context.AfterFunc(atOnce(ctx), func() { t.end(Interrupted, true) })()
	if wall > 0 {
		defer time.AfterFunc(wall, func() { t.end(Timeout, false) }).Stop()
	}
	state := children.wait(t.proc)
	t.over()
	t.in.stop()
	t.out.stop()
	t.err.stop()
	t.red.flush()
	if !t.out.released || !t.err.released { // a process of the group is left
		endTool(t.proc.proc, true)
	}
	res := Result{Ended: t.ended, ExitCode: -1, Started: t.begun, Duration: time.Since(t.begun), Level: Group}
	res.conclude(state)
	res.Stdout, res.Stderr = t.streams[0], t.streams[1]
	parts := t.stderr.parts()
	res.Stderr.Tail = bytes.Join(parts[:], nil)
	return res
}

// take keeps stdout, up to the limit.
func (t *tool) take(p []byte) {
	s := &t.streams[0]
	s.Total, s.LastWrite = s.Total+int64(len(p)), time.Now()
	if s.Total <= t.limit {
		t.stdout.Write(p)
	} else if !s.Truncated {
		s.Truncated = true
		t.end("", true)
	}
}

// hear keeps the end of stderr.
func (t *tool) hear(p []byte) {
	s := &t.streams[1]
	s.Total, s.LastWrite = s.Total+int64(len(p)), time.Now()
	t.red.write(p)
}

// end ends the tool: at once, or after a grace period in which git, for one,
// takes its lock files away.
func (t *tool) end(why string, now bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.exited {
		return
	}
	if t.ended == "" {
		t.ended = why
	}
	now = now || t.grace <= 0
	endTool(t.proc.proc, now)
	if !now && t.force == nil {
		t.force = time.AfterFunc(t.grace, func() { t.end(why, true) })
	}
}

// over marks the end of the tool.
func (t *tool) over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exited = true
	if t.force != nil {
		t.force.Stop()
	}
}
