package web

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"looprun.dev/looprun/internal/screen"
)

// A logLine is one line of a log, in parts where some of it was searched for.
type logLine struct {
	N     int
	Parts []logPart
	Cut   bool
}

// A logPart is a piece of a line.
type logPart struct {
	Text string
	Hit  bool
}

// countLines counts the lines of r and its bytes; a last one without its end is
// a line too.
func countLines(r io.Reader) (lines int, size int64, err error) {
	buf := make([]byte, 256<<10)
	last := byte('\n')
	for {
		n, err := r.Read(buf)
		for _, b := range buf[:n] {
			if b == '\n' {
				lines++
			}
		}
		if n > 0 {
			last = buf[n-1]
		}
		size += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			if last != '\n' {
				lines++
			}
			return lines, size, nil
		case err != nil:
			return lines, size, err
		}
	}
}

// eachLine visits the lines of r as they are, from 1, until visit has enough.
// What of a very long line is behind its beginning is passed over.
func eachLine(r io.Reader, visit func(n int, text string) bool) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		raw, err := lines.ReadSlice('\n')
		text := string(raw)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = lines.ReadSlice('\n')
		}
		if text != "" && !visit(n, strings.TrimRight(text, "\r\n")) {
			return nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// newLogLine makes text for reading of a line, cuts it where nobody would read
// on, and takes it apart at what was searched for.
func newLogLine(n int, text, query string) logLine {
	l := logLine{N: n}
	text = screen.Plain(text)
	if len(text) > maxLine {
		text, l.Cut = strings.ToValidUTF8(text[:maxLine], ""), true
	}
	lower := strings.ToLower(text)
	if query == "" || len(lower) != len(text) { // a letter changed its length: no places to mark
		l.Parts = []logPart{{Text: text}}
		return l
	}
	for {
		at := strings.Index(lower, query)
		if at < 0 {
			l.Parts = append(l.Parts, logPart{Text: text})
			return l
		}
		end := at + len(query)
		l.Parts = append(l.Parts, logPart{Text: text[:at]}, logPart{Text: text[at:end], Hit: true})
		text, lower = text[end:], lower[end:]
	}
}
