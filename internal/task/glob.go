package task

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

var drive = regexp.MustCompile(`^[A-Za-z]:`)

// CheckPath says what is wrong with a path that must stay inside the tree and
// be written the same on every system; code is "" for a good one.
func CheckPath(s string) (code, msg string) {
	why := outside(s)
	if why == "" && path.Clean(s) != strings.TrimSuffix(s, "/") {
		why = fmt.Sprintf("write it as %q", Clip(path.Clean(s)))
	}
	if why == "" {
		return "", ""
	}
	return CodeBadPath, fmt.Sprintf("bad path %q: %s", Clip(s), why)
}

// CheckGlob is CheckPath for patterns with *, **, ?, [...] and {a,b}.
func CheckGlob(s string) (code, msg string) {
	why := outside(s)
	switch clean := path.Clean(s); {
	case why != "":
	case strings.HasSuffix(s, "/") || s == ".":
		why = "it matches nothing, all of a folder is written folder/**"
	case clean != s:
		why = fmt.Sprintf("write it as %q", Clip(clean))
	}
	if why == "" {
		why = unbalanced(s)
	}
	if why == "" {
		return "", ""
	}
	return CodeBadGlob, fmt.Sprintf("bad pattern %q: %s", Clip(s), why)
}

// outside tells how a path could lead out of the tree, or mean different
// things on different systems.
func outside(s string) string {
	switch {
	case s == "":
		return "it is empty"
	case strings.HasPrefix(s, "/") || drive.MatchString(s):
		return "it must be relative to the root of the repository"
	case strings.HasPrefix(s, "~"):
		return "~ is not expanded, and it must be relative to the root of the repository"
	case strings.Contains(s, `\`):
		return `write / in place of \`
	case slices.Contains(strings.Split(s, "/"), ".."):
		return "it must not contain \"..\""
	}
	return ""
}

// unbalanced finds brackets and braces that are left open or never opened.
func unbalanced(s string) string {
	set, braces := false, 0
	for _, c := range s {
		switch {
		case set:
			set = c != ']'
		case c == '[':
			set = true
		case c == '{':
			braces++
		case c == '}':
			braces--
		}
		if braces < 0 {
			return "a } without its {"
		}
	}
	switch {
	case set:
		return "a [ without its ]"
	case braces > 0:
		return "a { without its }"
	}
	return ""
}
