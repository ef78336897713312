package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/task"
)

// whyNoName says why a name chosen by the user is none. Such names become
// parts of the names of files.
func whyNoName(name string) string {
	if code, msg := checkName(name); code != "" {
		return msg
	}
	return ""
}

func checkName(s string) (code, msg string) {
	if !someName.MatchString(s) {
		return task.CodeBadValue, fmt.Sprintf("bad name %q: 1 to 64 letters, digits, '.', '_' and '-', the first a letter or digit", task.Clip(s))
	}
	return "", ""
}

func checkVariable(s string) (code, msg string) {
	if why := whyNoVariable(s); why != "" {
		return task.CodeBadValue, why
	}
	return "", ""
}

func whyNoVariable(s string) string {
	switch {
	case !envName.MatchString(s):
		return fmt.Sprintf("%q is no name of a variable", task.Clip(s))
	case strings.HasPrefix(s, "LOOPRUN_"):
		return fmt.Sprintf("%s is looprun's own: names that begin with LOOPRUN_ are set by it", task.Clip(s))
	}
	return ""
}

// checkTilde refuses what only a shell would expand.
func checkTilde(s string) (code, msg string) {
	if strings.HasPrefix(s, "~") || strings.Contains(s, "$") {
		return task.CodeBadPath, fmt.Sprintf("%q: neither ~ nor variables are expanded, write the path out", task.Clip(s))
	}
	return "", ""
}

// checkControl keeps looprun's own folders and git's out of what a tree shares.
func checkControl(s string) (code, msg string) {
	top, _, _ := strings.Cut(strings.ToLower(s), "/")
	if slices.Contains([]string{".", ".git", ".loop", "tasks"}, top) {
		return task.CodeBadPath, fmt.Sprintf("%q cannot be shared with a tree", task.Clip(s))
	}
	return "", ""
}

// checkRevision refuses what git would take for a flag or not take at all.
func checkRevision(s string) (code, msg string) {
	if strings.HasPrefix(s, "-") || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return task.CodeBadValue, fmt.Sprintf("%q is no revision of git", task.Clip(s))
	}
	return "", ""
}

var (
	placeholder = regexp.MustCompile(`\{[^}]*\}`)
	badRef      = regexp.MustCompile("[\\x00- \x7f~^:?*\\[\\\\{}]|\\.\\.|//|@\\{|(^|/)\\.|\\.(/|$)|\\.lock(/|$)|^[-/@]|/$")
)

// checkBranch wants a template that gives every task a branch of its own,
// under a name that git takes.
func checkBranch(s string) (code, msg string) {
	for _, word := range placeholder.FindAllString(s, -1) {
		if word != "{id}" {
			return task.CodeBadValue, fmt.Sprintf("unknown placeholder %s: only {id} is replaced", task.Clip(word))
		}
	}
	if !strings.Contains(s, "{id}") {
		return task.CodeBadValue, "must contain {id}: each task needs a branch of its own"
	}
	if badRef.MatchString(strings.ReplaceAll(s, "{id}", "t")) || strings.HasPrefix(s, "refs/") {
		return task.CodeBadValue, fmt.Sprintf("%q is no name of a branch", task.Clip(s))
	}
	return "", ""
}

// hasSlash tells a path from a name that PATH is searched for.
func hasSlash(s string) bool {
	return strings.Contains(s, "/") || strings.ContainsRune(s, filepath.Separator)
}
