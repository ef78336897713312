package extract

import (
	"strings"
)

// prettier reads prettier --check: the files that are not formatted, and those
// that it cannot parse.
var prettier = tool{
	name:  "prettier",
	marks: []string{"Checking formatting...", "[warn] ", "[error] "},
	read:  readPrettier,
}

var prettierError = pattern(`^\[error\] (\S.*?): (\w*Error: .*)$`)

func readPrettier(p *page, f *found) {
	if !contains(p.streams[0], "Checking formatting...") && !contains(p.streams[1], "[warn] Code style issues") {
		return
	}
	for _, lines := range p.streams {
		for _, line := range lines {
			if m := prettierError().FindStringSubmatch(line); m != nil {
				name, _, message, _ := errorOf(m[2])
				f.fail(m[1], name, message)
				continue
			}
			file, ok := strings.CutPrefix(line, "[warn] ")
			if ok && !strings.Contains(file, "Code style issues") && !strings.Contains(file, " ") {
				f.fail(file, "format", "not formatted")
			}
		}
	}
}
