package extract

import (
	"strings"
)

var (
	pyFrame  = pattern(`^\s*File "([^"]*)", line \d+(?:, in (.+))?$`)
	pyRaised = pattern(`^((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: (.*))?$`)
)

// A pyTrace is the last exception of a Python traceback.
type pyTrace struct {
	class, message string
	file, function string // the innermost frame in the work tree
	code           string // its line of source
}

// isTrace reports whether a line begins a Python traceback.
func isTrace(line string) bool {
	return strings.HasPrefix(strings.TrimSpace(line), "Traceback (most recent call last)")
}

// readTrace reads a traceback from its first line or frame on and returns the
// line after its exception. Of chained exceptions a caller sees one after the
// other.
func readTrace(lines []string, i int) (t pyTrace, next int) {
	depth := 0
	if i < len(lines) {
		depth = indent(lines[i])
	}
	seen := false
	for ; i < len(lines); i++ {
		line := lines[i]
		if m := pyFrame().FindStringSubmatch(line); m != nil {
			t.frame(m, lines, i)
			seen = true
			continue
		}
		text := strings.TrimSpace(line)
		if isTrace(line) || text == "" || indent(line) > depth || strings.HasPrefix(text, "[Previous line repeated") {
			continue
		}
		m := pyRaised().FindStringSubmatch(text)
		if m == nil || !seen {
			return t, i
		}
		t.class, t.message = m[1], m[2]
		return t, i + 1
	}
	return t, i
}

// lastTrace reads chained tracebacks and gives the last, which is the one that
// was not caught. Lines after its exception go on with the message.
func lastTrace(lines []string) (t pyTrace) {
	for i := 0; i < len(lines); {
		if !isTrace(lines[i]) {
			i++
			continue
		}
		next, after := readTrace(lines, i)
		if next.class != "" {
			t = next
			after = t.more(lines, after, func(l string) bool { return isTrace(l) || isChain(l) })
		}
		i = max(after, i+1)
	}
	return t
}

// isChain: lines that stand between chained tracebacks or after the last.
func isChain(line string) bool {
	return strings.HasPrefix(line, "During handling of") || strings.HasPrefix(line, "The above exception was") ||
		line == "Stdout:" || line == "Stderr:" || isRule(line, '-') || isRule(line, '=')
}

// frame takes a frame if it is the program's own, or if there is none yet.
func (t *pyTrace) frame(m []string, lines []string, i int) {
	if strings.HasPrefix(m[1], "<") || t.file != "" && foreign(m[1]) && !foreign(t.file) {
		return
	}
	t.file, t.function, t.code = m[1], m[2], ""
	if i+1 < len(lines) && !pyFrame().MatchString(lines[i+1]) && indent(lines[i+1]) > indent(lines[i]) {
		t.code = strings.TrimSpace(lines[i+1])
	}
}

// foreign: a file of the interpreter or of a library.
func foreign(path string) bool {
	return strings.HasPrefix(path, "/") || strings.Contains(path, "site-packages/") || strings.Contains(path, "dist-packages/")
}

// more gives the lines by which a message goes on after its first one.
func (t *pyTrace) more(lines []string, i int, stop func(string) bool) int {
	rest := until(lines, i, stop)
	if text := reason(rest); text != "" {
		t.message += "\n" + text
	}
	return i + len(rest)
}

// detail is the message with the line of source that raised it.
func (t *pyTrace) detail() string {
	return strings.TrimSpace(t.code + "\n" + t.message)
}
