package extract

import (
	"regexp"
	"strings"
)

var jsProperty = regexp.MustCompile(`^\[?(code|operator|actual|expected)\]?: (.*?),?$`)

// jsError reads an error as Node prints it: name, code and message, the stack,
// then the properties in braces. The class is name, code and operator; the
// message and what was expected are the detail.
func jsError(lines []string) (class, detail string) {
	e := jsErrorText{}
	lines = lines[namedFrom(lines):]
	for i, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case e.name == "" && e.message == nil:
			e.head(line)
		case isFrame(strings.TrimSuffix(strings.TrimSuffix(line, "{"), " ")):
			e.stack = true
		case e.stack || strings.HasPrefix(line, "generatedMessage:") || line == "{":
			e.stack = true
			if strings.HasPrefix(line, "[cause]:") {
				return e.result(lines[i:])
			}
			e.property(line)
		case len(e.message) < maxBody && !isCode(line) && !isCaret(line):
			e.message = append(e.message, line)
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

func (e *jsErrorText) property(line string) {
	m := jsProperty.FindStringSubmatch(line)
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
