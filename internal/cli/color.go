package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"sync"
)

// When colours are shown.
const (
	colorAuto   = "auto" // on a terminal, unless NO_COLOR says otherwise
	colorAlways = "always"
	colorNever  = "never"
)

// dress gives the outputs what the terminal behind them can show, now that the
// flags are known.
func (a *app) dress() {
	if a.colored(a.outFile) {
		a.stdout = terminal{newPainter(a.raw)}
	}
	if a.colored(a.errFile) {
		a.stderr = terminal{newPainter(a.errFile)}
	}
}

// colored tells whether f gets colours. JSON never does.
func (a *app) colored(f *os.File) bool {
	switch {
	case f == nil || a.color.word == colorNever || a.json && f == a.outFile:
		return false
	case a.color.word == colorAlways:
		return true
	}
	_, tty := a.screenOf(f)
	return tty && a.getenv("NO_COLOR") == ""
}

// screenOf is the width of the terminal that f is, false for what is none that
// can move its cursor.
func (a *app) screenOf(f *os.File) (width int, ok bool) {
	if f == nil || a.getenv("TERM") == "dumb" {
		return 0, false
	}
	return terminalWidth(f)
}

// A painter gives the words of whole lines their colours. What it is given has
// no escape sequences, so that all there are come from here.
type painter struct {
	w    io.Writer
	mu   sync.Mutex
	part []byte // of a line that has not ended
}

func newPainter(w io.Writer) *painter { return &painter{w: w} }

// Write implements io.Writer. The beginning of a line is kept until it ends.
func (p *painter) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part = append(p.part, data...)
	end := bytes.LastIndexByte(p.part, '\n') + 1
	if end == 0 {
		return len(data), nil
	}
	var painted []byte
	for line := range bytes.Lines(p.part[:end]) {
		painted = append(painted, paint(line)...)
	}
	p.part = append(p.part[:0], p.part[end:]...)
	_, err := p.w.Write(painted)
	return len(data), err
}

// The colours, as terminals know them.
const (
	red, green, yellow, cyan = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"
	bold, plain              = "\x1b[1m", "\x1b[0m"
)

// A colorRule colours the first group of what it matches.
type colorRule struct {
	is    *regexp.Regexp
	color string
}

// colorRules are tried in turn, the first that fits is taken: lines of results
// and lists, then of doctor, then what is told on the way.
var colorRules = []colorRule{
	{regexp.MustCompile(`^\S+ {2,}(done)\b`), green},
	{regexp.MustCompile(`^\S+ {2,}(blocked)\b`), red},
	{regexp.MustCompile(`^\S+ {2,}(needs-input|needs_input|held)\b`), yellow},
	{regexp.MustCompile(`^\S+ {2,}(processing|active)\b`), cyan},
	{regexp.MustCompile(`^(ok) {2,}`), green},
	{regexp.MustCompile(`^(warn) {2,}`), yellow},
	{regexp.MustCompile(`^(bad) {2,}`), red},
	{regexp.MustCompile(`^looprun: (warning:)`), yellow},
	{regexp.MustCompile(`^looprun: (hint:)`), cyan},
	{regexp.MustCompile(`: (all checks passed)$`), green},
	{regexp.MustCompile(`: (checks failed|out of bounds): `), red},
	{regexp.MustCompile(`^(round {2,}tries.*)`), bold},
}

func paint(line []byte) []byte {
	for _, r := range colorRules {
		at := r.is.FindSubmatchIndex(bytes.TrimRight(line, "\n"))
		if at == nil {
			continue
		}
		return bytes.Join([][]byte{line[:at[2]], []byte(r.color), line[at[2]:at[3]], []byte(plain), line[at[3]:]}, nil)
	}
	return line
}
