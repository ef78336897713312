package child

import (
	"bytes"
	"encoding/binary"
)

// A redactor replaces secrets in one stream, wherever its writes are cut. It
// holds back only what may be the beginning of a secret, and its cost is linear
// in the length of the stream. Where secrets overlap all of them go.
type redactor struct {
	*redaction
	emit func([]byte) // what may be seen, in order

	held  []byte  // not decided yet
	gone  int     // the first bytes of held belong to a secret that is told already
	open  classes // tokens that reach up to held and may go on
	key   int     // from here on held may go on with a private key; -1: it does not
	prior [2]byte // the bytes before held
}

func newRedactor(r *redaction, emit func([]byte)) redactor {
	return redactor{redaction: r, emit: emit, key: -1}
}

// write takes the next piece of the stream.
func (r *redactor) write(p []byte) {
	if len(r.held) > 0 {
		r.held = append(r.held, p...)
		p = r.held
	}
	rest := r.scan(p, false)
	r.held = append(r.held[:0], rest...)
}

// flush ends the stream.
func (r *redactor) flush() {
	r.scan(r.held, true)
	r.held = r.held[:0]
}

// scan emits what is decided and returns the rest.
func (r *redactor) scan(d []byte, final bool) []byte {
	s := scan{redactor: r, data: d, done: r.gone, final: final}
	end := s.all(s.goOn())
	s.show(end)
	r.gone = max(s.done-end, 0)
	if r.key >= 0 {
		r.key -= end
	}
	r.remember(d[:end])
	return d[end:]
}

// remember keeps the last two bytes of what is done with.
func (r *redactor) remember(d []byte) {
	switch n := len(d); n {
	case 0:
	case 1:
		r.prior = [2]byte{r.prior[1], d[0]}
	default:
		r.prior = [2]byte{d[n-2], d[n-1]}
	}
}

// A scan is one pass over what is at hand.
type scan struct {
	*redactor
	data  []byte
	done  int // up to here all is emitted or redacted
	final bool
	runs  [len(classSets)]int // a run of each class is known up to here
}

// cover redacts data[from:to].
func (s *scan) cover(from, to int) {
	if from >= s.done {
		s.show(from)
		s.emit(label)
	}
	s.done = max(s.done, to)
}

// show emits what stands before end and is not redacted.
func (s *scan) show(end int) {
	if s.done < end {
		s.emit(s.data[s.done:end])
		s.done = end
	}
}

// goOn goes on with secrets that the last pass could not see the end of. It
// returns from where data has to wait for more.
func (s *scan) goOn() (stop int) {
	for c := range classes(len(classSets)) {
		if s.open&(1<<c) == 0 {
			continue
		}
		n := s.run(c, 0)
		s.done = max(s.done, n)
		if n < len(s.data) || s.final {
			s.open &^= 1 << c
		}
	}
	if s.key < 0 {
		return len(s.data)
	}
	n, more := keyBody(s.data[s.key:], true)
	n += s.key
	s.done = max(s.done, n)
	s.key = -1
	if more && !s.final {
		s.key = n
		return n
	}
	return len(s.data)
}

// all looks at every place before stop where a secret may start. It returns
// from where data has to wait for more.
func (s *scan) all(stop int) int {
	d, pair := s.data, &s.pair
	p := 0
	for p < stop && p+2 <= len(d) {
		if p+8 <= len(d) {
			x := binary.LittleEndian.Uint64(d[p:])
			if !(pair[uint16(x)] || pair[uint16(x>>16)] || pair[uint16(x>>32)] || pair[uint16(x>>48)]) {
				p += 8
				continue
			}
		}
		if pair[pairOf(d[p], d[p+1])] {
			stop = s.try(p-1, stop)
			stop = s.try(p, stop)
		}
		p += 2
	}
	for at := p - 1; at < stop; at++ {
		stop = s.try(at, stop)
	}
	return stop
}

// try redacts the secrets that start at at, if that is before stop. It returns
// a new stop, the place itself if more data could make a difference there.
func (s *scan) try(at, stop int) int {
	if at < 0 || at >= stop {
		return stop
	}
	longest, open, key := 0, s.open, s.key
	for _, n := range s.first[s.data[at]] {
		end, wait := s.match(n, at)
		longest = max(longest, end)
		if wait >= 0 && !s.final {
			stop = min(stop, wait)
		}
	}
	if stop == at {
		s.open, s.key = open, key // they will be found once more
	} else if longest > 0 {
		s.cover(at, longest)
	}
	return stop
}

// match returns where the secret that starts at at ends, 0 if none does, and
// from where data has to wait for more, else -1.
func (s *scan) match(n needle, at int) (end, wait int) {
	d := s.data[at:]
	if len(d) < len(n.text) {
		if bytes.HasPrefix(n.text, d) {
			return 0, at
		}
		return 0, -1
	}
	if !bytes.HasPrefix(d, n.text) {
		return 0, -1
	}
	if n.rest == nil {
		return at + len(n.text), -1
	}
	if n.rest.alone && s.inWord(at) {
		return 0, -1
	}
	if n.rest.key {
		return s.privateKey(at, at+len(n.text))
	}
	return s.token(n.rest, at+len(n.text), at)
}

// token matches what follows a prefix that ends at from.
func (s *scan) token(t *token, from, at int) (end, wait int) {
	end = s.run(t.class, from)
	if end-from >= t.min {
		if end == len(s.data) && !s.final {
			s.open |= 1 << t.class
		}
		return end, -1
	}
	if end == len(s.data) {
		return 0, at
	}
	return 0, -1
}

// run is where a run of bytes of a class ends that covers from. It is measured
// once, however many prefixes stand in it.
func (s *scan) run(class classes, from int) int {
	if from < s.runs[class] {
		return s.runs[class]
	}
	set, end := &classSets[class], from
	for end < len(s.data) && set[s.data[end]] {
		end++
	}
	s.runs[class] = end
	return end
}

// privateKey matches a key whose first words end at from.
func (s *scan) privateKey(at, from int) (end, wait int) {
	n, more := keyHeader(s.data[from:])
	if n == 0 {
		if more {
			return 0, at
		}
		return 0, -1
	}
	from += n
	n, more = keyBody(s.data[from:], false)
	switch {
	case n == 0 && more:
		return 0, at
	case n == 0:
		return 0, -1
	case more && !s.final:
		s.key = from + n
		return from + n, from + n
	}
	return from + n, -1
}

// inWord tells whether at stands inside a longer word. An escape of JSON, as
// in "\nsk-", is not part of a word.
func (s *scan) inWord(at int) bool {
	before := [2]byte{s.prior[0], s.prior[1]}
	switch {
	case at == 1:
		before = [2]byte{s.prior[1], s.data[0]}
	case at > 1:
		before = [2]byte(s.data[at-2 : at])
	}
	return classSets[dashed][before[1]] && before[0] != '\\'
}
