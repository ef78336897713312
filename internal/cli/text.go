package cli

import (
	"io"
	"strings"

	"looprun.dev/looprun/internal/screen"
)

// A terminal shows text that comes from outside: tasks, generators and checks
// may put anything into it. What could steer it is taken out.
type terminal struct{ w io.Writer }

// Write implements io.Writer.
func (t terminal) Write(data []byte) (int, error) {
	if _, err := io.WriteString(t.w, screen.Plain(string(data))); err != nil {
		return 0, err
	}
	return len(data), nil
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
