package record

// Parse is parse: the lines of a journal, their head, and how much is whole.
func Parse(data []byte) (lines []Line, head string, whole int, err error) {
	c, whole, err := parse(data)
	return c.lines, c.head, whole, err
}

// Encode is the one form of a line.
func (l Line) Encode() ([]byte, error) { return l.encode() }
