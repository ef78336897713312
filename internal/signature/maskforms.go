package signature

import "strings"

// A form is one kind of text that differs from run to run. end gives where the
// form that begins at i ends, or 0 if none does.
type form struct {
	name   string
	starts charKind
	end    func(text string, i int) int
	keep   func(match string) string // what stays of it, masked in turn; nil: nothing
}

func (f *form) replacement(match string) string {
	name := "<" + f.name + ">"
	switch {
	case f.starts == sign:
		return match[:1] + name
	case f.keep != nil:
		return name + Mask(f.keep(match))
	}
	return name
}

// forms are tried in this order; the first that fits wins.
var forms = []form{
	{name: "tmp", starts: slash, end: tempPath, keep: fileName},
	{name: "time", starts: digit, end: timestamp},
	{name: "uuid", starts: digit | letter, end: uuid},
	{name: "addr", starts: digit, end: address},
	{name: "obj", starts: sign, end: objectHash},
	{name: "port", starts: sign, end: hostPort},
	{name: "n", starts: digit, end: labelled},
	{name: "dur", starts: digit, end: duration},
	{name: "float", starts: digit, end: longFloat},
	{name: "hex", starts: digit | letter, end: hexRun},
	{name: "int", starts: digit, end: longInteger},
}

type charKind uint8

const (
	digit  charKind = 1 << iota
	letter          // one that may begin a hexadecimal run
	slash
	sign // @ and :
)

var charKinds = func() (kinds [256]charKind) {
	for c := '0'; c <= '9'; c++ {
		kinds[c] = digit
	}
	for c := 'a'; c <= 'f'; c++ {
		kinds[c], kinds[c-'a'+'A'] = letter, letter
	}
	kinds['/'], kinds['\\'] = slash, slash
	kinds['@'], kinds[':'] = sign, sign
	return kinds
}()

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isWord(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
}

// span counts the bytes from i on that ok accepts.
func span(text string, i int, ok func(byte) bool) int {
	n := 0
	for i+n < len(text) && ok(text[i+n]) {
		n++
	}
	return n
}

// closed reports whether a word or number may end at i.
func closed(text string, i int) bool { return i >= len(text) || !isWord(text[i]) }

var tempRoots = []string{
	"/tmp/", "/var/tmp/", "/var/folders/", "/private/tmp/", "/private/var/folders/", "/dev/shm/",
	`\AppData\Local\Temp\`,
}

// tempPath: a path under a folder for temporary files, up to a blank, a quote
// or a mark that ends it.
func tempPath(text string, i int) int {
	if text[i] == '/' && i > 0 && (isWord(text[i-1]) || strings.IndexByte(".-~", text[i-1]) >= 0) {
		return 0
	}
	for _, root := range tempRoots {
		if strings.HasPrefix(text[i:], root) {
			end := i + len(root)
			end += span(text, end, inPath)
			for end > i+len(root) && strings.IndexByte(".:", text[end-1]) >= 0 {
				end--
			}
			return end
		}
	}
	return 0
}

func inPath(c byte) bool { return c > ' ' && strings.IndexByte("\"'`<>()[]{},;|*?:", c) < 0 }

// fileName keeps the last part of a temporary path if it has an extension,
// unless a compiler or library drew the name at random.
func fileName(path string) string {
	sep := path[strings.IndexAny(path, `/\`)]
	name := path[strings.LastIndexByte(path, sep)+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || dot == len(name)-1 || len(name)-dot > 9 || !isLetters(name[dot+1:]) {
		return ""
	}
	if drawn(name[:dot]) {
		name = "*" + name[dot:]
	}
	return string(sep) + name
}

func isLetters(ext string) bool { return span(ext, 0, isWord) == len(ext) && !isDigit(ext[0]) }

// drawn: names as mkstemp of gcc ("cc" and six) and of Python ("tmp" and
// eight) make them.
func drawn(stem string) bool {
	return len(stem) == 8 && strings.HasPrefix(stem, "cc") && span(stem, 0, isWord) == 8 ||
		len(stem) == 11 && strings.HasPrefix(stem, "tmp") && span(stem, 0, isWord) == 11
}

func uuid(text string, i int) int {
	for k, n := range []int{8, 4, 4, 4, 12} {
		if k > 0 {
			if i >= len(text) || text[i] != '-' {
				return 0
			}
			i++
		}
		if span(text, i, isHex) != n {
			return 0
		}
		i += n
	}
	if !closed(text, i) {
		return 0
	}
	return i
}

// address: 0x and at least five digits; shorter ones are mostly constants that
// a test is about.
func address(text string, i int) int {
	if !strings.HasPrefix(text[i:], "0x") && !strings.HasPrefix(text[i:], "0X") {
		return 0
	}
	n := span(text, i+2, isHex)
	if n < 5 || !closed(text, i+2+n) {
		return 0
	}
	return i + 2 + n
}

// objectHash: @1b2c3d after a name, as Java prints an object.
func objectHash(text string, i int) int {
	if text[i] != '@' || i == 0 || !isWord(text[i-1]) && text[i-1] != ']' && text[i-1] != ';' {
		return 0
	}
	n := span(text, i+1, isHex)
	end := i + 1 + n
	if n < 5 || n > 16 || !closed(text, end) {
		return 0
	}
	if end+1 < len(text) && text[end] == '.' && isWord(text[end+1]) {
		return 0 // a host or a version
	}
	return end
}

// hostPort: the port after localhost or an IP address; the host stays.
func hostPort(text string, i int) int {
	if text[i] != ':' {
		return 0
	}
	n := span(text, i+1, isDigit)
	if n < 1 || n > 5 || !closed(text, i+1+n) || !hostBefore(text[:i]) {
		return 0
	}
	return i + 1 + n
}

func hostBefore(text string) bool {
	if strings.HasSuffix(text, "localhost") || strings.HasSuffix(text, ":1]") || strings.HasSuffix(text, "::]") {
		return true
	}
	dots, i := 0, len(text)
	for i > 0 && (isDigit(text[i-1]) || text[i-1] == '.') {
		i--
		if text[i] == '.' {
			dots++
		}
	}
	return dots == 3 && len(text)-i >= 7 && text[len(text)-1] != '.'
}

var labels = []string{
	"pid", "ppid", "port", "tid", "seed", "thread", "goroutine", "worker", "process",
}

// labelled: a number of any length after a word that says it is one of the
// machine's.
func labelled(text string, i int) int {
	end, _ := number(text, i)
	if end == 0 || !closed(text, end) {
		return 0
	}
	at := i
	for at > 0 && i-at < 3 && strings.IndexByte(" =:#\"'[(", text[at-1]) >= 0 {
		at--
	}
	if at == i {
		return 0
	}
	word := at
	for word > 0 && isWord(text[word-1]) {
		word--
	}
	for _, l := range labels {
		if strings.EqualFold(text[word:at], l) {
			return end
		}
	}
	return 0
}

// number gives the end of a number with decimals and exponent, and what it is
// made of.
func number(text string, i int) (end int, n numeral) {
	if i > 1 && text[i-1] == '.' && isDigit(text[i-2]) {
		return 0, n // inside a version
	}
	n.whole = span(text, i, isDigit)
	end = i + n.whole
	if end+1 < len(text) && text[end] == '.' && isDigit(text[end+1]) {
		n.decimals = span(text, end+1, isDigit)
		end += 1 + n.decimals
		if end+1 < len(text) && text[end] == '.' && isDigit(text[end+1]) {
			return 0, n
		}
	}
	if end+2 < len(text) && text[end]|0x20 == 'e' && strings.IndexByte("+-", text[end+1]) >= 0 {
		if k := span(text, end+2, isDigit); k > 0 {
			n.tiny = text[end+1] == '-'
			end += 2 + k
		}
	}
	return end, n
}

type numeral struct {
	whole, decimals int
	tiny            bool // a negative exponent
}

var (
	attached = []string{"ns", "us", "µs", "μs", "ms", "secs", "sec", "s", "mins", "min", "m", "hrs", "h"}
	apart    = []string{
		"nanoseconds", "microseconds", "milliseconds", "millisecond", "ns", "us", "µs", "μs", "ms",
		"seconds", "second", "secs", "sec", "s", "minutes", "minute", "mins", "min", "hours", "hour",
	}
)

// duration: a number with a unit of time, also 1h2m3.5s.
func duration(text string, i int) int {
	end := 0
	for i < len(text) && isDigit(text[i]) {
		n, _ := number(text, i)
		if n == 0 {
			break
		}
		u := unitAt(text, n, attached)
		if u == 0 && end == 0 && n < len(text) && text[n] == ' ' {
			return closedUnit(text, n+1)
		}
		if u == 0 {
			break
		}
		i, end = u, u
	}
	if end == 0 || !closed(text, end) {
		return 0
	}
	return end
}

func closedUnit(text string, i int) int {
	if end := unitAt(text, i, apart); end > 0 && closed(text, end) {
		return end
	}
	return 0
}

// unitAt gives the end of the unit that begins at i: the longest that is
// followed by the end of the word or, in a compound, by the next number.
func unitAt(text string, i int, units []string) int {
	for _, u := range units {
		if end := i + len(u); strings.HasPrefix(text[i:], u) && (closed(text, end) || isDigit(text[end])) {
			return end
		}
	}
	return 0
}

// longFloat: five decimals or more, or a negative exponent: more digits than a
// person would write.
func longFloat(text string, i int) int {
	end, n := number(text, i)
	if end == 0 || n.decimals < 5 && !n.tiny || !closed(text, end) {
		return 0
	}
	return end
}

// hexRun: eight digits or more with a letter and a figure among them.
func hexRun(text string, i int) int {
	n := span(text, i, isHex)
	if n < 8 || !closed(text, i+n) {
		return 0
	}
	figures := 0
	for _, c := range []byte(text[i : i+n]) {
		if isDigit(c) {
			figures++
		}
	}
	if figures == 0 || figures == n {
		return 0
	}
	return i + n
}

// longInteger: five digits or more, with decimals or without.
func longInteger(text string, i int) int {
	end, n := number(text, i)
	if end == 0 || n.whole < 5 || !closed(text, end) {
		return 0
	}
	return end
}
