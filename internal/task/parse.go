package task

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

var bom = []byte("\xef\xbb\xbf")

// HasBOM tells whether data starts with the byte order mark that Parse strips,
// for those who note it in a record.
func HasBOM(data []byte) bool { return bytes.HasPrefix(data, bom) }

// Parse reads the task file STEM.json. It returns every fault that it finds,
// in order of place; the Task is whole if there is none, and empty otherwise.
// What depends on loop.yaml is for Against to say.
func Parse(data []byte, stem string) (Task, []Fault) {
	doc := document{reader: reader{data: bytes.TrimPrefix(data, bom)}, stem: stem}
	file := stem + ".json"
	top, ok := doc.read(len(data))
	if !ok {
		return Task{}, doc.placed(file, doc.data)
	}
	t := doc.task(top)
	if len(doc.found) > 0 {
		return Task{}, doc.placed(file, doc.data)
	}
	return t, nil
}

// A document is a task file on its way to a Task.
type document struct {
	reader
	stem string
}

// read takes the bytes as one JSON object; false means that there is none.
func (d *document) read(size int) (value, bool) {
	if !d.bytesAreText(size) {
		return value{}, false
	}
	top, ok := d.value(nil, 1)
	if !ok {
		return value{}, false
	}
	if top.kind != objectKind {
		return d.fail(top.start, CodeNotAnObject, "a task is an object, this is %s", top.kind)
	}
	if d.space(); d.pos < len(d.data) {
		d.trailing()
	}
	return top, true
}

// bytesAreText refuses what no JSON reader should be asked about.
func (d *document) bytesAreText(size int) bool {
	zero := bytes.IndexByte(d.data, 0)
	bad := invalidUTF8(d.data)
	ok := false
	switch {
	case size > MaxBytes:
		d.fail(0, CodeTooLarge, "%d bytes, a task file has at most %d", size, MaxBytes)
	case looksUTF16(d.data):
		d.fail(0, CodeUTF16, "not UTF-8 (looks like UTF-16): save it as UTF-8")
	case zero >= 0:
		d.fail(zero, CodeZeroBytes, "zero bytes: a writer may have crashed before the file was written")
	case bad >= 0 && !utf8.FullRune(d.data[bad:]):
		d.data = d.data[:bad]
		d.cut()
	case bad >= 0:
		d.fail(bad, CodeNotUTF8, "byte 0x%02x is not UTF-8", d.data[bad])
	case len(bytes.Trim(d.data, " \t\r\n")) == 0:
		d.fail(0, CodeEmpty, "the file is empty")
	default:
		ok = true
	}
	return ok
}

// looksUTF16 knows the byte order marks, and text whose first character is
// one byte and a zero.
func looksUTF16(data []byte) bool {
	if len(data) < 2 {
		return false
	}
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) ||
		(data[0] == 0) != (data[1] == 0)
}

// invalidUTF8 is the offset of the first byte that is no UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n <= 1 {
			return at
		}
		at += n
	}
}

func (d *document) trailing() {
	if rest := d.data[d.pos:]; rest[0] == '#' || rest[0] == '/' {
		d.unexpected("the end of the file")
		return
	}
	what := "something else follows"
	if c := d.data[d.pos]; c == '{' || c == '[' {
		what = "another document follows"
	}
	d.fail(d.pos, CodeTrailingData, "trailing data: %s, but one file is one task", what)
}

// Locate gives the faults of Against the places of the members that they
// speak of in the file's bytes. What cannot be found stays as it is.
func Locate(data []byte, faults []Fault) []Fault {
	doc := document{reader: reader{data: bytes.TrimPrefix(data, bom)}}
	top, ok := doc.read(len(data))
	if !ok {
		return faults
	}
	places := map[string]int{"": top.start}
	top.places(nil, places)
	out := make([]Fault, len(faults))
	for i, f := range faults {
		if offset, ok := places[f.Field]; ok && f.Line == 0 {
			f.Line, f.Col = advance(doc.data[:offset], 1, 1)
		}
		out[i] = f
	}
	Sort(out)
	return out
}

// places notes where the members of a task stand, and the items of its lists.
func (v value) places(at *trail, into map[string]int) {
	for _, m := range v.members {
		here := &trail{up: at, key: m.key}
		into[here.String()] = m.value.start
		if !strings.HasPrefix(m.key, "x-") {
			m.value.places(here, into)
		}
	}
	for i, item := range v.items {
		into[(&trail{up: at, index: i}).String()] = item.start
	}
}
