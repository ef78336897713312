package task

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a task file. What is beyond them is no task, and is refused before
// it can cost memory.
const (
	MaxBytes   = 1 << 20
	maxDepth   = 32
	maxMembers = 1000
	maxItems   = 10_000 // of all lists together
)

type kind byte

const (
	nullKind kind = iota
	boolKind
	numberKind
	stringKind
	listKind
	objectKind
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// A value is one JSON value and where it stands in the bytes.
type value struct {
	kind       kind
	start, end int
	text       string // of a string: unescaped; of a number: as written
	members    []member
	items      []value
}

type member struct {
	key   string
	start int // of the key
	value value
}

// A reader is one strict pass over JSON. The standard decoder lets the last of
// two equal keys win, replaces broken characters and stops at the first fault;
// none of that is wanted of a file that says what an agent shall do. A method
// that returns false has recorded why the rest cannot be read.
type reader struct {
	findings
	data    []byte
	pos     int
	members int
	items   int
}

func (r *reader) fail(offset int, code, format string, args ...any) (value, bool) {
	r.add(offset, code, nil, format, args...)
	return value{}, false
}

func (r *reader) cut() (value, bool) {
	return r.fail(len(r.data), CodeTruncated, "the file ends in the middle of the JSON")
}

func (r *reader) space() {
	for r.pos < len(r.data) && strings.IndexByte(" \t\r\n", r.data[r.pos]) >= 0 {
		r.pos++
	}
}

// next takes c after white space, if it is there.
func (r *reader) next(c byte) bool {
	r.space()
	if r.pos < len(r.data) && r.data[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

func (r *reader) value(at *trail, depth int) (value, bool) {
	r.space()
	if r.pos == len(r.data) {
		return r.cut()
	}
	c := r.data[r.pos]
	switch {
	case (c == '{' || c == '[') && depth > maxDepth:
		return r.fail(r.pos, CodeTooDeep, "nested deeper than %d levels", maxDepth)
	case c == '{':
		return r.object(at, depth)
	case c == '[':
		return r.array(at, depth)
	case c == '"':
		return r.quoted(at)
	case c == '-' || isDigit(c):
		return r.number()
	}
	return r.word()
}

func (r *reader) object(at *trail, depth int) (value, bool) {
	v := value{kind: objectKind, start: r.pos}
	r.pos++
	first := map[string]int{}
	for done := r.next('}'); !done; done = r.next('}') {
		if len(v.members) > 0 && !r.comma('}') {
			return value{}, false
		}
		m, ok := r.member(at, depth)
		if !ok {
			return value{}, false
		}
		if before, twice := first[m.key]; twice {
			line := 1 + bytes.Count(r.data[:before], []byte("\n"))
			r.add(m.start, CodeDuplicateKey, &trail{up: at, key: m.key}, "key %q is given twice, first on line %d", Clip(m.key), line)
		} else {
			first[m.key] = m.start
		}
		v.members = append(v.members, m)
	}
	v.end = r.pos
	return v, true
}

func (r *reader) member(at *trail, depth int) (member, bool) {
	r.space()
	m := member{start: r.pos}
	if r.members++; r.members > maxMembers {
		r.fail(r.pos, CodeTooMany, "more than %d members", maxMembers)
		return m, false
	}
	if r.pos < len(r.data) && r.data[r.pos] != '"' {
		r.unexpected("a name in double quotes")
		return m, false
	}
	name, ok := r.quoted(at)
	if !ok {
		return m, false
	}
	m.key = name.text
	if !r.next(':') {
		r.unexpected("a colon")
		return m, false
	}
	m.value, ok = r.value(&trail{up: at, key: m.key}, depth+1)
	return m, ok
}

func (r *reader) array(at *trail, depth int) (value, bool) {
	v := value{kind: listKind, start: r.pos}
	r.pos++
	for done := r.next(']'); !done; done = r.next(']') {
		if len(v.items) > 0 && !r.comma(']') {
			return value{}, false
		}
		if r.items++; r.items > maxItems {
			return r.fail(r.pos, CodeTooMany, "more than %d items of lists", maxItems)
		}
		item, ok := r.value(&trail{up: at, index: len(v.items)}, depth+1)
		if !ok {
			return value{}, false
		}
		v.items = append(v.items, item)
	}
	v.end = r.pos
	return v, true
}

// comma takes the comma between two members or items; one before the end is
// a fault of its own, since people write it so often.
func (r *reader) comma(end byte) bool {
	if !r.next(',') {
		r.unexpected("a comma or " + string(end))
		return false
	}
	at := r.pos - 1
	if r.next(end) {
		r.fail(at, CodeSyntax, "a comma before the closing %c: %s", end, notJSON5)
		return false
	}
	return true
}

// word takes true, false or null, or says what stands in their place.
func (r *reader) word() (value, bool) {
	start := r.pos
	for r.pos < len(r.data) && isLetter(r.data[r.pos]) {
		r.pos++
	}
	word := string(r.data[start:r.pos])
	switch word {
	case "true", "false":
		return value{kind: boolKind, start: start, end: r.pos, text: word}, true
	case "null":
		return value{kind: nullKind, start: start, end: r.pos}, true
	case "":
		return r.unexpected("a value")
	}
	if r.pos == len(r.data) && startsWord(word) {
		return r.cut()
	}
	return r.fail(start, CodeSyntax, "%q is not a JSON value: %s", Clip(word), notJSON5)
}

func startsWord(s string) bool {
	return strings.HasPrefix("true", s) || strings.HasPrefix("false", s) || strings.HasPrefix("null", s)
}

const notJSON5 = "this is JSON, not JSON5"

// unexpected says what stands where something else is wanted.
func (r *reader) unexpected(want string) (value, bool) {
	r.space()
	rest := r.data[r.pos:]
	c, _ := utf8.DecodeRune(rest)
	switch {
	case len(rest) == 0:
		return r.cut()
	case c == '#' || bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")):
		return r.fail(r.pos, CodeSyntax, "a comment: %s", notJSON5)
	case c == '\'':
		return r.fail(r.pos, CodeSyntax, "a single quote: %s, write double quotes", notJSON5)
	case c == '“' || c == '”' || c == '„':
		return r.fail(r.pos, CodeSyntax, "a typographic quote: write plain double quotes")
	case c == '_' || c == '$' || c == '+' || c == '.' || unicode.IsLetter(c) || unicode.IsDigit(c):
		return r.fail(r.pos, CodeSyntax, "%q where %s is wanted: %s", c, want, notJSON5)
	}
	return r.fail(r.pos, CodeSyntax, "%q where %s is wanted", c, want)
}
