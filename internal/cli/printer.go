package cli

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// A printer is standard output. It keeps the first error, so that no command
// has to look for one after each line.
type printer struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (p *printer) Write(data []byte) (int, error) {
	n, err := p.w.Write(data)
	if p.err == nil {
		p.err = err
	}
	return n, err
}

// judge adds to the error of a command that its results did not reach whoever
// was to read them. A reader that went away by its own will, as head does,
// wanted no more.
func (p *printer) judge(err error) error {
	gone := errors.Is(p.err, syscall.EPIPE)
	switch {
	case p.err == nil, gone && !errors.Is(err, syscall.EPIPE):
		return err
	case gone:
		return nil
	case errors.Is(err, p.err):
		return withCode(exitIO, err)
	}
	return errors.Join(withCode(exitIO, fmt.Errorf("print the result: %w", p.err)), err)
}
