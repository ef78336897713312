package child

import "bytes"

const (
	// maxKeyHeader is longer than any kind of key that stands before the words
	// "PRIVATE KEY".
	maxKeyHeader = 40
	// maxKeyGap is how much may stand in a key without a line of the key
	// itself: lines such as Proc-Type, a short last line and the end.
	maxKeyGap = 1 << 10
	// keyRun is the length from which base64 counts as key: no word is so long.
	keyRun = 40
)

var (
	keyWords = [][]byte{[]byte("PRIVATE KEY-----"), []byte("PRIVATE KEY BLOCK-----")}
	keyEnd   = []byte("-----END ")
	dashes   = []byte("-----")
)

// keyHeader measures what follows "-----BEGIN " in the first line of a private
// key. 0 is no such line, or too little of it if more.
func keyHeader(d []byte) (n int, more bool) {
	line := d[:min(len(d), maxKeyHeader+len(keyWords[1]))]
	if i := bytes.IndexFunc(line, notKind); i >= 0 {
		line = line[:i+bytesOf(line[i:], '-')]
		for _, w := range keyWords {
			if bytes.HasSuffix(line, w) {
				return len(line), false
			}
		}
		return 0, len(line) == len(d) && bytes.Count(line, dashes[:1]) < len(dashes)
	}
	return 0, len(line) == len(d)
}

// notKind is true for what cannot stand in the kind of a key.
func notKind(r rune) bool {
	return r != ' ' && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
}

// bytesOf counts the bytes c at the start of d, up to five of them.
func bytesOf(d []byte, c byte) (n int) {
	for n < len(d) && n < len(dashes) && d[n] == c {
		n++
	}
	return n
}

// keyBody measures the part of a private key that d begins with, up to its end
// or, if that is missing, to its last long run of base64: a header alone stands
// in many programs. inside tells that such a run stands before d. more tells
// that the key may go on with more data.
func keyBody(d []byte, inside bool) (n int, more bool) {
	run := 0
	if inside {
		run = keyRun
	}
	for i, b := range d {
		switch {
		case isBase64(b):
			if run++; run >= keyRun {
				n = i + 1
			}
		case b == '-' && bytes.HasPrefix(d[i:], keyEnd):
			return keyTail(d, n, i)
		case !inKey(b):
			return n, false
		default:
			run = 0
		}
		if i-n > maxKeyGap {
			return n, false
		}
	}
	return n, true
}

// keyTail measures a key whose last line starts at end. n is what is sure
// without that line.
func keyTail(d []byte, n, end int) (int, bool) {
	last, more := keyHeader(d[end+len(keyEnd):])
	if last == 0 {
		return n, more
	}
	return end + len(keyEnd) + last, false
}

// isBase64 is true for the bytes of the key itself.
func isBase64(b byte) bool { return classSets[alnum][b] || b == '+' || b == '/' || b == '=' }

// inKey is true for what else may stand in a key, written over several lines,
// in one line, or as a string of JSON.
func inKey(b byte) bool {
	switch b {
	case ' ', '\t', '\r', '\n', '\\', '-', ':', ',', '.', '(', ')', '@', '<', '>':
		return true
	}
	return false
}
