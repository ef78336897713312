package extract

import (
	"strings"
)

// A spot is a line that begins with a place in a source file, as compilers and
// linters print it. Only what stands after the place is kept of its numbers:
// they change with every edit.
type spot struct {
	stream, index int
	path          string
	column        bool   // a column was given too
	dash          bool   // " - " stood between place and message
	rest          string // the message
}

// spotOf reads path:LINE:COLUMN: message, without the column too, with a blank
// and a dash instead of the last colon, and path(LINE,COLUMN): message.
func spotOf(line string) (s spot, ok bool) {
	i := placeStart(line)
	if i <= 0 || !beginsPath(line[0]) || !isSourcePath(line[:i]) {
		return s, false
	}
	s.path = strings.TrimPrefix(line[:i], "./")
	rest := line[i+1:]
	rest = rest[countDigits(rest):]
	if line[i] == '(' {
		return s.inBrackets(rest)
	}
	if len(rest) > 1 && rest[0] == ':' && countDigits(rest[1:]) > 0 {
		rest = rest[1+countDigits(rest[1:]):]
		s.column = true
	}
	if after, found := strings.CutPrefix(rest, " - "); found {
		s.dash, s.rest = true, after
		return s, true
	}
	s.rest, ok = strings.CutPrefix(rest, ":")
	s.rest = strings.TrimPrefix(s.rest, " ")
	return s, ok && s.rest != ""
}

func (s spot) inBrackets(rest string) (spot, bool) {
	if len(rest) > 0 && rest[0] == ',' {
		s.column = true
		rest = rest[1+countDigits(rest[1:]):]
	}
	rest, ok := strings.CutPrefix(rest, ")")
	rest = strings.TrimLeft(rest, " ")
	s.rest, ok = strings.CutPrefix(rest, ":")
	s.rest = strings.TrimPrefix(s.rest, " ")
	return s, ok && s.rest != ""
}

// placeStart finds the colon or bracket before the first line number of a line
// without blanks before it.
func placeStart(line string) int {
	for i := 0; i+1 < len(line); i++ {
		switch line[i] {
		case ' ', '\t':
			return -1
		case ':', '(':
			if c := line[i+1]; c >= '0' && c <= '9' {
				return i
			}
		}
	}
	return -1
}

func beginsPath(c byte) bool { return isName(c) || strings.IndexByte("/\\<@~", c) >= 0 }

func isSourcePath(path string) bool {
	slash := strings.ContainsAny(path, `/\`)
	return slash && !strings.Contains(path, "://") || sourceName(path)
}

// sourceExt are the endings of files that people edit.
var sourceExt = setOf("js mjs cjs jsx ts tsx mts cts vue svelte astro py pyi pyx rb rake php phpt go rs c h cc cpp cxx " +
	"hpp hh hxx inc m mm java kt kts scala groovy gradle cs fs vb swift sh bash zsh ksh fish bats pl pm t lua ex exs " +
	"erl hrl hs ml mli el clj cljs dart r jl nim zig d pas f90 f s asm proto sql html css scss sass less json yaml " +
	"yml toml xml md txt mk cmake ini cfg tf ps1 cu ipynb feature spec")

var sourceNames = setOf("Makefile makefile GNUmakefile Dockerfile Rakefile Gemfile Jenkinsfile justfile Justfile BUILD WORKSPACE")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// sourceName reports whether a text ends with the name of a source file.
func sourceName(text string) bool {
	start := len(text)
	for start > 0 && len(text)-start < 16 && isName(text[start-1]) && text[start-1] != '.' {
		start--
	}
	last := text[start:]
	if start > 1 && text[start-1] == '.' && isName(text[start-2]) {
		return sourceExt[strings.ToLower(last)]
	}
	return sourceNames[last] || namedStream(text)
}

// namedStream: what interpreters call a source that is no file.
func namedStream(text string) bool {
	for _, s := range []string{"<stdin>", "<string>", "<anonymous>", "[eval]"} {
		if strings.HasSuffix(text, s) {
			return true
		}
	}
	return false
}

// withoutPlaces drops the numbers of lines and columns from a text: they
// change with every edit.
func withoutPlaces(text string) string {
	if !strings.ContainsAny(text, "0123456789") {
		return text
	}
	if strings.Contains(text, "::") && strings.Contains(text, "line=") {
		text = annotated().ReplaceAllString(text, "$1=")
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		n := 0
		switch text[i] {
		case ':':
			n = colonPlace(text, i)
		case '(', '[':
			n = bracketPlace(text, i)
		case ' ':
			if n = linePair(text, i); n == 0 {
				n = atLine(text, i)
			}
		case 'l':
			at, m := linePlace(text, i)
			if m > 0 {
				b.WriteString(text[done:at])
				done, i = at+m, at+m-1
			}
			continue
		}
		if n > 0 {
			b.WriteString(text[done:i])
			done, i = i+n, i+n-1
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// colonPlace measures :LINE, :LINE:COLUMN and ": LINE" (as a shell has it)
// after the name of a source file.
func colonPlace(text string, i int) int {
	rest := text[i+1:]
	blank := leading(rest, ' ')
	n := countDigits(rest[min(blank, 1):])
	if n == 0 || blank > 1 || !sourceName(text[max(0, i-64):i]) {
		return 0
	}
	end := 1 + blank + n
	if blank == 1 {
		if i+end < len(text) && text[i+end] == ':' {
			return end
		}
		return 0
	}
	if after := text[i+end:]; len(after) > 1 && after[0] == ':' && countDigits(after[1:]) > 0 {
		end += 1 + countDigits(after[1:])
	}
	return end
}

// bracketPlace measures (LINE,COLUMN) and [LINE,COLUMN] after the name of a
// source file.
func bracketPlace(text string, i int) int {
	rest := text[i+1:]
	n := countDigits(rest)
	if n == 0 {
		return 0
	}
	end := n
	if end < len(rest) && strings.IndexByte(",:", rest[end]) >= 0 {
		end += 1 + countDigits(rest[end+1:])
	}
	if end >= len(rest) || rest[end] != ')' && rest[end] != ']' {
		return 0
	}
	end += 2
	if sourceName(text[max(0, i-64):i]) {
		return end
	}
	return 0
}

// linePair measures " (LINE:COLUMN)" at the end of a line.
func linePair(text string, i int) int {
	rest, ok := strings.CutPrefix(text[i:], " (")
	n := countDigits(rest)
	if !ok || n == 0 || n >= len(rest) || rest[n] != ':' {
		return 0
	}
	m := countDigits(rest[n+1:])
	end := n + 1 + m
	if m == 0 || end >= len(rest) || rest[end] != ')' || end+1 < len(rest) && rest[end+1] != '\n' {
		return 0
	}
	return 2 + end + 1
}

// annotated are the places in a message for a forge: ::error file=a,line=5,col=3::x.
var annotated = pattern(`\b(line|col|endLine|endColumn)=\d+`)

// atLine measures " @ LINE" after the name of a source file.
func atLine(text string, i int) int {
	rest, ok := strings.CutPrefix(text[i:], " @ ")
	n := countDigits(rest)
	if !ok || n == 0 || !closedAt(rest, n) || !sourceName(text[max(0, i-64):i]) {
		return 0
	}
	return len(" @ ") + n
}

func closedAt(text string, i int) bool { return i >= len(text) || !isName(text[i]) }

// linePlace finds the number after the word line and gives where it begins,
// with the blank before it, and how long it is.
func linePlace(text string, i int) (at, n int) {
	if !strings.HasPrefix(text[i:], "line ") && !strings.HasPrefix(text[i:], "lines ") || i > 0 && isName(text[i-1]) {
		return 0, 0
	}
	at = i + strings.IndexByte(text[i:], ' ')
	digits := countDigits(text[at+1:])
	if digits == 0 {
		return 0, 0
	}
	end := at + 1 + digits
	if end+1 < len(text) && text[end] == '-' {
		end += 1 + countDigits(text[end+1:])
	}
	return at, end + columnPlace(text[end:]) - at
}

// columnPlace measures ", column N" and " col N" right after a line's number.
func columnPlace(text string) int {
	rest := strings.TrimLeft(text, ", ")
	word := len("column")
	if !strings.HasPrefix(rest, "column ") {
		if word = len("col"); !strings.HasPrefix(rest, "col ") {
			return 0
		}
	}
	n := countDigits(rest[word+1:])
	if n == 0 || len(rest) == len(text) {
		return 0
	}
	return len(text) - len(rest) + word + 1 + n
}
