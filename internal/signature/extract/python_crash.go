package extract

import (
	"strings"
)

// pythonCrash reads the traceback that ends a Python program.
var pythonCrash = tool{
	name:  "python-crash",
	kind:  crashing,
	marks: []string{"Traceback (most recent call last)", `File "`, "Fatal Python error: "},
	read:  readPythonCrash,
}

var (
	pyFatal  = pattern(`^Fatal Python error: (.*)$`)
	pySyntax = pattern(`^(?:SyntaxError|IndentationError|TabError): `)
)

func readPythonCrash(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i < len(lines); {
			i = pythonCrashAt(lines, i, f)
		}
	}
}

func pythonCrashAt(lines []string, i int, f *found) int {
	line := lines[i]
	switch {
	case isTrace(line):
		t, next := readTrace(lines, i)
		for chained(lines, next) > 0 {
			t, next = readTrace(lines, chained(lines, next))
		}
		if t.class != "" {
			next = t.more(lines[:min(len(lines), next+maxSaid)], next, func(l string) bool { return l == "" || isTrace(l) })
			f.fail(place(t.file, t.function), t.class, t.detail())
		}
		return max(next, i+1)
	case strings.HasPrefix(line, `  File "`):
		// A syntax error of the program itself has no line above its place.
		if t, next := readTrace(lines, i); t.class != "" && pySyntax().MatchString(t.class+": ") {
			f.fail(t.file, t.class, t.detail())
			return next
		}
	case strings.HasPrefix(line, "Fatal Python error: "):
		f.fail("", "fatal", pyFatal().FindStringSubmatch(line)[1])
	}
	return i + 1
}

// maxSaid bounds the lines of the message that ends a program: what comes later
// is of somebody else.
const maxSaid = 20

// chained gives the line where a traceback begins that was raised while the
// one before line i was handled, or 0.
func chained(lines []string, i int) int {
	for k := i; k < len(lines) && k < i+8; k++ {
		if isChain(lines[k]) {
			for ; k < len(lines) && k < i+8; k++ {
				if isTrace(lines[k]) {
					return k
				}
			}
		}
	}
	return 0
}
