package extract

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// An xmlScanner walks over the tags and the text of a document. It knows as
// much of XML as reports of tests hold, and goes on where a strict reader would
// stop: at characters that XML does not allow, and at a document that was cut
// off.
type xmlScanner struct {
	text string
	at   int
}

// An xmlTag is a start or end of an element, or the text between two tags.
type xmlTag struct {
	name        string // empty: text
	attrs       string // as they stand in the tag
	text        string // still escaped
	cdata       bool   // text that is not escaped
	opens, ends bool   // both for an empty element
}

// next gives the next tag or text; ok is false at the end.
func (x *xmlScanner) next() (t xmlTag, ok bool) {
	if x.at >= len(x.text) {
		return t, false
	}
	rest := x.text[x.at:]
	switch {
	case rest[0] != '<':
		n := strings.IndexByte(rest, '<')
		if n < 0 {
			n = len(rest)
		}
		x.at += n
		return xmlTag{text: rest[:n]}, true
	case strings.HasPrefix(rest, "<![CDATA["):
		return xmlTag{text: x.until("<![CDATA[", "]]>"), cdata: true}, true
	case strings.HasPrefix(rest, "<!--"):
		x.until("<!--", "-->")
		return xmlTag{}, true
	case strings.HasPrefix(rest, "<?"):
		x.until("<?", "?>")
		return xmlTag{}, true
	case strings.HasPrefix(rest, "<!"):
		x.until("<!", ">")
		return xmlTag{}, true
	}
	return x.tag(rest), true
}

// until moves behind end and gives what stands between start and it.
func (x *xmlScanner) until(start, end string) string {
	rest := x.text[x.at+len(start):]
	n := strings.Index(rest, end)
	if n < 0 {
		x.at = len(x.text)
		return rest
	}
	x.at += len(start) + n + len(end)
	return rest[:n]
}

func (x *xmlScanner) tag(rest string) xmlTag {
	if len(rest) < 2 || strings.IndexByte(" \t\r\n<>=", rest[1]) >= 0 {
		x.at++
		return xmlTag{text: "<"} // a loose bracket
	}
	n := tagEnd(rest)
	x.at += n
	inner := strings.TrimSuffix(rest[1:n], ">")
	if name, ends := strings.CutPrefix(inner, "/"); ends {
		return xmlTag{name: localName(strings.TrimSpace(name)), ends: true}
	}
	inner, empty := strings.CutSuffix(inner, "/")
	space := strings.IndexAny(inner, " \t\r\n")
	if space < 0 {
		space = len(inner)
	}
	return xmlTag{name: localName(inner[:space]), attrs: inner[space:], opens: true, ends: empty}
}

// tagEnd finds the end of the tag that rest begins with. A bracket inside of
// quotes is none.
func tagEnd(rest string) int {
	quote := byte(0)
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return len(rest)
}

func localName(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// attr gives the value of an attribute.
func (t xmlTag) attr(name string) string {
	rest := t.attrs
	for {
		eq := strings.IndexByte(rest, '=')
		if eq < 0 {
			return ""
		}
		key := strings.TrimSpace(rest[:eq])
		rest = strings.TrimLeft(rest[eq+1:], " \t\r\n")
		if rest == "" {
			return ""
		}
		end := strings.IndexByte(rest[1:], rest[0])
		if rest[0] != '"' && rest[0] != '\'' || end < 0 {
			return ""
		}
		if key == name {
			return xmlText(rest[1 : end+1])
		}
		rest = rest[end+2:]
	}
}

// content gives the text without escapes.
func (t xmlTag) content() string {
	if t.cdata {
		return t.text
	}
	return xmlText(t.text)
}

var xmlNames = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'", "nbsp": " "}

// xmlText resolves references. Those to control characters, with which tools
// write colours, vanish.
func xmlText(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for {
		amp := strings.IndexByte(s, '&')
		if amp < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:amp])
		s = s[amp+1:]
		end := strings.IndexByte(s[:min(len(s), 12)], ';')
		if end < 0 {
			b.WriteByte('&')
			continue
		}
		if text, ok := xmlReference(s[:end]); ok {
			b.WriteString(text)
			s = s[end+1:]
		} else {
			b.WriteByte('&')
		}
	}
}

func xmlReference(name string) (text string, ok bool) {
	number, isNumber := strings.CutPrefix(name, "#")
	if !isNumber {
		text, ok = xmlNames[name]
		return text, ok
	}
	base := 10
	if strings.HasPrefix(number, "x") || strings.HasPrefix(number, "X") {
		number, base = number[1:], 16
	}
	n, err := strconv.ParseUint(number, base, 32)
	if err != nil {
		return "", false
	}
	if r := rune(n); n <= utf8.MaxRune && (r == '\n' || r == '\t' || r >= ' ' && r != 0x7f) {
		return string(r), true
	}
	return "", true
}
