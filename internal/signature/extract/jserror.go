package extract

import (
	"strings"
)

var jsProperty = pattern(`^\[?(code|operator|actual|expected)\]?: (.*?),?$`)

// jsError reads an error as Node prints it: name, code and message, the stack,
// then the properties in braces. The class is name, code and operator; the
// message and what was expected are the detail.
func jsError(lines []string) (class, detail string) {
	e := jsErrorText{}
	lines = lines[namedFrom(lines):]
	for i, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
		case e.name == "" && e.message == nil:
			e.head(text)
		case isFrame(strings.TrimSuffix(strings.TrimSuffix(text, "{"), " ")):
			e.stack = true
		case e.stack || strings.HasPrefix(text, "generatedMessage:"):
			e.stack = true
			if strings.HasPrefix(text, "[cause]:") {
				return e.result(lines[i:])
			}
			e.property(text, indent(line))
		case len(e.message) < maxBody && !isCode(text) && !isCaret(text):
			e.message = append(e.message, text)
		}
	}
	return e.result(nil)
}

// namedFrom finds where an error begins that is printed twice, first without
// and then with its name.
func namedFrom(lines []string) int {
	first := strings.TrimSpace(firstLine(lines))
	if _, _, _, ok := errorOf(first); ok || first == "" {
		return 0
	}
	for i, line := range lines[:min(len(lines), 200)] {
		if _, _, message, ok := errorOf(strings.TrimSpace(line)); ok && message == first {
			return i
		}
	}
	return 0
}

type jsErrorText struct {
	name, code, operator string
	message, values      []string
	stack                bool // the stack began: what follows is no message
	depth                int  // indent of a value of several lines, or 0
}

func (e *jsErrorText) head(line string) {
	name, code, message, ok := errorOf(line)
	if !ok {
		name, message = "Error", line
	}
	e.name, e.code = name, code
	e.message = []string{strings.TrimSuffix(message, " {")}
	e.stack = ok && strings.HasSuffix(message, " {")
}

// property takes what names or explains the error; actual and expected may go
// on over several lines.
func (e *jsErrorText) property(line string, depth int) {
	if e.depth > 0 && depth > e.depth {
		e.values = append(e.values, line)
		return
	}
	e.depth = 0
	m := jsProperty().FindStringSubmatch(line)
	if m == nil {
		return
	}
	value := strings.Trim(m[2], "'")
	switch m[1] {
	case "code":
		if e.code == "" {
			e.code = value
		}
	case "operator":
		e.operator = value
	default:
		e.values = append(e.values, m[1]+": "+value)
		e.depth = depth
	}
}

// result ends with the cause, which often holds the only reason.
func (e *jsErrorText) result(cause []string) (class, detail string) {
	if len(cause) > 0 {
		e.values = append(e.values, "cause: "+strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(cause[0]), "[cause]:")))
	}
	text := append(e.message, e.values...)
	return classOf(e.name, e.code, e.operator), reason(text)
}
