package extract

import (
	"regexp"
	"strings"
)

// nodeCrash reads the error that ends a process of Node: the place, the line
// of code, the error and its stack.
var nodeCrash = tool{
	name:  "node-crash",
	kind:  crashing,
	marks: []string{"Node.js v9", "at ", "<- Last few GCs", "FATAL ERROR: "},
	read:  readNodeCrashes,
}

var (
	nodePlace = regexp.MustCompile(`^(?:file://)?(\S+?):\d+(?::\d+)?$`)
	nodeFatal = regexp.MustCompile(`^FATAL ERROR: (.*)$`)
)

func readNodeCrashes(p *page, f *found) {
	for _, lines := range p.streams {
		start := 0
		for i, line := range lines {
			switch m := nodeFatal.FindStringSubmatch(line); {
			case m != nil:
				f.fail("", "fatal", m[1])
			case isJSFrame(strings.TrimSpace(line)) && (i == 0 || !isJSFrame(strings.TrimSpace(lines[i-1]))):
				crash := nodeError(lines, start, i)
				f.fail(crash.file, crash.class, crash.detail)
				start = i
			case strings.HasPrefix(line, "Node.js v"):
				start = i + 1
			}
		}
	}
}

// A nodeDeath is one error with the file that it names.
type nodeDeath struct{ file, class, detail string }

// nodeError reads the error whose stack begins at line at: the lines above it
// back to a blank one or to start.
func nodeError(lines []string, start, at int) nodeDeath {
	head := at
	for head > start && at-head < 40 && strings.TrimSpace(lines[head-1]) != "" {
		head--
	}
	if _, _, _, ok := errorOf(strings.TrimSpace(lines[min(head, at)])); !ok {
		for k := head; k < at; k++ { // the line of code and its caret stand right above
			if _, _, _, ok := errorOf(strings.TrimSpace(lines[k])); ok {
				head = k
				break
			}
		}
	}
	above := lines[max(start, head-6):head]
	end := at + len(until(lines, at, func(l string) bool { return strings.HasPrefix(l, "Node.js v") || l == "" }))
	class, detail := jsError(lines[head:end])
	return nodeDeath{file: nodeFile(above), class: class, detail: detail}
}

// nodeFile finds the place that Node prints above an error.
func nodeFile(above []string) string {
	for _, line := range above {
		if m := nodePlace.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], "node:") {
			return m[1]
		}
	}
	return ""
}

// readNodeCrash reads a single error that begins with its place.
func readNodeCrash(body []string) nodeDeath {
	for i, line := range body {
		if isFrame(strings.TrimSpace(line)) {
			return nodeError(body, 0, i)
		}
	}
	class, detail := jsError(body)
	return nodeDeath{file: nodeFile(body[:min(1, len(body))]), class: class, detail: detail}
}
