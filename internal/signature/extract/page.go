package extract

import "strings"

// maxLines bounds the lines kept of one stream: of more, head and tail.
const maxLines = 4 << 20

// A page is what a command printed, cleaned, for the tools to read.
type page struct {
	clean   cleaner
	stdout  string
	streams [2][]string // the lines of standard output and standard error
	scanned bool
	woken   []bool // by index of tools
	spots   []spot
}

func newPage(in Output) *page {
	p := &page{clean: newCleaner(in)}
	p.stdout = p.clean.text(in.Stdout)
	return p
}

// split makes the lines, which a document on standard output does without.
func (p *page) split(stderr []byte) {
	if p.streams[0] == nil {
		p.streams[0] = linesOf(unprefixed(withoutTestNumbers(p.stdout)))
		p.streams[1] = linesOf(unprefixed(p.clean.text(stderr)))
	}
}

// pageOf is a page of one text that is clean already.
func pageOf(text string) *page {
	p := &page{}
	p.streams[0] = linesOf(text)
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

// awake tells whether tool i found one of its marks on the page.
func (p *page) awake(i int) bool {
	p.scan()
	return p.woken[i] || tools[i].spots && len(p.spots) > 0
}

// places gives the lines that begin with a place in a source file.
func (p *page) places() []spot {
	p.scan()
	return p.spots
}

// after gives the lines that follow a spot.
func (p *page) after(s spot) []string { return p.streams[s.stream][s.index+1:] }

// scan looks for the marks of all tools and for places, in one pass over the
// lines.
func (p *page) scan() {
	if p.scanned {
		return
	}
	p.scanned = true
	p.woken = make([]bool, marks.tools)
	for stream, lines := range p.streams {
		for i, line := range lines {
			marks.wake(line, p.woken)
			if s, ok := spotOf(line); ok {
				s.stream, s.index = stream, i
				p.spots = append(p.spots, s)
			}
		}
	}
}
