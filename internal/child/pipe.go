package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// block is how much is read from a pipe at once.
const block = 64 << 10

var blocks = sync.Pool{New: func() any { return new([block]byte) }}

// A pipe brings one stream of a child to looprun, which reads it as fast as it
// comes.
type pipe struct {
	ours, theirs *os.File
	done         chan struct{}
	released     bool // nobody held the pipe any more; set before done is closed
}

func newPipe() (*pipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	return &pipe{ours: r, theirs: w, done: make(chan struct{})}, nil
}

// discard closes the pipe of a child that was not started.
func (p *pipe) discard() {
	p.theirs.Close()
	p.ours.Close()
}

// begin reads in the background, now that the child has its end.
func (p *pipe) begin(take func([]byte)) {
	p.theirs.Close()
	go func() {
		defer close(p.done)
		buf := blocks.Get().(*[block]byte)
		defer blocks.Put(buf)
		p.released = p.read(buf[:], take)
	}()
}

// read reads until nobody can write any more, or until stop. What is in the
// pipe by then is read in both cases.
func (p *pipe) read(buf []byte, take func([]byte)) (released bool) {
	for {
		n, err := p.ours.Read(buf)
		if n > 0 {
			take(buf[:n])
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return drain(p.ours, buf, take)
		}
		if err != nil {
			return err == io.EOF
		}
	}
}

// stop ends the reading when the child has ended. Another process may still
// hold the pipe, and for ever.
func (p *pipe) stop() {
	interrupt(p.ours, p.done)
	<-p.done
	p.ours.Close()
}
