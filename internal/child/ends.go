package child

import (
	"fmt"
	"slices"
)

// maxTail bounds the memory that the tail of a log takes until the end of the
// stream is known.
const maxTail = 4 << 20

// ends cuts a stream into a head, a tail and what is left out between them.
type ends struct {
	room    int64 // what the head can still take
	tail    ring
	newline bool // the head ends with one
}

// endsOf gives half of limit to the tail, and at most maxTail.
func endsOf(limit int64) ends {
	tail := min(limit/2, maxTail)
	return ends{room: limit - tail, tail: ring{limit: int(tail)}, newline: true}
}

// head returns the part of p that belongs to the head. The rest may become a
// part of the tail.
func (e *ends) head(p []byte) []byte {
	n := int(min(e.room, int64(len(p))))
	e.room -= int64(n)
	if n > 0 {
		e.newline = p[n-1] == '\n'
	}
	if n < len(p) {
		e.tail.write(p[n:])
	}
	return p[:n]
}

// missing is how many bytes are in neither.
func (e *ends) missing() int64 { return e.tail.total - int64(len(e.tail.data)) }

// marker is the line that stands for what is missing.
func (e *ends) marker() []byte {
	line := fmt.Sprintf("[looprun: %d bytes left out]\n", e.missing())
	if !e.newline {
		line = "\n" + line
	}
	return []byte(line)
}

// A ring holds the last bytes of what was written to it.
type ring struct {
	limit int
	data  []byte
	next  int // where the oldest byte stands, once data is full
	total int64
}

func (r *ring) write(p []byte) {
	r.total += int64(len(p))
	if r.data == nil && len(p) > 0 {
		r.data = make([]byte, 0, r.limit) // growing it would cost several times as much
	}
	if len(p) > r.limit {
		p = p[len(p)-r.limit:]
	}
	n := min(r.limit-len(r.data), len(p))
	r.data = append(r.data, p[:n]...)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		n = copy(r.data[r.next:], p)
		r.next = (r.next + n) % len(r.data)
	}
}

// parts are the bytes in order.
func (r *ring) parts() [2][]byte { return [2][]byte{r.data[r.next:], r.data[:r.next]} }

// An excerpt is what of a stream stays in memory.
type excerpt struct {
	ends
	first []byte
}

func newExcerpt(keep int) excerpt {
	tail := max(keep, 0) / 2
	return excerpt{ends: ends{room: int64(max(keep, 0) - tail), tail: ring{limit: tail}}}
}

func (x *excerpt) write(p []byte) { x.first = append(x.first, x.head(p)...) }

func (x *excerpt) last() []byte {
	parts := x.tail.parts()
	return slices.Concat(parts[0], parts[1])
}
