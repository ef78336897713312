package generator

import (
	"regexp"
	"strings"
	"unicode"
)

// escapes are the sequences with which programs colour a terminal or set its
// title.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])")

// clean makes text from outside fit for a record and a terminal: valid, without
// control characters but for line ends and tabs, of at most limit bytes.
func clean(s string, limit int) string {
	if len(s) > 4*limit {
		s = s[:4*limit]
	}
	s = escapes.ReplaceAllString(strings.ToValidUTF8(s, "\ufffd"), "")
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return -1
	}, strings.ReplaceAll(s, "\r\n", "\n"))
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit-len(cutMark)], "") + cutMark
}

const cutMark = "…"

const maxSession = 200

var sessionID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]*$`)

// IsSessionID reports whether s may be handed to a generator as the session to
// go on with, in an argument or a variable.
func IsSessionID(s string) bool { return len(s) <= maxSession && sessionID.MatchString(s) }
