package cli

import "strings"

// bar shows how much of a budget is used up. Something used is one mark at
// least, and only a budget that is used up is full.
func bar[N ~int | ~int64](used, limit N) string {
	const width = 10
	if limit <= 0 {
		return ""
	}
	n := min(width, int(float64(used)/float64(limit)*width))
	if used > 0 {
		n = max(1, n)
	}
	return "[" + strings.Repeat("#", n) + strings.Repeat(".", width-n) + "]"
}
