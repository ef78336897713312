package screen_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"looprun.dev/looprun/internal/screen"
)

func TestPlain(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"lines and tabs stay":                 {"a\tb\nc", "a\tb\nc"},
		"colours go":                          {"\x1b[1;31mred\x1b[0m", "red"},
		"a title of the window goes":          {"\x1b]0;owned\x07text", "text"},
		"a link without its end takes itself": {"a\x1b]8;;http://x", "a"},
		"a carriage return goes":              {"50%\r100%", "50%100%"},
		"what turns the direction goes":       {"abc\u202etxt.exe", "abctxt.exe"},
		"bytes that are no text are shown":    {"a\xffb", "a\uFFFDb"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := screen.Plain(tc.text); got != tc.want {
				t.Errorf("Plain(%q) = %q; want %q", tc.text, got, tc.want)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[31mred\x1b]0;t\x07\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := screen.Plain(text)
		if !utf8.ValidString(got) {
			t.Errorf("Plain(%q) = %q, which is no UTF-8", text, got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Errorf("Plain(%q) = %q holds %U", text, got, r)
			}
		}
	})
}
