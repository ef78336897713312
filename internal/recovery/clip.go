package recovery

import (
	"strings"
	"unicode/utf8"
)

// clip is the first max bytes of s at most, cut between two characters.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// clipFront is the last max bytes of s at most, cut between two characters.
func clipFront(s string, max int) string {
	if len(s) <= max {
		return s
	}
	s = s[len(s)-max:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// plain is s as one line of a record: valid UTF-8, no control characters, no
// runs of blanks, at most max bytes.
func plain(s string, max int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(clip(s, 8*max), " "))
	return clip(strings.Join(strings.Fields(s), " "), max)
}
