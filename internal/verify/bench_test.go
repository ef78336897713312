package verify

import (
	"fmt"
	"testing"

	"looprun.dev/looprun/internal/round"
)

// A repository of 20,000 files, of which a candidate changes 20 and adds 5.
func BenchmarkBoundary(b *testing.B) {
	base := make([]string, 20_000)
	for i := range base {
		base[i] = fmt.Sprintf("packages/p%03d/src/module-%03d/file-%d.mjs", i/200, i%200, i)
	}
	var c round.Candidate
	for i := range 25 {
		ch := round.Change{Path: base[i*700], Status: "M", Added: 3}
		if i%5 == 0 {
			ch.Path, ch.Status = ch.Path+".new", "A"
		}
		c.Changed = append(c.Changed, ch)
	}
	builtin := NewBuiltin("loop.yaml", map[string][]round.Check{"unit": {{Run: []string{"npm", "test"}}}}, base)
	for b.Loop() {
		if errs := Boundary(wide(), builtin, c); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}
