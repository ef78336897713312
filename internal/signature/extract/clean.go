package extract

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxStream bounds what is read of one stream: of a longer one the head and
// the tail are kept.
const maxStream = 64 << 20

// A cleaner turns bytes into the text that a person sees on a terminal, with
// paths relative to the work tree.
type cleaner struct {
	trees []string // longest first
	temps []string
}

func newCleaner(in Output) cleaner {
	return cleaner{trees: longestFirst(in.WorkTree), temps: longestFirst(in.Temp)}
}

func longestFirst(dirs []string) []string {
	var list []string
	for _, d := range dirs {
		if d = strings.TrimRight(d, "/"); strings.HasPrefix(d, "/") {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

func (c cleaner) text(raw []byte) string {
	s := strings.TrimPrefix(bounded(raw), "\ufeff")
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if hasControl(s) {
		s = visible(s)
	}
	for _, dir := range c.trees {
		s = relocate(s, dir, "")
	}
	for _, dir := range c.temps {
		s = relocate(s, dir, "/tmp/")
	}
	return s
}

func bounded(raw []byte) string {
	if len(raw) <= maxStream {
		return string(raw)
	}
	head, tail := raw[:maxStream*3/4], raw[len(raw)-maxStream/4:]
	return string(head) + "\n" + string(tail)
}

func hasControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if isControl(s[i]) && s[i] != '\n' {
			return true
		}
	}
	return false
}

func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }

// visible removes colours and other control sequences. What a carriage return
// or a jump to a column overwrites is gone: of a progress line the last state
// stays.
func visible(s string) string {
	out := make([]byte, 0, len(s))
	line := 0 // where the current line begins in out
	for i := 0; i < len(s); {
		n := plainRun(s[i:])
		out = append(out, s[i:i+n]...)
		if i += n; i >= len(s) {
			break
		}
		switch c := s[i]; c {
		case '\n':
			out = append(out, c)
			line = len(out)
			i++
		case '\r':
			if i += leading(s[i:], '\r'); i < len(s) && s[i] != '\n' {
				out = out[:line]
			}
		case esc:
			n, column := sequence(s[i:])
			if column {
				out = out[:line]
			}
			i += n
		default:
			i++
		}
	}
	return string(out)
}

const esc = 0x1b

// plainRun counts bytes up to the next control character other than a tab.
func plainRun(s string) int {
	for i := 0; i < len(s); i++ {
		if isControl(s[i]) {
			return i
		}
	}
	return len(s)
}

func leading(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// sequence measures the escape sequence that s begins with and tells whether
// it moves to a column.
func sequence(s string) (n int, column bool) {
	if len(s) < 2 {
		return len(s), false
	}
	switch s[1] {
	case '[':
		for n = 2; n < len(s) && s[n] >= ' ' && s[n] < '@'; n++ {
		}
		if n == len(s) || s[n] < '@' || s[n] > '~' {
			return n, false
		}
		return n + 1, s[n] == 'G'
	case ']', 'P', '^', '_': // up to BEL or ESC \, but not past the line
		for n = 2; n < len(s) && s[n] != '\n' && s[n] != 0x07 && s[n] != esc; n++ {
		}
		if n < len(s) && s[n] == 0x07 {
			n++
		} else if strings.HasPrefix(s[n:], "\x1b\\") {
			n += 2
		}
		return n, false
	case '(', ')', '#', '%':
		if len(s) > 2 && s[2] >= ' ' && s[2] < utf8.RuneSelf {
			return 3, false
		}
	}
	if s[1] < ' ' || s[1] >= utf8.RuneSelf {
		return 1, false
	}
	return 2, false
}

// relocate replaces a folder at the start of paths, also as file:// URL, by
// another beginning; the folder by itself becomes ".".
func relocate(s, dir, as string) string {
	var b strings.Builder
	done := 0
	for at := strings.Index(s, dir); at >= 0; {
		end := at + len(dir)
		if isPathEnd(s, end) && !insidePath(s[:at]) {
			b.WriteString(s[done : at-schemeBefore(s[done:at])])
			switch {
			case end < len(s) && s[end] == '/':
				b.WriteString(as)
				end++
			case as == "":
				b.WriteByte('.')
			default:
				b.WriteString(strings.TrimSuffix(as, "/"))
			}
			done = end
		}
		next := strings.Index(s[end:], dir)
		if next < 0 {
			break
		}
		at = end + next
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

func isPathEnd(s string, i int) bool {
	return i >= len(s) || s[i] == '/' || !isName(s[i])
}

// isName: a byte that goes on with the name of a file.
func isName(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '-' || c == '.' || c >= utf8.RuneSelf
}

func insidePath(before string) bool {
	if before == "" || strings.HasSuffix(before, "file://") {
		return false
	}
	c := before[len(before)-1]
	return isName(c) || c == '/' && !strings.HasSuffix(before, "://")
}

func schemeBefore(before string) int {
	for _, scheme := range []string{"file://localhost", "file://"} {
		if strings.HasSuffix(before, scheme) {
			return len(scheme)
		}
	}
	return 0
}
