package extract

import (
	"strings"
)

// reason joins the lines of a message that tell why, without stack frames,
// neighbouring code and the marks under it.
func reason(lines []string) string {
	var kept []string
	size := 0
	for _, line := range lines {
		line = unruled(strings.TrimSpace(line))
		if line == "" || isFrame(line) || isCode(line) || isCaret(line) {
			continue
		}
		if size += len(line) + 1; size > 8*maxDetail {
			break
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// unruled drops a rule at the end of a line: it fills the terminal's width.
func unruled(line string) string {
	if strings.HasSuffix(line, "───") {
		return strings.TrimRight(line, "─ ")
	}
	return line
}

var (
	frameJS     = pattern(`^at .*(?::\d+:\d+\)?|\(<anonymous>\)|\(native\)|\(index \d+\)|<anonymous>)$`)
	frameJava   = pattern(`^at [\w.$/@<>-]+\((?:[\w$]+\.\w+(?::\d+)?|Native Method|Unknown Source)\)`)
	framePlain  = pattern(`^at (?:async )?\S+:\d+$`)
	framePython = pattern(`^File "[^"]*", line \d+`)
	frameRuby   = pattern("^(?:# )?(?:from )?\\S+\\.rb:\\d+(?::in [`'].*)?$")
	framePHP    = pattern(`^(?:#\d+ )?\S+\.php(?::\d+|\(\d+\))`)
	frameMore   = pattern(`^\.\.\. \d+ (?:more|common frames omitted)`)
)

// isFrame reports whether a trimmed line is a frame of a stack trace.
func isFrame(line string) bool {
	switch {
	case strings.HasPrefix(line, "at "):
		return frameJS().MatchString(line) || frameJava().MatchString(line) || framePlain().MatchString(line)
	case strings.HasPrefix(line, "File "):
		return framePython().MatchString(line)
	case strings.HasPrefix(line, "... "):
		return frameMore().MatchString(line)
	case strings.Contains(line, ".rb:"):
		return frameRuby().MatchString(line)
	case strings.Contains(line, ".php"):
		return framePHP().MatchString(line)
	}
	return strings.HasPrefix(line, "❯ ") || strings.HasPrefix(line, "› ")
}

// isJSFrame reports whether a trimmed line is a frame as JavaScript has it.
func isJSFrame(line string) bool {
	return strings.HasPrefix(line, "at ") && !frameJava().MatchString(line) && isFrame(line)
}

// isCode reports whether a trimmed line is one of a code frame: "12 | x", "> 12 | x"
// or "| ^".
func isCode(line string) bool {
	line = strings.TrimLeft(line, "> ➜→")
	if strings.HasPrefix(line, "|") {
		return true
	}
	n := countDigits(line)
	rest := strings.TrimLeft(line[n:], " ")
	return n > 0 && (strings.HasPrefix(rest, "|") || strings.HasPrefix(rest, "▕"))
}

// isCaret reports whether a trimmed line only points at the code above it.
func isCaret(line string) bool {
	return strings.ContainsAny(line, "^~") && strings.Trim(line, "^~-| ") == ""
}

// pointedAt gives the line of a code frame that the frame points at: the one
// marked with ">" or, without such, the one above the caret.
func pointedAt(lines []string) string {
	last := ""
	for _, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, ">") && isCode(line):
			return codeOf(line)
		case isCode(line) && !strings.HasPrefix(line, "|"):
			last = codeOf(line)
		case isCaret(line) && last != "":
			return last
		}
	}
	return ""
}

// codeOf takes the code out of a line of a frame. What was cut at the width of
// the terminal is left out: the width of the line number moves the cut.
func codeOf(line string) string {
	_, code, _ := strings.Cut(line, "|")
	return uncut(code)
}

func uncut(code string) string {
	code = strings.TrimSpace(code)
	if strings.HasSuffix(code, "…") {
		return ""
	}
	return code
}

var (
	errorHead = pattern(`^(?:Uncaught |Unhandled )?((?:[\w$]+(?:\.|::|\\))*[A-Za-z_$][\w$]*)(?: \[(\w+)\])?(?:: ?(.*)|)$`)
	errorName = pattern(`(?:Error|Exception|Failure|Fault|Warning|Interrupt|Timeout|Exit|Panic|Abort)$`)
)

// errorOf splits "TypeError: x is no function" and "AssertionError [CODE]: x".
// Without a name that sounds like an error's it does not fit.
func errorOf(line string) (name, code, message string, ok bool) {
	m := errorHead().FindStringSubmatch(line)
	if m == nil || !errorName().MatchString(m[1]) && m[2] == "" {
		return "", "", "", false
	}
	code = m[2]
	if code == "Error" || code == "ERR_TEST_FAILURE" {
		code = "" // how Node names an error without a code of its own
	}
	return m[1], code, m[3], true
}

// block gives the lines from i on that are blank or indented by at least
// depth, at most maxBody of them, without blank ones at the end.
func block(lines []string, i, depth int) []string {
	end, last := i, i
	for ; end < len(lines) && end-i < maxBody; end++ {
		if strings.TrimSpace(lines[end]) == "" {
			continue
		}
		if indent(lines[end]) < depth {
			break
		}
		last = end + 1
	}
	return lines[i:last]
}

func indent(line string) int {
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	return n
}

// until gives the lines from i up to the first that stop accepts, at most
// maxBody of them.
func until(lines []string, i int, stop func(string) bool) []string {
	end := i
	for end < len(lines) && end-i < maxBody && !stop(lines[end]) {
		end++
	}
	return lines[i:end]
}

// maxBody bounds the lines of one failure that are looked at.
const maxBody = 5000

// place joins the parts of an id, outermost first, leaving out empty ones.
func place(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, " > ")
}

// untimed drops the time that a runner prints behind a name: " (12 ms)",
// " (1.5s)" or " 12ms".
func untimed(name string) string {
	text, bracket := strings.CutSuffix(name, ")")
	at := strings.LastIndexByte(text, ' ')
	if at > 0 && (text[at:] == " ms" || text[at:] == " s") {
		at = strings.LastIndexByte(text[:at], ' ')
	}
	if at < 0 {
		return name
	}
	took := text[at+1:]
	if bracket {
		var open bool
		if took, open = strings.CutPrefix(took, "("); !open {
			return name
		}
	}
	n := countDigits(took)
	unit := strings.TrimLeft(took, "0123456789. ")
	if n == 0 || unit != "ms" && unit != "s" && unit != "m" {
		return name
	}
	return text[:at]
}
