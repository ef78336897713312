package cli

import (
	"io"
	"regexp"
	"strings"
	"unicode"
)

// A screen shows text that comes from outside: tasks, generators and checks may
// put anything into it. What could steer a terminal is taken out.
type screen struct{ w io.Writer }

// Write implements io.Writer.
func (s screen) Write(data []byte) (int, error) {
	if _, err := io.WriteString(s.w, plain(string(data))); err != nil {
		return 0, err
	}
	return len(data), nil
}

var escapes = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\-_])")

// plain is text without the characters that a terminal obeys.
func plain(text string) string {
	text = escapes.ReplaceAllString(text, "")
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

// oneLine is text for a cell or a line, cut where nobody would read on.
func oneLine(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "..."
	}
	return text
}
