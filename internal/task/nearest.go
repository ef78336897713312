package task

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest is the name that was probably meant, if one is near enough: the
// same but for case and separators, or a slip of the keyboard away. Of equally
// near names the first in order of the alphabet wins.
func Nearest(name string, among []string) (string, bool) {
	best, least := "", max(1, min(len(name)/3, 3))+1
	folded := fold(name)
	for _, candidate := range slices.Sorted(slices.Values(among)) {
		if candidate == name {
			continue
		}
		far := distance(folded, fold(candidate), least)
		if strings.EqualFold(candidate, name) {
			far = -1
		}
		if far < least {
			best, least = candidate, far
		}
	}
	return best, best != ""
}

// UnknownName is the message for a name that is not among the known ones, ""
// for one that is.
func UnknownName(what, name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	msg := fmt.Sprintf("unknown %s %q", what, Clip(name))
	if near, ok := Nearest(name, known); ok {
		return msg + fmt.Sprintf(", did you mean %q?", near)
	}
	if len(known) == 0 {
		return msg + ": there is none"
	}
	return msg + ": there is " + enumerate(known)
}

// enumerate lists names for a message, the first few of many.
func enumerate(names []string) string {
	const most = 8
	quoted := make([]string, 0, most+1)
	for i, name := range slices.Sorted(slices.Values(names)) {
		if i == most {
			quoted = append(quoted, "...")
			break
		}
		quoted = append(quoted, fmt.Sprintf("%q", Clip(name)))
	}
	return strings.Join(quoted, ", ")
}

var joints = strings.NewReplacer("_", "", "-", "", " ", "")

// fold makes maxRounds, max-rounds and MAX_ROUNDS one name.
func fold(s string) string {
	return strings.ToLower(joints.Replace(s))
}

// distance counts the letters to add, drop, replace or swap with a neighbour.
// It gives up, with limit, where the lengths alone are too far apart.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
