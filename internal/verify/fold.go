package verify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold gives one key to all spellings of a path that some file system takes
// for the same file: other case, other Unicode form, characters that are not
// shown, a trailing dot or space, a named stream. Bytes that are no UTF-8 stay.
func fold(path string) string {
	if isPlain(path) {
		return path
	}
	parts := strings.Split(strings.ReplaceAll(foldText(path), `\`, "/"), "/")
	for i, p := range parts {
		if name, _, ok := strings.Cut(p, ":"); ok && name != "" {
			p = name
		}
		if short := strings.TrimRight(p, ". "); short != "" {
			p = short
		}
		parts[i] = p
	}
	return strings.Join(parts, "/")
}

// isPlain knows the paths, most of all, that are their own key.
func isPlain(path string) bool {
	for i := range len(path) {
		switch c := path[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '/', c == '-', c == '_':
		case c == '.' && i+1 < len(path) && path[i+1] != '/' && path[i+1] != '.':
		default:
			return false
		}
	}
	return true
}

// foldText is fold for a pattern, whose dots and colons may be meant.
func foldText(s string) string {
	var w strings.Builder
	w.Grow(len(s))
	eachRune(decompose(s), func(r rune, raw string) {
		switch {
		case r == utf8.RuneError:
			w.WriteString(raw)
		case !unseen(r):
			w.WriteRune(foldRune(r))
		}
	})
	return w.String()
}

// foldRune is the smallest of the letters that differ from r in case only,
// lower case where there is one in ASCII.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// unseen are the characters that HFS+ drops from a name before it compares it.
func unseen(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}

// decompose takes letters apart into a base and its marks, so that a name is
// the same whether a Mac wrote it or another system. It knows the letters of
// Latin, Greek and Cyrillic alphabets, kana and hangul.
func decompose(s string) string {
	if ascii(s) {
		return s
	}
	var w strings.Builder
	eachRune(s, func(r rune, raw string) {
		if r == utf8.RuneError {
			w.WriteString(raw)
			return
		}
		writeDecomposed(&w, r)
	})
	return w.String()
}

func writeDecomposed(w *strings.Builder, r rune) {
	if d, ok := decomposed[r]; ok {
		writeDecomposed(w, d[0])
		w.WriteRune(d[1])
		return
	}
	const first, last, vowels, finals = 0xac00, 0xd7a3, 21, 28
	if r < first || r > last {
		w.WriteRune(r)
		return
	}
	n := r - first
	w.WriteRune(0x1100 + n/(vowels*finals))
	w.WriteRune(0x1161 + n%(vowels*finals)/finals)
	if final := n % finals; final > 0 {
		w.WriteRune(0x11a7 + final)
	}
}

// eachRune calls do with each rune and its bytes; a byte that is no UTF-8
// comes as utf8.RuneError.
func eachRune(s string, do func(r rune, raw string)) {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		do(r, s[:n])
		s = s[n:]
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
