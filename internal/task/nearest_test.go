package task

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"max_rounds", "max_tries", "max_tokens", "goal", "id", "verify", "title"}
	tests := map[string]struct{ name, want string }{
		"another case":                       {"Goal", "goal"},
		"another way to join words":          {"max-rounds", "max_rounds"},
		"humps":                              {"maxRounds", "max_rounds"},
		"a letter too many":                  {"goall", "goal"},
		"a letter missing":                   {"verfy", "verify"},
		"two letters swapped":                {"titel", "title"},
		"another letter":                     {"max_riunds", "max_rounds"},
		"nothing near":                       {"colour", ""},
		"a short name needs to be near":      {"ix", "id"},
		"a short name that is far":           {"xy", ""},
		"long text is near to nothing":       {string(make([]byte, 1<<20)), ""},
		"empty text":                         {"", ""},
		"itself is not a suggestion":         {"goal", ""},
		"the same name in another case wins": {"MAX_TRIES", "max_tries"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, ok := Nearest(tt.name, known); got != tt.want || ok != (tt.want != "") {
				t.Errorf("Nearest(%.20q) = %q, %v; want %q", tt.name, got, ok, tt.want)
			}
		})
	}
}

func TestUnknownName(t *testing.T) {
	many := []string{"i", "h", "g", "f", "e", "d", "c", "b", "a"}
	tests := map[string]struct {
		name  string
		known []string
		want  string
	}{
		"a known name":       {"unit", []string{"unit"}, ""},
		"a slip":             {"unti", []string{"unit", "lint"}, `unknown profile "unti", did you mean "unit"?`},
		"none is there":      {"unit", nil, `unknown profile "unit": there is none`},
		"nothing is near":    {"smoke", []string{"unit", "lint"}, `unknown profile "smoke": there is "lint", "unit"`},
		"too many to list":   {"smoke", many, `unknown profile "smoke": there is "a", "b", "c", "d", "e", "f", "g", "h", ...`},
		"order is no matter": {"b", many, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := UnknownName("profile", tt.name, tt.known); got != tt.want {
				t.Errorf("UnknownName(%q) = %q; want %q", tt.name, got, tt.want)
			}
		})
	}
}
