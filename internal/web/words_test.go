package web_test

import (
	"testing"
	"time"

	"looprun.dev/looprun/internal/web"
)

func TestWords(t *testing.T) {
	tests := map[string]struct{ got, want string }{
		"no time":                 {web.Span(0), "0 ms"},
		"seconds to a tenth":      {web.Span(1234 * time.Millisecond), "1.2 s"},
		"minutes with seconds":    {web.Span(61 * time.Second), "1 min 1 s"},
		"hours alone":             {web.Span(2 * time.Hour), "2 h"},
		"days with hours":         {web.Span(75 * time.Hour), "3 d 3 h"},
		"a time before":           {web.Span(-time.Minute), "-1 min"},
		"this moment":             {web.Ago(noon, noon), "just now"},
		"a while ago":             {web.Ago(noon.Add(-90*time.Minute), noon), "1 h ago"},
		"to come":                 {web.Ago(noon.Add(72*time.Hour), noon), "in 3 d"},
		"a small number":          {web.Count(999), "999"},
		"a large number":          {web.Count(1234567), "1,234,567"},
		"a number below zero":     {web.Count(-123456), "-123,456"},
		"one of them":             {web.Plural(1, "try"), "1 try"},
		"several of them":         {web.Plural(2, "try"), "2 tries"},
		"none of them":            {web.Plural(0, "round"), "0 rounds"},
		"a plain command":         {web.Argv([]string{"go", "test", "./..."}), "go test ./..."},
		"a command with blanks":   {web.Argv([]string{"sh", "-c", "it's a b"}), `sh -c 'it'\''s a b'`},
		"a command with no words": {web.Argv([]string{"x", ""}), "x ''"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.got != tc.want {
				t.Errorf("got %q; want %q", tc.got, tc.want)
			}
		})
	}
}
