package child

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
)

// minSecret is the length from which a value is redacted.
const minSecret = 8

var label = []byte("[redacted]")

// A redaction knows what is to be taken out. It is made once for a set of
// values and shared by all streams.
type redaction struct {
	values []string
	// pair is indexed by two neighbouring bytes, the first one low. It is set
	// for the first two and for the second and third byte of each secret, so
	// that a look at every other position finds each place where one may start.
	pair  [1 << 16]bool
	first [256][]needle
}

// A needle is how a secret begins, or all of it.
type needle struct {
	text []byte
	rest *token // what follows a known prefix; nil: text is the whole secret
}

// redactions has the last set that was asked for: all runs of a process mostly
// use one set.
var redactions struct {
	sync.Mutex
	last *redaction
}

// redactionOf returns the redaction of values.
func redactionOf(values []string) *redaction {
	redactions.Lock()
	defer redactions.Unlock()
	if r := redactions.last; r != nil && slices.Equal(r.values, values) {
		return r
	}
	r := newRedaction(values)
	redactions.last = r
	return r
}

func newRedaction(values []string) *redaction {
	r := &redaction{values: slices.Clone(values)}
	for i := range tokens {
		r.add(needle{text: []byte(tokens[i].prefix), rest: &tokens[i]})
	}
	for _, v := range values {
		if len(v) < minSecret {
			continue
		}
		r.add(needle{text: []byte(v)})
		if q := inJSON(v); q != v {
			r.add(needle{text: []byte(q)})
		}
	}
	return r
}

func (r *redaction) add(n needle) {
	t := n.text
	r.first[t[0]] = append(r.first[t[0]], n)
	r.pair[pairOf(t[0], t[1])] = true
	r.pair[pairOf(t[1], t[2])] = true
}

func pairOf(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }

// inJSON is a value as it stands between the quotes of a JSON string.
func inJSON(v string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil || b.Len() < 3 {
		return v
	}
	return b.String()[1 : b.Len()-2] // without quotes and newline
}
