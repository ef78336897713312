package plan

import (
	"strings"
	"testing"
)

// Whoever is told less is told the goal and the newest rounds, head and tail,
// each part cut by the same share.
func TestPromptIsCutToAShare(t *testing.T) {
	long := strings.Repeat("a word of the goal ", 200) // 3,800 bytes
	p := &Plan{BasedOn: 2, Hypothesis: "another way", Previous: []Previous{{Round: 1, Approach: "the first"}, {Round: 2, Approach: "the second"}}}
	tests := map[string]struct {
		share float64
		floor int
		least int // bytes of the whole prompt
		most  int
		first string // of the earlier rounds
	}{
		"whole":                   {0, 0, 3800, 4300, "the first"},
		"half":                    {0.5, 500, 1900, 2500, "the second"},
		"a quarter":               {0.25, 500, 950, 1550, "the second"},
		"never below the floor":   {0.01, 500, 500, 1100, "the second"},
		"a floor of one's own":    {0.01, 2000, 2000, 2600, "the second"},
		"what is short stays so":  {0.5, 5000, 3800, 4400, "the second"},
		"a share of one's own":    {0.8, 500, 3040, 3650, "the second"},
		"another one's own share": {0.1, 100, 380, 1000, "the second"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Prompt(Brief{ID: "t1", Goal: long, Plan: p, Share: tt.share, Floor: tt.floor})
			if n := len(got); n < tt.least || n > tt.most {
				t.Errorf("the prompt has %d bytes; want %d to %d", n, tt.least, tt.most)
			}
			first, second := strings.Index(got, "the first"), strings.Index(got, "the second")
			if before := map[bool]string{true: "the first", false: "the second"}[first < second]; before != tt.first {
				t.Errorf("%s comes before; want %s", before, tt.first)
			}
			if asks := strings.Contains(got, "Keep your answer short"); asks != (tt.share > 0) {
				t.Errorf("asks for a short answer: %v", asks)
			}
		})
	}
}
