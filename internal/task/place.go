package task

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A trail is the way from the top of a document to one of its values. It is
// kept as links and written out only for a fault.
type trail struct {
	up    *trail
	key   string
	index int // of a list's item, where key is empty
}

func (p *trail) String() string {
	switch {
	case p == nil:
		return ""
	case p.key == "":
		return p.up.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.up == nil:
		return fieldName(p.key)
	}
	return p.up.String() + "." + fieldName(p.key)
}

// fieldName writes a key so that a hostile one stays on its line.
func fieldName(key string) string { return Clip(printable(key)) }

// findings gathers faults with the offsets where they stand; offsets become
// lines once, at the end.
type findings struct {
	found []finding
	more  int
}

type finding struct {
	offset int
	fault  Fault
}

func (f *findings) add(offset int, code string, field *trail, format string, args ...any) {
	if len(f.found) >= MaxFaults && code != CodeTruncated {
		f.more++
		return
	}
	f.found = append(f.found, finding{offset, Fault{Field: field.String(), Code: code, Msg: fmt.Sprintf(format, args...)}})
}

// placed gives every fault its file, line and column, in order of place.
func (f *findings) placed(file string, data []byte) []Fault {
	slices.SortStableFunc(f.found, func(a, b finding) int { return cmp.Compare(a.offset, b.offset) })
	out := make([]Fault, 0, len(f.found)+1)
	line, col, at := 1, 1, 0
	for _, one := range f.found {
		line, col = advance(data[at:one.offset], line, col)
		at = one.offset
		fault := one.fault
		fault.File, fault.Line, fault.Col = file, line, col
		out = append(out, fault)
	}
	if f.more > 0 {
		out = append(out, Fault{File: file, Code: CodeFurtherFault, Msg: fmt.Sprintf("and %d faults more", f.more)})
	}
	return out
}

// advance moves a place over text; columns count characters, not bytes.
func advance(text []byte, line, col int) (int, int) {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if col++; r == '\n' {
			line, col = line+1, 1
		}
	}
	return line, col
}
