package cli

import (
	"bytes"
	"os"
	"testing"
)

func TestColours(t *testing.T) {
	tests := map[string]struct{ line, want string }{
		"a task that is done":         {"t1  done     1 round\n", "t1  \x1b[32mdone\x1b[0m     1 round\n"},
		"one that is blocked":         {"t1  blocked  1 round", "t1  \x1b[31mblocked\x1b[0m  1 round"},
		"one that asks":               {"t1  needs-input  2 rounds", "t1  \x1b[33mneeds-input\x1b[0m  2 rounds"},
		"a line of doctor":            {"bad   git\n", "\x1b[31mbad\x1b[0m   git\n"},
		"a warning":                   {"looprun: warning: x\n", "looprun: \x1b[33mwarning:\x1b[0m x\n"},
		"checks that failed":          {"looprun: t1 round 1 try 1: checks failed: unit\n", "looprun: t1 round 1 try 1: \x1b[31mchecks failed\x1b[0m: unit\n"},
		"what an agent says is plain": {"  all is done, blocked is nothing\n", "  all is done, blocked is nothing\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(paint([]byte(test.line))); got != test.want {
				t.Errorf("paint = %q; want %q", got, test.want)
			}
		})
	}
}

// Lines come in pieces from whoever lines up columns.
func TestAPainterWaitsForTheEndOfALine(t *testing.T) {
	var out bytes.Buffer
	p := newPainter(&out)
	for _, piece := range []string{"t1", "  ", "do", "ne\nt2  blo", "cked\n"} {
		if n, err := p.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if got, want := out.String(), "t1  \x1b[32mdone\x1b[0m\nt2  \x1b[31mblocked\x1b[0m\n"; got != want {
		t.Errorf("printed %q; want %q", got, want)
	}
}

func TestWhenThereAreColours(t *testing.T) {
	tests := map[string]struct {
		word string
		json bool
		want bool
	}{
		"no terminal":          {colorAuto, false, false},
		"always":               {colorAlways, false, true},
		"never":                {colorNever, false, false},
		"always, but not JSON": {colorAlways, true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := devNull()
			if err != nil {
				t.Skip(err)
			}
			defer f.Close()
			a := &app{color: choice{word: test.word}, json: test.json, outFile: f}
			if got := a.colored(f); got != test.want {
				t.Errorf("colored = %v; want %v", got, test.want)
			}
		})
	}
}

func devNull() (*os.File, error) { return os.Open(os.DevNull) }
