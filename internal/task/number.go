package task

import "strings"

// number takes a number as written; what it may be is for its field to say.
func (r *reader) number() (value, bool) {
	start := r.pos
	for r.pos < len(r.data) && (isDigit(r.data[r.pos]) || strings.IndexByte("+-.eExX_", r.data[r.pos]) >= 0 || isLetter(r.data[r.pos])) {
		r.pos++
	}
	text := string(r.data[start:r.pos])
	if isNumber(text) {
		return value{kind: numberKind, start: start, end: r.pos, text: text}, true
	}
	if r.pos == len(r.data) {
		return r.cut()
	}
	return r.fail(start, CodeSyntax, "%q is not a number: %s", Clip(text), notJSON5)
}

// isNumber is the grammar of JSON: no leading zero, sign or point, and digits
// on both sides of the point.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, rest := leadingDigits(s)
	if whole == "" || (whole[0] == '0' && len(whole) > 1) {
		return false
	}
	if after, ok := strings.CutPrefix(rest, "."); ok {
		var frac string
		if frac, rest = leadingDigits(after); frac == "" {
			return false
		}
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	exp := strings.TrimPrefix(strings.TrimPrefix(rest[1:], "-"), "+")
	if len(rest[1:])-len(exp) > 1 {
		return false
	}
	exp, rest = leadingDigits(exp)
	return exp != "" && rest == ""
}

func leadingDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[:n], s[n:]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
