package web_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/web"
)

// logged is a place with a task whose log is a text.
func logged(t *testing.T, text string) *place {
	t.Helper()
	p := newPlace(t)
	p.run(t, "good", "a title", passes)
	must(t, os.WriteFile(filepath.Join(p.dir, ".loop", "tasks", "good", "attempts", "round-001", "try-01.stdout"), []byte(text), 0o600))
	return p
}

func numbered(from, to int) string {
	var b strings.Builder
	for n := from; n <= to; n++ {
		fmt.Fprintf(&b, "this is %d\n", n)
	}
	return b.String()
}

func TestALogIsShownByPages(t *testing.T) {
	long := numbered(1, 2500)
	tests := map[string]struct {
		log, query  string
		want, wants string // text that is there, and text that is not
	}{
		"the last page first":                 {long, "", "this is 2500<", "this is 2000<"},
		"another page":                        {long, "&page=1", "this is 1000<", "this is 1001<"},
		"a page behind the last":              {long, "&page=99", "this is 2500<", "this is 1<"},
		"the page of a line":                  {long, "&line=1001", `id="L1001"`, `id="L1000"`},
		"the lines of a search, any case":     {long, "&q=THIS+IS+77", `is 77</mark>0</code>`, "this is 78<"},
		"how many lines there are":            {long, "", "2,500 lines", ""},
		"a search that finds nothing":         {long, "&q=nothing", "No line holds “nothing”", ""},
		"a log without its last newline":      {"a\nb", "", "2 lines", ""},
		"an empty log":                        {"", "", "It is empty", ""},
		"colours and titles are taken out":    {"\x1b[31mred\x1b[0m\x1b]0;t\x07!\n", "", "<code>red!</code>", ""},
		"a very long line is cut":             {strings.Repeat("a", 200_000) + "\nnext\n", "", " …</code>", strings.Repeat("a", 4001)},
		"what follows a very long line":       {strings.Repeat("a", 200_000) + "\nnext\n", "", `id="L2"`, `id="L3"`},
		"a search that changes lengths":       {"İstanbul i\n", "&q=i", "İstanbul i", ""},
		"bytes that are no text":              {"a\xff\xfeb\n", "", "a\uFFFDb", ""},
		"a file of the task beside the first": {"x\n", "", "round-001/candidate.patch", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := logged(t, tc.log)
			body := get(t, p.server(t, p.options()).Handler(), "/tasks/good/log?file="+url.QueryEscape("attempts/round-001/try-01.stdout")+tc.query).Body.String()
			if !strings.Contains(body, tc.want) {
				t.Errorf("the page lacks %q", tc.want)
			}
			if tc.wants != "" && strings.Contains(body, tc.wants) {
				t.Errorf("the page has %q", tc.wants)
			}
		})
	}
}

func TestARawLogIsOnlyToBeKept(t *testing.T) {
	p := logged(t, "<script>\x1b[31m")
	w := get(t, p.server(t, p.options()).Handler(), "/tasks/good/raw?file=attempts/round-001/try-01.stdout")
	if got := w.Header().Get("Content-Disposition"); got != `attachment; filename="good-round-001-try-01.stdout"` || w.Header().Get("Content-Type") != "application/octet-stream" {
		t.Errorf("it is sent as %v", w.Header())
	}
	if w.Body.String() != "<script>\x1b[31m" {
		t.Errorf("it is sent as %q", w.Body)
	}
}

// Whatever a log holds: its lines are counted as they are visited.
func FuzzLogLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n\x1b[31mc"))
	f.Add([]byte(strings.Repeat("x", 70_000) + "\ny"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, size, err := web.CountLines(bytes.NewReader(data))
		if err != nil || size != int64(len(data)) {
			t.Fatalf("CountLines = %d bytes, %v; want %d", size, err, len(data))
		}
		visited := 0
		err = web.EachLine(bytes.NewReader(data), func(n int, text string) bool {
			visited++
			if n != visited || strings.Contains(text, "\n") {
				t.Errorf("line %d, visited as %d, is %q", n, visited, text)
			}
			return true
		})
		if err != nil || visited != lines {
			t.Errorf("%d of %d lines are visited, %v", visited, lines, err)
		}
	})
}
