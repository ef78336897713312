package extract

import (
	"slices"
	"strings"
)

var (
	goRecovered = pattern(` \[recovered(?:, repanicked)?\]$`)
	goRunning   = pattern(`^\s+(\S+) \(.*\)$`)
	goStack     = pattern(`^goroutine \d+ `)
	goAt        = pattern(`^\s+(\S+):\d+`)
)

// died reads a panic, a fatal error or the panic of a timeout, to the end of
// the goroutines' stacks.
func (g *goReader) died(i int) int {
	lines := until(g.lines, i+1, func(l string) bool {
		return strings.HasPrefix(l, "FAIL\t") || strings.HasPrefix(l, "exit status ") || strings.HasPrefix(l, "--- ")
	})
	next := i + 1 + len(lines)
	if strings.HasPrefix(g.lines[i], "panic: test timed out") {
		g.timedOut(lines)
		return next
	}
	class, detail := goDeath(g.lines[i], lines)
	test := ""
	if t := g.byName[g.current]; t != nil && t.result == "FAIL" || g.current != "" && t == nil {
		test = g.current
	}
	g.extra = append(g.extra, goFailure{test: test, class: class, detail: detail})
	return next
}

// goDeath gives the class of a death and, as its detail, the message and the
// first function of the program's own on the stack.
func goDeath(head string, trace []string) (class, detail string) {
	class, message, _ := strings.Cut(head, ": ")
	lines := []string{goRecovered().ReplaceAllString(message, "")}
	for k, line := range trace {
		if goStack().MatchString(line) {
			if name := firstOwn(trace[k:]); name != "" {
				lines = append(lines, "in "+name)
			}
			break
		}
		line = strings.TrimSpace(goRecovered().ReplaceAllString(line, ""))
		if !strings.HasPrefix(line, "[signal ") && !strings.HasPrefix(line, "panic: ") {
			lines = append(lines, line)
		}
	}
	return class, reason(lines)
}

// timedOut: the tests that were running are all that is stable about a
// timeout.
func (g *goReader) timedOut(lines []string) {
	running := false
	count := len(g.extra)
	for _, line := range lines {
		switch m := goRunning().FindStringSubmatch(line); {
		case strings.TrimSpace(line) == "running tests:":
			running = true
		case running && m != nil:
			g.extra = append(g.extra, goFailure{test: m[1], class: "timeout"})
		case running:
			return
		}
	}
	if len(g.extra) == count {
		g.extra = append(g.extra, goFailure{test: g.current, class: "timeout"})
	}
}

// race reads a report of the race detector. Which of the two accesses comes
// second is chance: the functions of both stacks are taken as one set.
func (g *goReader) race(i int) int {
	lines := until(g.lines, i+1, func(l string) bool { return strings.HasPrefix(l, "==================") })
	var access []string
	for k, line := range lines {
		if strings.HasPrefix(line, "Goroutine ") {
			break
		}
		access = lines[:k+1]
	}
	names := ownFunctions(access)
	slices.Sort(names)
	g.extra = append(g.extra, goFailure{class: "DATA RACE", detail: strings.Join(slices.Compact(names), "\n")})
	return i + 1 + len(lines)
}

// firstOwn gives the first function of the program's own on a goroutine's
// stack, or else the first outside of Go's library.
func firstOwn(trace []string) string {
	if own := ownFunctions(trace); len(own) > 0 {
		return own[0]
	}
	return ""
}

// ownFunctions gives the functions of a stack that stand in files of the work
// tree; if none does, those outside of Go's library.
func ownFunctions(trace []string) []string {
	var own, others []string
	for k := 0; k+1 < len(trace); k++ {
		m := goAt().FindStringSubmatch(trace[k+1])
		if m == nil || !strings.HasSuffix(m[1], ".go") || strings.HasPrefix(trace[k], "created by ") {
			continue
		}
		name := functionName(trace[k])
		switch {
		case name == "" || m[1] == "_testmain.go":
		case !strings.HasPrefix(m[1], "/"):
			own = append(own, name)
		case !goLibrary(m[1]):
			others = append(others, name)
		}
	}
	if len(own) == 0 {
		return others
	}
	return own
}

// functionName cuts the arguments off a line of a stack.
func functionName(line string) string {
	line = strings.TrimSpace(line)
	if !strings.HasSuffix(line, ")") {
		return ""
	}
	depth := 0
	for k := len(line) - 1; k >= 0; k-- {
		switch line[k] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return line[:k]
			}
		}
	}
	return ""
}

func goLibrary(path string) bool {
	for _, dir := range []string{"/src/runtime/", "/src/testing/", "/src/internal/", "/go/src/", "/libexec/src/"} {
		if strings.Contains(path, dir) {
			return true
		}
	}
	return strings.HasPrefix(path, "/usr/lib/go") || strings.Contains(path, "/toolchain@")
}
