package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// The page but for its figures, which take the place of the line that is the
// mark.
//
//go:embed page.md
var text string

const mark = "<!-- figures -->\n"

// told are the figures of the page, in the words of the tests that tell them.
var told = []string{
	"kill points",
	"double kills",
	"panics",
	"errors",
	"crash states, none with anything lost",
	"crash states that were recovered from",
	"fsyncs, each proved needed",
	"system calls on tasks and records, each seen by the seam",
	"kills of the whole process",
	"errors of the whole process",
	"power cuts of a real file system (ext4)",
	"sizes at which a disk was full",
}

// table is the figures as the page has them. A figure that it has no place for
// is an error: the page would leave something out.
func (all results) table() (string, error) {
	var b strings.Builder
	form := "short"
	if all.long {
		form = "long"
	}
	fmt.Fprintf(&b, "| in the %s form | |\n|---|---:|\n", form)
	known := map[string]bool{}
	for _, what := range told {
		known[what] = true
		n := "not run here"
		if got, ran := all.figures[what]; ran {
			n = thousands(got)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", what, n)
	}
	for what := range all.figures {
		if !known[what] {
			return "", fmt.Errorf("the page has no place for the figure %q", what)
		}
	}
	return b.String(), nil
}

// page is the whole page with a table of figures.
func page(figures string) string { return strings.Replace(text, mark, figures, 1) }

// thousands writes n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
