package extract

import (
	"strings"
)

// pythonDoctest reads what Python's doctest module prints.
var pythonDoctest = tool{
	name:  "python-doctest",
	marks: []string{"***Test Failed***", "Failed example:"},
	read:  readPythonDoctest,
}

var (
	docPlace = pattern(`^File "([^"]+)", line \d+, in (\S+)$`)
)

func readPythonDoctest(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i+2 < len(lines); i++ {
			m := docPlace().FindStringSubmatch(lines[i+1])
			if !isRule(lines[i], '*') || m == nil || lines[i+2] != "Failed example:" {
				continue
			}
			body := until(lines, i+3, func(l string) bool { return isRule(l, '*') })
			f.fail(place(m[1], m[2]), docClass(body), docDetail(body))
			i += 2 + len(body)
		}
	}
}

func docClass(body []string) string {
	if t := lastTrace(dedented(body)); t.class != "" {
		return t.class
	}
	return "fail"
}

// docDetail is the example with what was expected and what came; of an
// exception only the last line.
func docDetail(body []string) string {
	for i, line := range body {
		if strings.HasPrefix(line, "Exception raised:") {
			t := lastTrace(dedented(body[i+1:]))
			return reason(body[:i]) + "\n" + t.message
		}
	}
	return reason(body)
}

func dedented(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimPrefix(l, "    ")
	}
	return out
}
