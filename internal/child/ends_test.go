package child

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		limit  int64
		writes []string
		want   string
	}{
		"a short stream is whole":             {10, []string{"abc", "def"}, "abcdef"},
		"a stream of just the limit is whole": {6, []string{"abcd", "ef"}, "abcdef"},
		"the middle of a longer one is out":   {6, []string{"abcd", "efgh"}, "abc\n[looprun: 2 bytes left out]\nfgh"},
		"a head that ends a line needs none":  {6, []string{"ab\ncdefgh"}, "ab\n[looprun: 3 bytes left out]\nfgh"},
		"no limit at all leaves the marker":   {0, []string{"abc"}, "[looprun: 3 bytes left out]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, cut(tt.limit, tt.writes)); d != "" {
				t.Errorf("log (-want +got):\n%s", d)
			}
		})
	}
}

// cut is the log of a stream.
func cut(limit int64, writes []string) string {
	var log bytes.Buffer
	e := endsOf(limit)
	for _, w := range writes {
		log.Write(e.head([]byte(w)))
	}
	if e.missing() > 0 {
		log.Write(e.marker())
	}
	for _, p := range e.tail.parts() {
		log.Write(p)
	}
	return log.String()
}

// However a stream is cut into writes, head and tail are those of the whole,
// and what is left out is counted exactly.
func TestEndsOfAnyStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(0, 40).Draw(t, "limit")
		writes := rapid.SliceOf(rapid.StringMatching("[a-z]{0,30}")).Draw(t, "writes")
		all := strings.Join(writes, "")
		if got, want := cut(limit, writes), cut(limit, []string{all}); got != want {
			t.Errorf("log = %q; want %q", got, want)
		}
		x := newExcerpt(int(limit))
		for _, w := range writes {
			x.write([]byte(w))
		}
		kept := string(slices.Concat(x.first, x.last()))
		if int64(len(all)) <= limit && kept != all {
			t.Errorf("kept %q of %q", kept, all)
		}
		if !strings.HasPrefix(all, string(x.first)) || !strings.HasSuffix(all, string(x.last())) || int64(len(kept)) > limit {
			t.Errorf("kept %q and %q of %q, limit %d", x.first, x.last(), all, limit)
		}
	})
}
