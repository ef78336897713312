// Package screen owns what text from outside may do where people read it:
// nothing but be read. It is pure.
package screen

import (
	"regexp"
	"strings"
	"unicode"
)

var escapes = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\-_])")

// Plain is text without the sequences and characters that a terminal obeys. It
// is valid UTF-8, and keeps its lines and tabs.
func Plain(text string) string {
	if strings.IndexByte(text, '\x1b') >= 0 {
		text = escapes.ReplaceAllString(text, "")
	}
	return Printable(text)
}

// Printable is text without the characters that steer a terminal or turn the
// direction of what follows. What an escape sequence is made of beside its
// first character stays.
func Printable(text string) string {
	if strings.IndexFunc(text, odd) < 0 {
		return text // as almost all text is
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// odd is any character that is not plain ASCII.
func odd(r rune) bool { return (r < ' ' || r > '~') && r != '\n' && r != '\t' }
