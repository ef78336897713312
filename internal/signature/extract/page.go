package extract

import "strings"

// maxLines bounds the lines kept of one stream: of more, head and tail.
const maxLines = 4 << 20

// A page is what a command printed, cleaned, for the tools to read.
type page struct {
	clean    cleaner
	stdout   string
	streams  [2][]string // the lines of standard output and standard error
	woken    []bool      // by index of tools
	spots    []spot
	hasSpots bool
}

func newPage(in Output) *page {
	p := &page{clean: newCleaner(in)}
	p.stdout = withoutTestNumbers(p.clean.text(in.Stdout))
	p.streams[0] = linesOf(p.stdout)
	p.streams[1] = linesOf(p.clean.text(in.Stderr))
	return p
}

// uncommented is the page with what producers of TAP put into comments laid
// bare: the output of the program, in which alone it may say why it died.
func (p *page) uncommented() *page {
	comments := false
	for _, line := range p.streams[0] {
		comments = comments || strings.HasPrefix(line, "# ")
	}
	if !comments {
		return p
	}
	bare := &page{clean: p.clean}
	bare.streams[1] = p.streams[1]
	for _, line := range p.streams[0] {
		bare.streams[0] = append(bare.streams[0], strings.TrimPrefix(line, "# "))
	}
	return bare
}

func linesOf(text string) []string {
	n := strings.Count(text, "\n") + 1
	if n > maxLines {
		text, n = headAndTail(text), maxLines
	}
	lines := make([]string, 0, n)
	for len(text) > 0 {
		line, rest, _ := strings.Cut(text, "\n")
		lines = append(lines, line)
		text = rest
	}
	return lines
}

// headAndTail keeps three quarters of the lines allowed from the start of the
// text and one quarter from its end.
func headAndTail(text string) string {
	head, tail := 0, len(text)
	for range maxLines * 3 / 4 {
		head += strings.IndexByte(text[head:], '\n') + 1
	}
	for range maxLines / 4 {
		tail = strings.LastIndexByte(text[:tail], '\n')
	}
	return text[:head] + text[tail+1:]
}

// awake tells whether tool i found one of its marks on the page. All marks are
// looked for in one pass over the lines, at the first call.
func (p *page) awake(i int) bool {
	if p.woken == nil {
		p.woken = make([]bool, len(tools))
		for _, lines := range p.streams {
			for _, line := range lines {
				p.wake(line)
			}
		}
	}
	return p.woken[i]
}

func (p *page) wake(line string) {
	start := strings.TrimLeft(line, " \t")
	if start == "" {
		return
	}
	for _, m := range marks[start[0]] {
		if !p.woken[m.tool] && begins(start, m.text) {
			p.woken[m.tool] = true
		}
	}
}

// A mark is text at the start of a line, blanks apart, that wakes a tool.
type mark struct {
	text string
	tool int
}

var marks = markIndex()

func markIndex() (index [256][]mark) {
	for i, t := range tools {
		for _, text := range t.marks {
			m := mark{text: text, tool: i}
			switch {
			case text == anything:
				for c := range index {
					index[c] = append(index[c], m)
				}
			case text[0] == '9':
				for c := '0'; c <= '9'; c++ {
					index[c] = append(index[c], m)
				}
			default:
				index[text[0]] = append(index[text[0]], m)
			}
		}
	}
	return index
}

// begins compares the start of a line with a mark, in which 9 stands for any
// number and "=", "_", "-" or "*" for a run of them.
func begins(line, mark string) bool {
	if mark == anything {
		return true
	}
	i := 0
	for _, c := range []byte(mark) {
		if i >= len(line) {
			return false
		}
		if c == '9' {
			n := countDigits(line[i:])
			if n == 0 {
				return false
			}
			i += n
			continue
		}
		if line[i] != c {
			return false
		}
		i++
		if strings.IndexByte("=_-*", c) >= 0 {
			i += leading(line[i:], c)
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
