// Package record owns .loop/: the lock of the one instance, a journal a task,
// and the views that are rendered from it. A task's journal is the only truth
// about it; whatever else stands in .loop can be made again.
//
// It must never replace a line, an attempt or a result by another, and never
// decide anything: it stores what the core says and hands it back.
package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"looprun.dev/looprun/internal/round"
)

// A Line is one event in a journal. Prev is the SHA-256 of the bytes of the
// line before it, without the newline; of the first line it is "".
type Line struct {
	Seq  int       `json:"seq"`
	Prev string    `json:"prev"`
	At   time.Time `json:"at"`
	round.Event
}

// ErrDamaged is in every error about a journal whose lines do not follow from
// one another. Such a journal is never written to again.
var ErrDamaged = errors.New("journal damaged")

// Digest is the SHA-256 of data in hex, as it stands in every record.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// encode is the one form of a line, newline included.
func (l Line) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return nil, fmt.Errorf("encode journal line %d: %w", l.Seq, err)
	}
	return b.Bytes(), nil
}

// shortest bounds from below what a line is: it holds a digest.
const shortest = sha256.Size * 2

// parse reads the lines of a journal. What follows the last newline is the torn
// tail, and so is a last line with zero bytes, which a power cut leaves: the
// length of what is whole is returned with it. Any other fault is ErrDamaged.
func parse(data []byte) (c content, whole int, err error) {
	c.lines = make([]Line, 0, min(bytes.Count(data, []byte{'\n'}), len(data)/shortest))
	for {
		end := bytes.IndexByte(data[whole:], '\n')
		if end < 0 || torn(data[whole:], end) {
			return c, whole, nil
		}
		raw := data[whole : whole+end]
		l, err := c.follow(raw)
		if err != nil {
			return c, whole, fmt.Errorf("line %d: %w: %w", len(c.lines)+1, ErrDamaged, err)
		}
		c = c.with(l, raw)
		whole += end + 1
	}
}

// torn reports a line that ends at end and has zero bytes in it, with nothing
// but more of them behind it: not all blocks of the last write reached the disk.
func torn(data []byte, end int) bool {
	return bytes.IndexByte(data[:end], 0) >= 0 && len(bytes.TrimRight(data[end:], "\x00\n")) == 0
}

// follow decodes the line that comes after c.
func (c content) follow(raw []byte) (Line, error) {
	var l Line
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, err
	}
	if l.Seq != len(c.lines)+1 || l.Prev != c.head {
		return l, errors.New("it does not follow from the line before it")
	}
	if (l.Seq == 1) != (l.Kind == round.Claim) {
		return l, errors.New("the first line is the claim, and no other")
	}
	return l, l.check()
}

// check refuses an event without the part that its kind is about, so that the
// fold never meets one.
func (l Line) check() error {
	ok := true
	switch l.Kind {
	case round.Claim:
		ok = l.Claimed != nil
	case round.Preflight:
		ok = l.Preflight != nil
	case round.Start, round.Wait:
		ok = l.Facts != nil
	case round.Generate:
		ok = l.Try != nil
	case round.Verify:
		ok = l.Evidence != nil
	case round.Decide:
		ok = l.Decision != nil && l.Facts != nil
	case round.Consult:
		ok = l.Consulted != nil
	case round.Observe, round.Compensate:
		ok = l.Observed != nil
	case round.Land:
		ok = l.Landed != nil
	case round.Finish:
		ok = l.Finished != nil
	default:
		return fmt.Errorf("unknown kind %q: it may come from a newer looprun", l.Kind)
	}
	if !ok {
		return fmt.Errorf("kind %q without its contents", l.Kind)
	}
	return nil
}
