package extract

import (
	"strings"
)

// rustc reads the errors of the Rust compiler and of clippy. Warnings count
// only where they were made errors, and then they are printed as such.
var rustc = tool{
	name:  "rustc",
	marks: []string{"error[E9]: ", "error: ", "-> "},
	read:  readRustc,
}

var (
	rustcHead  = pattern(`^error(?:\[(E\d+)\])?: (.+)$`)
	rustcPlace = pattern(`^\s*--> (\S+?):\d+:\d+$`)
	rustcLint  = pattern("`(?:-[DF]|#\\[(?:deny|forbid)\\()\\s*((?:clippy::)?[\\w:-]+)")
	rustcUnder = pattern(`^\s*\|[^^]*\^+[-~_]*(.*)$`)
	rustcCode  = pattern(`^\s*\d+ +\|(.*)$`)
)

func readRustc(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i+1 < len(lines); i++ {
			if !strings.HasPrefix(lines[i], "error") {
				continue
			}
			m := rustcHead().FindStringSubmatch(lines[i])
			at := rustcPlace().FindStringSubmatch(lines[i+1])
			if m == nil || at == nil {
				continue
			}
			body := until(lines, i+2, func(l string) bool { return strings.TrimSpace(l) == "" })
			class := m[1]
			if class == "" {
				class = rustcLintOf(body)
			}
			f.fail(at[1], class, m[2]+rustcMarked(body))
			i += 1 + len(body)
		}
	}
}

func rustcLintOf(body []string) string {
	for _, line := range body {
		if m := rustcLint().FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return "error"
}

// rustcMarked gives the line of code that is marked with ^ and what is said
// beside the mark.
func rustcMarked(body []string) string {
	code := ""
	for _, line := range body {
		if m := rustcCode().FindStringSubmatch(line); m != nil {
			code = strings.TrimSpace(m[1])
			continue
		}
		if m := rustcUnder().FindStringSubmatch(line); m != nil {
			text := "\n" + code
			if label := strings.TrimSpace(m[1]); label != "" {
				text += "\n" + label
			}
			return text
		}
	}
	return ""
}
