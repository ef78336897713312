package verify

import (
	"bytes"
	"strconv"
	"strings"
)

// eachAdded calls do with every line that a patch in git's form adds, without
// its plus sign, and the path of its file. It counts the lines of each hunk, so
// that a line which only looks like a header is taken for what it is.
func eachAdded(patch []byte, do func(path string, line []byte)) {
	var h hunk
	path := ""
	for len(patch) > 0 {
		var line []byte
		line, patch, _ = bytes.Cut(patch, []byte("\n"))
		switch {
		case h.open():
			if h.take(line) {
				do(path, line[1:])
			}
		case bytes.HasPrefix(line, []byte("+++ ")):
			path = patchPath(string(line[4:]))
		case bytes.HasPrefix(line, []byte("@@ ")):
			h = newHunk(string(line))
		}
	}
}

// A hunk counts the lines that are still to come on either side.
type hunk struct{ old, new int }

func (h hunk) open() bool { return h.old > 0 || h.new > 0 }

// take counts a line of the hunk and reports whether it is an added one.
func (h *hunk) take(line []byte) bool {
	if len(line) == 0 {
		line = []byte(" ") // some tools cut the blank of an empty line
	}
	switch line[0] {
	case '+':
		h.new--
		return true
	case '-':
		h.old--
	case ' ':
		h.old--
		h.new--
	case '\\': // no newline at the end of the file
	default:
		*h = hunk{}
	}
	return false
}

// newHunk reads the two lengths of a header such as "@@ -3,4 +3,6 @@ func f".
func newHunk(header string) hunk {
	fields := strings.Fields(header)
	if len(fields) < 3 {
		return hunk{}
	}
	return hunk{old: length(fields[1]), new: length(fields[2])}
}

func length(span string) int {
	_, n, ok := strings.Cut(span, ",")
	if !ok {
		return 1
	}
	v, err := strconv.Atoi(n)
	if err != nil || v < 0 {
		return 0
	}
	return v
}

// patchPath takes the path out of a "+++ " line, which git quotes like a C
// string where it has unusual characters.
func patchPath(s string) string {
	s, _, _ = strings.Cut(strings.TrimRight(s, "\r"), "\t")
	if plain, err := strconv.Unquote(s); err == nil && strings.HasPrefix(s, `"`) {
		s = plain
	}
	return strings.TrimPrefix(s, "b/")
}
