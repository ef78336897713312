package extract

import (
	"slices"
	"strings"
)

// A junitFailure is a failure or error element of a test.
type junitFailure struct {
	element, kind, message string
	text                   strings.Builder
}

var (
	brokenHex    = pattern(`#x1[Bb]\[[\d;]*[A-Za-z]`)
	brokenEscape = pattern(`\[\d{1,3}(?:;\d{1,3})*m`)
)

// unescaped removes colours whose escape character XML did not allow.
func unescaped(s string) string {
	if strings.Contains(s, "#x1") {
		s = brokenHex().ReplaceAllString(s, "")
	}
	if strings.Contains(s, "[") && strings.Contains(s, "m") {
		s = brokenEscape().ReplaceAllString(s, "")
	}
	return s
}

// genericKinds are types that say no more than that it failed.
var genericKinds = setOf("testCodeFailure failure fail error Error AssertionFailure hookFailed uncaughtException unhandledRejection")

// read gives the class and the reason of a failure: its message, then what the
// text says besides.
func (x *junitFailure) read() (class, detail string) {
	text := unescaped(x.text.String())
	lines := strings.Split(strings.Trim(text, "\r\n"), "\n")
	switch {
	case isPytest(lines):
		b := readPytestBody(lines)
		return b.class, b.detail
	case strings.Contains(text, "ERR_TEST_FAILURE"):
		return nodeFailure(x.message, lines)
	case isTraceIn(lines):
		t := lastTrace(lines)
		return t.class, t.detail()
	}
	message := strings.Split(x.message, "\n")
	detail = merged(withoutListing(message), withoutListing(lines))
	return x.class(slices.Concat(message, lines)), detail
}

func isTraceIn(lines []string) bool {
	for _, line := range lines {
		if isTrace(line) {
			return true
		}
	}
	return false
}

func (x *junitFailure) class(lines []string) string {
	kind := strings.TrimSpace(x.kind)
	if kind != "" && !genericKinds[kind] {
		return kind
	}
	if name, code, _, ok := errorOf(strings.TrimSpace(firstLine(lines[namedFrom(lines):]))); ok {
		return classOf(name, code, "")
	}
	if kind == "" {
		kind = x.element
	}
	return kind
}

// merged is the message and the lines of the text that it does not hold yet.
func merged(message, text []string) string {
	first := reason(message)
	seen := map[string]bool{}
	for line := range strings.Lines(first) {
		seen[strings.TrimSpace(line)] = true
	}
	kept := []string{first}
	for line := range strings.Lines(reason(text)) {
		line = strings.TrimSpace(line)
		if name, rest, ok := strings.Cut(line, ": "); ok && seen[rest] && len(name) < 100 {
			continue // the message again, after the name of its class
		}
		if !seen[line] {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// nodeFailure reads what node's reporter wraps: the cause is the error.
func nodeFailure(message string, lines []string) (class, detail string) {
	for i, line := range lines {
		cause, ok := strings.CutPrefix(strings.TrimSpace(line), "cause: ")
		if !ok {
			continue
		}
		body := append([]string{cause}, lines[i+1:]...)
		if _, _, _, named := errorOf(strings.TrimSuffix(strings.TrimSpace(cause), " {")); named {
			return jsError(body)
		}
	}
	return "fail", message
}
