package task

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted takes a string in double quotes. Escapes that give no character are
// recorded and read as U+FFFD, so that faults behind them are found as well.
func (r *reader) quoted(at *trail) (value, bool) {
	v := value{kind: stringKind, start: r.pos}
	if r.pos == len(r.data) {
		return r.cut()
	}
	r.pos++
	var b strings.Builder
	for plain := r.pos; r.pos < len(r.data); {
		switch c := r.data[r.pos]; {
		case c == '"':
			b.Write(r.data[plain:r.pos])
			r.pos++
			v.text, v.end = b.String(), r.pos
			return v, true
		case c == '\\':
			b.Write(r.data[plain:r.pos])
			char, ok := r.escape(at)
			if !ok {
				return value{}, false
			}
			b.WriteRune(char)
			plain = r.pos
		case c < ' ':
			return r.fail(r.pos, CodeSyntax, "a raw %s inside a string: write it as an escape, such as \\n", controlName(c))
		default:
			r.pos++
		}
	}
	return r.cut()
}

func controlName(c byte) string {
	switch c {
	case '\n', '\r':
		return "line break"
	case '\t':
		return "tab"
	}
	return "control character"
}

// escape takes a backslash and what belongs to it.
func (r *reader) escape(at *trail) (rune, bool) {
	start := r.pos
	if r.pos+1 == len(r.data) {
		r.cut()
		return 0, false
	}
	c := r.data[r.pos+1]
	r.pos += 2
	if c == 'u' {
		return r.unicode(start, at)
	}
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), true
	}
	char, _ := utf8.DecodeRune(r.data[start+1:])
	r.fail(start, CodeSyntax, "%q after a backslash is no escape of JSON: a backslash itself is written \\\\", char)
	return 0, false
}

// unicode takes the digits of \uXXXX, and the second half of a pair.
func (r *reader) unicode(start int, at *trail) (rune, bool) {
	char, ok := r.hex(start)
	if !ok {
		return 0, false
	}
	switch {
	case char == 0:
		r.add(start, CodeNULEscape, at, "a NUL character cannot be passed on")
		return utf8.RuneError, true
	case !utf16.IsSurrogate(char):
		return char, true
	}
	if rest := r.data[r.pos:]; len(rest) > 1 && rest[0] == '\\' && rest[1] == 'u' {
		second := r.pos
		r.pos += 2
		low, ok := r.hex(second)
		if !ok {
			return 0, false
		}
		if pair := utf16.DecodeRune(char, low); pair != utf8.RuneError {
			return pair, true
		}
		r.pos = second
	}
	r.add(start, CodeLoneSurrogate, at, "\\u%04x is half of a character, its other half is missing", char)
	return utf8.RuneError, true
}

func (r *reader) hex(start int) (rune, bool) {
	end := min(r.pos+4, len(r.data))
	digits := string(r.data[r.pos:end])
	n, err := strconv.ParseUint("0"+digits, 16, 32)
	if err != nil {
		r.fail(start, CodeSyntax, "\\u is not followed by four hexadecimal digits")
		return 0, false
	}
	if len(digits) < 4 {
		r.cut()
		return 0, false
	}
	r.pos = end
	return rune(n), true
}
