package fsxtest

import (
	"fmt"
	"testing"
)

// Figure tells how often a campaign did something, for people and for the page
// of promises, where equal words are added up.
func Figure(t testing.TB, n int, what string) {
	t.Helper()
	t.Attr("figure", fmt.Sprintf("%d %s", n, what))
	t.Logf("%d %s", n, what)
}
