package child

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"sync/atomic"
	"time"

	"looprun.dev/looprun/internal/fsx"
)

// A capture keeps one stream of a child, whatever becomes of the log: a child
// must never block on a full pipe.
type capture struct {
	*pipe
	path  string
	log   *os.File // nil: none
	red   redactor
	limit ends // of the log
	sum   hash.Hash
	kept  excerpt
	bytes int64 // written to the log
	fault error // the first one of the log
	total atomic.Int64
	last  time.Time
}

// newCapture makes the pipe, and the log if path is not "".
func newCapture(path string, limit int64, keep int, red *redaction) (*capture, error) {
	c := &capture{path: path, limit: endsOf(limit), kept: newExcerpt(keep), sum: sha256.New()}
	c.red = newRedactor(red, c.write)
	if path != "" {
		log, err := fsx.Scratch("").OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
		if err != nil {
			return nil, fmt.Errorf("create log: %w", err)
		}
		c.log = log
	}
	var err error
	if c.pipe, err = newPipe(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// discard closes everything when no child was started.
func (c *capture) discard() {
	c.pipe.discard()
	c.close()
}

func (c *capture) begin() {
	widen(c.ours)
	c.pipe.begin(c.take)
}

// stop ends the reading and completes the log.
func (c *capture) stop() {
	c.pipe.stop()
	c.red.flush()
	if c.limit.missing() > 0 {
		c.put(c.limit.marker())
	}
	for _, part := range c.limit.tail.parts() {
		c.put(part)
	}
}

func (c *capture) take(p []byte) {
	c.last = time.Now()
	c.red.write(p)
	c.total.Add(int64(len(p)))
}

// write takes what may be seen.
func (c *capture) write(p []byte) {
	c.kept.write(p)
	c.put(c.limit.head(p))
}

// put writes to the log. After a fault the rest is dropped: a log with a hole
// would be taken for the whole truth.
func (c *capture) put(p []byte) {
	if c.fault != nil || len(p) == 0 {
		return
	}
	n := len(p)
	if c.log != nil {
		n, c.fault = c.log.Write(p)
	}
	c.sum.Write(p[:n])
	c.bytes += int64(n)
}

// close closes the log and tells what was wrong with it.
func (c *capture) close() error {
	if c.log == nil {
		return nil
	}
	if err := errors.Join(c.fault, c.log.Close()); err != nil {
		return fmt.Errorf("write log %q: %w", c.path, err)
	}
	return nil
}

// stream is what is known after stop.
func (c *capture) stream() Stream {
	return Stream{
		Total: c.total.Load(), Bytes: c.bytes, SHA256: hex.EncodeToString(c.sum.Sum(nil)),
		Head: c.kept.first, Tail: c.kept.last(),
		Truncated: c.fault != nil || c.limit.missing() > 0, LastWrite: c.last,
	}
}
