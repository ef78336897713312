package task

import (
	"strings"
	"testing"
)

func TestCheckID(t *testing.T) {
	tests := map[string]struct {
		id string
		ok bool
	}{
		"a word":                         {"task", true},
		"one letter":                     {"t", true},
		"digits, points, dashes":         {"0.issue-005_b", true},
		"64 characters":                  {strings.Repeat("a", 64), true},
		"a follow-up":                    {"issue-005-2", true},
		"a dash at the end":              {"a-", true},
		"a name that begins as a device": {"console", true},
		"device names that stop short":   {"com", true},
		"lock as a word":                 {"lock", true},
		"dup without a number":           {"a.dup-x", true},
		"32 a parent":                    {"../t", false},
		"32 two points alone":            {"..", false},
		"32 a slash":                     {"a/b", false},
		"32 a backslash":                 {`a\b`, false},
		"32 an absolute path":            {"/etc/passwd", false},
		"32 a leading point":             {".t", false},
		"32 a leading dash":              {"-t", false},
		"33 empty":                       {"", false},
		"33 65 characters":               {strings.Repeat("a", 65), false},
		"33 upper case":                  {"Task", false},
		"33 an accent":                   {"caf\u00e9", false},
		"33 an accent written apart":     {"cafe\u0301", false},
		"33 an emoji":                    {"t😀", false},
		"33 a digit of another script":   {"t٣", false},
		"33 two points inside":           {"a..b", false},
		"33 ending .lock":                {"a.lock", false},
		"33 ending .reason":              {"a.reason", false},
		"33 ending .dup-1":               {"a.dup-1", false},
		"34 con":                         {"con", false},
		"34 nul with an ending":          {"nul.json", false},
		"34 a serial port":               {"com7", false},
		"34 a printer port":              {"lpt1.old.x", false},
		"34 a point at the end":          {"t.", false},
		"34 a space at the end":          {"t ", false},
		"a line break at the end":        {"t\n", false},
		"a NUL":                          {"t\x00", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if code, msg := CheckID(tt.id); (code == "") != tt.ok || (code != "" && (code != CodeBadID || msg == "")) {
				t.Errorf("CheckID(%q) = %q, %q; want good %v", tt.id, code, msg, tt.ok)
			}
		})
	}
}

func TestBadIDShowsTheGrammar(t *testing.T) {
	_, msg := CheckID("Görlitz")
	if want := `bad id "Görlitz": it must be 1 to 64 characters of a-z, 0-9, '.', '_' and '-', the first a letter or digit`; msg != want {
		t.Errorf("CheckID = %q; want %q", msg, want)
	}
}
