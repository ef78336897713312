package extract

import "strings"

// numbered reads a summary such as "1 failed, 3 passed" or "2 runs, 1
// failures": the number before each word. A plural "s" is dropped.
func numbered(line string) map[string]int {
	counts := map[string]int{}
	fields := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t,|()", r) })
	for i := 1; i < len(fields); i++ {
		if n, ok := wholeNumber(fields[i-1]); ok {
			counts[singular(fields[i])] += n
		}
	}
	return counts
}

// labelled reads a summary such as "Tests: 9, Failures: 1": the number after
// each word.
func labelled(line string) map[string]int {
	counts := map[string]int{}
	for part := range strings.SplitSeq(line, ",") {
		words, value, ok := strings.Cut(part, ":")
		if n, whole := wholeNumber(strings.Trim(value, " .")); ok && whole {
			fields := strings.Fields(words)
			if len(fields) > 0 {
				counts[singular(strings.ToLower(fields[len(fields)-1]))] += n
			}
		}
	}
	return counts
}

func singular(word string) string { return strings.TrimSuffix(strings.Trim(word, ".;:="), "s") }

// wholeNumber reads up to nine digits.
func wholeNumber(s string) (int, bool) {
	if s == "" || len(s) > 9 || countDigits(s) != len(s) {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		n = n*10 + int(c-'0')
	}
	return n, true
}
