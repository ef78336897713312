package child

import "errors"

// ErrMissing is the error of Become for a program that is not there, or can't
// be executed.
var ErrMissing = errors.New("not found, or not executable")

// Become hands this process over to a program: its standard streams, signals
// and exit code are those of the program from then on. Where a process can't
// be replaced, the program runs below it and the exit code is returned. It is
// for programs that a person starts through looprun, and for nothing that
// looprun itself has to control.
func Become(argv, env []string) (code int, err error) {
	c := Cmd{Argv: argv, Env: env}
	p, missing, err := c.program()
	if err != nil {
		return 0, err
	}
	if missing != 0 {
		return 0, ErrMissing
	}
	return p.become()
}
