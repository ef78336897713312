package cli

import (
	"bytes"
	"context"
	"time"
)

// A Call is a command that another program runs inside its own process. It is
// the command itself, so that what it prints and refuses is the same everywhere.
type Call struct {
	Args    []string // without the name of the program
	Stdin   []byte
	Environ []string
}

// An Answer is what came of a Call.
type Answer struct {
	Out    []byte // standard output
	Faults []byte // standard error
	Code   int    // the exit code
}

// Run runs the command. It may be called several times at once.
func (c Call) Run(ctx context.Context) Answer {
	var raw, faults bytes.Buffer
	out := &printer{w: &raw}
	a := &app{
		stdout: terminal{out}, raw: out, stderr: terminal{&faults}, stdin: bytes.NewReader(c.Stdin),
		environ: c.Environ, now: time.Now,
	}
	code := a.run(ctx, c.Args, out)
	return Answer{Out: raw.Bytes(), Faults: faults.Bytes(), Code: code}
}
