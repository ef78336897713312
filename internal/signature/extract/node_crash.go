package extract

import (
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
	nodePlace = pattern(`^(?:file://)?(\S+?):\d+(?::\d+)?$`)
	nodeFatal = pattern(`^FATAL ERROR: (.*)$`)
)

func readNodeCrashes(p *page, f *found) {
	died := false // Node says its version when it dies; other programs print stacks too
	for _, lines := range p.streams {
		start := 0
		for i, line := range lines {
			switch m := nodeFatal().FindStringSubmatch(line); {
			case m != nil:
				f.fail("", "fatal", m[1])
				died = true
			case isJSFrame(strings.TrimSpace(line)) && (i == 0 || !isJSFrame(strings.TrimSpace(lines[i-1]))):
				if crash := nodeError(lines, start, i); crash.detail != "" {
					f.fail(crash.file, crash.class, crash.detail)
				}
				start = i + 1
			case strings.HasPrefix(line, "Node.js v"):
				start = i + 1
				died = true
			}
		}
	}
	f.loose = !died && !f.none()
}

// A nodeDeath is one error with the file that it names.
type nodeDeath struct{ file, class, detail string }

// nodeError reads the error whose stack begins at line at: its head is the last
// line above that names an error, or else what stands right above.
func nodeError(lines []string, start, at int) nodeDeath {
	start = max(start, at-maxAbove)
	head := at
	for k := at - 1; k >= start && head == at; k-- {
		if _, _, _, ok := errorOf(strings.TrimSpace(lines[k])); ok {
			head = k
		}
	}
	for head == at && head > start && strings.TrimSpace(lines[head-1]) != "" {
		head--
	}
	end := at + len(until(lines, at, func(l string) bool { return strings.HasPrefix(l, "Node.js v") || l == "" }))
	class, detail := jsError(lines[head:end])
	return nodeDeath{file: nodeFile(lines[max(start, head-6):head]), class: class, detail: detail}
}

// maxAbove bounds how far above a stack its error is looked for.
const maxAbove = 60

// nodeFile finds the place that Node prints above an error.
func nodeFile(above []string) string {
	for _, line := range above {
		if m := nodePlace().FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], "node:") {
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
