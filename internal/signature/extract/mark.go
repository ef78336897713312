package extract

import "strings"

// A mark is text by which a tool is woken.
type mark struct {
	text string
	tool int
}

// A markIndex finds marks by their first byte: those at the start of a line,
// blanks apart, and those after a colon and a blank inside it.
type markIndex struct {
	tools         int
	start, inside [256][]mark
}

// marks is filled when the package starts: it must not depend on what reads it.
var marks = &markIndex{}

func init() { marks.fill(tools) }

func (x *markIndex) fill(tools []tool) {
	x.tools = len(tools)
	for i, t := range tools {
		for _, text := range t.marks {
			index := &x.start
			if rest, ok := strings.CutPrefix(text, ": "); ok {
				index, text = &x.inside, rest
			}
			m := mark{text: text, tool: i}
			if text[0] != '9' {
				index[text[0]] = append(index[text[0]], m)
				continue
			}
			for c := '0'; c <= '9'; c++ {
				index[c] = append(index[c], m)
			}
		}
	}
}

// wake sets the tools whose marks stand on the line.
func (x *markIndex) wake(line string, woken []bool) {
	start := line[indent(line):]
	if start == "" {
		return
	}
	find(x.start[start[0]], start, woken)
	for {
		at := strings.IndexByte(start, ':')
		if at < 0 || at+2 >= len(start) {
			return
		}
		if start[at+1] == ' ' {
			find(x.inside[start[at+2]], start[at+2:], woken)
		}
		start = start[at+1:]
	}
}

func find(list []mark, text string, woken []bool) {
	for _, m := range list {
		if !woken[m.tool] && begins(text, m.text) {
			woken[m.tool] = true
		}
	}
}

// begins compares the start of a text with a mark, in which 9 stands for any
// number and "=", "_", "-" or "*" for a run of them.
func begins(text, mark string) bool {
	i := 0
	for _, c := range []byte(mark) {
		if i >= len(text) {
			return false
		}
		if c == '9' {
			n := countDigits(text[i:])
			if n == 0 {
				return false
			}
			i += n
			continue
		}
		if text[i] != c {
			return false
		}
		i++
		if c == '=' || c == '_' || c == '-' || c == '*' {
			i += leading(text[i:], c)
		}
	}
	return true
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
