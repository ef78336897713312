package recovery

// nearest is the name that a mistyped one was most likely meant to be, "" when
// none is within a third of its length.
func nearest[S ~string](typed string, names []S) S {
	best, least := S(""), len(typed)/3+1
	for _, name := range names {
		if d := distance(typed, string(name)); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance counts the bytes to insert, delete or replace to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
