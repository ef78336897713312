package signature

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// failures makes a set of "test:detail" words.
func failures(words string) (set []Failure) {
	for w := range strings.FieldsSeq(words) {
		id, detail, _ := strings.Cut(w, ":")
		set = append(set, Failure{ID: id, Detail: detail})
	}
	return set
}

func TestTrend(t *testing.T) {
	for name, tt := range map[string]struct {
		rounds []string
		want   string
	}{
		"nothing yet":                                  {nil, First},
		"one round":                                    {[]string{"a"}, First},
		"the same failures":                            {[]string{"a b", "b a"}, Unchanged},
		"the same again after others":                  {[]string{"x", "a", "a"}, Unchanged},
		"one gone":                                     {[]string{"a b c", "a c"}, Shrinking},
		"all gone but a new detail":                    {[]string{"a:1 b:1", "a:2"}, Shrinking},
		"one error of a file gone":                     {[]string{"f:1 f:2", "f:2"}, Shrinking},
		"one more":                                     {[]string{"a", "a b"}, Growing},
		"one more, the other in another way":           {[]string{"a:1", "a:2 b:1"}, Growing},
		"another error in the same file":               {[]string{"f:1", "f:2"}, Moved},
		"fewer, but others":                            {[]string{"a b c", "d"}, Moved},
		"a returns after b":                            {[]string{"a", "b", "a"}, Oscillating},
		"back and forth":                               {[]string{"a", "b", "a", "b"}, Oscillating},
		"back to an earlier one is no shrinking":       {[]string{"a", "a b", "a"}, Oscillating},
		"shrinking to the end":                         {[]string{"a b", "a", ""}, Shrinking},
		"as many, but one replaced by its next":        {[]string{"a b", "a c"}, Moved},
		"fewer tests, more details of the one is less": {[]string{"a:1 b:1", "a:1 a:2"}, Moved},
	} {
		t.Run(name, func(t *testing.T) {
			var sets [][]Failure
			for _, r := range tt.rounds {
				sets = append(sets, failures(r))
			}
			if got := Trend(sets...); got != tt.want {
				t.Errorf("Trend(%q) = %s; want %s", tt.rounds, got, tt.want)
			}
		})
	}
}

func TestFailing(t *testing.T) {
	got := evidence().Failing()
	want := []Failure{
		{ID: "docs/<a>&.md", Class: "boundary:not_allowed"},
		{ID: "go test ./...: calc > TestA", Class: "fail", Detail: "got 5, want 4"},
		{ID: "go test ./...: calc > TestB", Class: "panic", Detail: "line\u2028separator"},
		{ID: "go.mod", Class: "boundary:protected"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Failing (-want +got):\n%s", diff)
	}
}

func TestSortedLeavesItsArgumentAlone(t *testing.T) {
	list := failures("b a b")
	got := Sorted(list)
	if !slices.Equal(got, failures("a b")) || !slices.Equal(list, failures("b a b")) {
		t.Errorf("Sorted = %v of %v; want a b of b a b", got, list)
	}
}
